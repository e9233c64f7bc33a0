package wire_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// TestLongLines has lines of the lengths at which line readers break.
func TestLongLines(t *testing.T) {
	for _, size := range []int{65535, 65536, 65537, 1<<20 + 1, 5 << 20, 20 << 20} {
		for _, chunk := range []int{4096, 65536, size + 1} {
			if testing.Short() && size > 1<<21 && chunk == 4096 {
				continue
			}
			head := `{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"arguments":{"data":"`
			tail := `"},"name":"upload"}}`
			line := head + strings.Repeat("a", size-len(head)-len(tail)) + tail
			cuts := make([]int, size/chunk)
			for i := range cuts {
				cuts[i] = chunk
			}
			got := scan(nil, []byte(line+"\n"+ok1+"\n"), cuts...)
			if len(got) != 2 || len(got[0].Messages) != 1 || got[1].Class != wire.RPC {
				t.Fatalf("%d bytes: %d frames", size, len(got))
			}
			f, m := got[0], got[0].Messages[0]
			fits := size <= 14<<20
			if f.Bytes != int64(size) || m.Bytes != int64(size) || f.Truncated == fits {
				t.Errorf("%d bytes: frame %d, message %d, truncated %v", size, f.Bytes, m.Bytes, f.Truncated)
			}
			if m.Kind != wire.Request || m.ID != "s:big" || m.Method != "tools/call" || m.Values["Params.Name"] != `"upload"` {
				t.Errorf("%d bytes: kind %d, id %s, method %s", size, m.Kind, m.ID, m.Method)
			}
			want := 0
			if fits {
				want = size - len(head) - len(tail) + len(`{"data":""}`)
			}
			if got := len(m.Values["Params.Arguments"]); got != want {
				t.Errorf("%d bytes: arguments of %d, want %d", size, got, want)
			}
		}
	}
}

// TestMaxKeep drops what is too large and finds what comes after it.
func TestMaxKeep(t *testing.T) {
	o := &wire.Options{MaxKeep: 16 << 10} // of which 2 KiB are for small values
	text := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	const room = 14 << 10
	for _, test := range []struct {
		name, line string
		truncated  bool
		want       map[string]int // lengths
	}{
		{
			"just fits", `{"jsonrpc":"2.0","id":1,"result":{"content":` + text(room) + `,"isError":true}}`,
			false, map[string]int{"Result.Content": room, "Result.IsError": 4},
		},
		{
			"one byte too many", `{"jsonrpc":"2.0","id":1,"result":{"content":` + text(room+1) + `,"isError":true}}`,
			true, map[string]int{"Result.IsError": 4},
		},
		{
			"the next one is small enough", `{"jsonrpc":"2.0","id":1,"result":{"content":` + text(room+1) + `,"structuredContent":` + text(room) + `}}`,
			true, map[string]int{"Result.Structured": room},
		},
		{
			"together too large", `{"jsonrpc":"2.0","id":1,"result":{"content":` + text(room/2) + `,"structuredContent":` + text(room/2+1) + `,"nextCursor":` + text(1024) + `}}`,
			true, map[string]int{"Result.Content": room / 2, "Result.NextCursor": 1024},
		},
		{
			"a large value after the small ones", `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":` + text(room) + `}}`,
			true, map[string]int{"Result.IsError": 4},
		},
		{
			"error", `{"jsonrpc":"2.0","id":1,"error":{"data":` + text(3*room) + `,"message":` + text(room+1) + `,"code":-32603}}`,
			true, map[string]int{"Error.Code": 6},
		},
		{
			"a value that is looked at nowhere costs nothing", `{"jsonrpc":"2.0","id":1,"result":{"other":` + text(5*room) + `,"content":` + text(room) + `}}`,
			false, map[string]int{"Result.Content": room},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := []byte(test.line + "\n" + ok1 + "\n")
			for _, chunk := range []int{1, 999, len(stream)} {
				cuts := make([]int, len(stream)/chunk)
				for i := range cuts {
					cuts[i] = chunk
				}
				got := scan(o, stream, cuts...)
				if len(got) != 2 || len(got[0].Messages) != 1 {
					t.Fatalf("chunks of %d: %d frames", chunk, len(got))
				}
				if got[0].Truncated != test.truncated || got[1].Truncated {
					t.Errorf("chunks of %d: truncated %v, next %v", chunk, got[0].Truncated, got[1].Truncated)
				}
				lengths := map[string]int{}
				for name, value := range got[0].Messages[0].Values {
					lengths[name] = len(value)
				}
				if diff := cmp.Diff(test.want, lengths); diff != "" {
					t.Errorf("chunks of %d: lengths (-want +got):\n%s", chunk, diff)
				}
			}
		})
	}
}

// TestNoRoomMisjudgesNothing fills the room with a batch and repeats: every
// message is still known for what it is.
func TestNoRoomMisjudgesNothing(t *testing.T) {
	var b strings.Builder
	const messages = 100
	for i := range messages {
		fmt.Fprintf(&b, `,{"params":{"name":"%[1]s","name":"%[1]s"},"method":"m","id":%[2]d,"jsonrpc":"2.0"}`, strings.Repeat("n", 50), i)
	}
	got := scan(&wire.Options{MaxKeep: 300}, []byte("["+b.String()[1:]+"]"), 3000)
	if len(got) != 1 || len(got[0].Messages) != messages || !got[0].Truncated {
		t.Fatalf("%d frames", len(got))
	}
	for i, m := range got[0].Messages {
		if m.Kind != wire.Request || m.ID != fmt.Sprintf("n:%d", i) {
			t.Fatalf("message %d: kind %d, id %s", i, m.Kind, m.ID)
		}
	}
}

// TestMemoryIsBounded streams one frame of 64 MiB, valid or not, and looks at
// all that was ever allocated for it.
func TestMemoryIsBounded(t *testing.T) {
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for _, test := range []struct{ name, head, tail string }{
		{"wanted value", `{"jsonrpc":"2.0","id":1,"result":{"content":"`, `","isError":true}}`},
		{"other value", `{"jsonrpc":"2.0","id":1,"result":{"other":"`, `","isError":true}}`},
		{"id", `{"jsonrpc":"2.0","result":{"isError":true},"id":"`, `"}`},
		{"method", `{"jsonrpc":"2.0","result":{"isError":true},"id":1,"method":"`, `"}`},
		{"key", `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"`, `":1}}`},
		{"version", `{"jsonrpc":"2.0","jsonrpc":"`, `","jsonrpc":"2.0","id":1,"result":{"isError":true}}`},
		{"no JSON", `{"jsonrpc":"2.0","id":1,"result":{"content":[`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := wire.NewScanner(&wire.Options{MaxKeep: 4 << 20})
			var got []frame
			emit := func(f *wire.Frame) { got = append(got, view(f)) }
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s.Feed([]byte(test.head), emit)
			const chunks = 64
			for range chunks {
				s.Feed(chunk, emit)
			}
			s.Feed([]byte(test.tail+"\n"), emit)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
				t.Errorf("allocated %d MiB", used>>20)
			}
			if len(got) != 1 || got[0].Bytes != int64(len(test.head)+len(test.tail)+chunks<<20) {
				t.Fatalf("%d frames", len(got))
			}
			if test.tail == "" {
				if got[0].Class != wire.NotJSON {
					t.Errorf("class %d", got[0].Class)
				}
				return
			}
			if len(got[0].Messages) != 1 || got[0].Messages[0].Values["Result.IsError"] != "true" {
				t.Errorf("the rest was not found: class %d", got[0].Class)
			}
		})
	}
}

// TestMemoryIsGivenBack looks at what is still held after an unusual frame.
func TestMemoryIsGivenBack(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":1,"method":"a\tb"}`
	for name, stream := range map[string]string{
		"large value": `{"jsonrpc":"2.0","id":1,"result":{"content":"` + strings.Repeat("x", 12<<20) + `"}}` + "\n",
		"large batch": "[" + message + strings.Repeat(","+message, wire.MaxBatch) + "]\n",
	} {
		s := wire.NewScanner(nil)
		live := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := live()
		frames := 0
		for part := stream; len(part) > 0; {
			n := min(64<<10, len(part))
			s.Feed([]byte(part[:n]), func(*wire.Frame) { frames++ })
			part = part[n:]
		}
		after := live()
		if frames != 1 || after > before+3<<20 {
			t.Errorf("%s: %d frames, holds %d KiB more", name, frames, (after-before)>>10)
		}
		runtime.KeepAlive(s)
		runtime.KeepAlive(stream)
	}
}

// TestOrdinaryFramesDoNotAllocate has frames whole in a chunk and cut ones.
func TestOrdinaryFramesDoNotAllocate(t *testing.T) {
	var stream []byte
	for _, line := range benchFrames() {
		stream = append(stream, line...)
	}
	stream = append(stream, `[{"jsonrpc":"2.0","id":1,"method":"a\tb"},{"jsonrpc":"2.0","method":"x"}]`+"\nbanner\n\n"...)
	for _, chunk := range []int{len(stream), 1000} {
		s := wire.NewScanner(nil)
		n := testing.AllocsPerRun(20, func() {
			for rest := stream; len(rest) > 0; {
				n := min(chunk, len(rest))
				s.Feed(rest[:n], func(*wire.Frame) {})
				rest = rest[n:]
			}
		})
		if n != 0 {
			t.Errorf("chunks of %d: %v allocations", chunk, n)
		}
	}
}
