package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// event is a copy of a wire.Event that outlives it. A field that is absent is
// "-", since an empty one differs from none.
type event struct {
	Name, Data, ID string
	Retry          int64
	Truncated      bool
	IsMessage      bool
}

// events feeds a stream in chunks of the lengths in cuts, then the rest; it
// returns what is pending at the end too.
func events(o *wire.EventOptions, stream string, cuts ...int) (got []event, pending int64) {
	e := wire.NewEvents(o)
	feed := func(part string) {
		chunk := []byte(part)
		e.Feed(chunk, func(ev *wire.Event) {
			text := func(b []byte) string {
				if b == nil {
					return "-"
				}
				return string(b)
			}
			got = append(got, event{
				Name: string(ev.Name), Data: text(ev.Data), ID: text(ev.ID), Retry: ev.Retry,
				Truncated: ev.Truncated, IsMessage: ev.IsMessage(),
			})
		})
		for i := range chunk {
			chunk[i] = '~'
		}
	}
	for _, n := range cuts {
		n = min(n, len(stream))
		feed(stream[:n])
		stream = stream[n:]
	}
	feed(stream)
	return got, e.Pending()
}

var sseStreams = []struct {
	name, in string
	want     []event
	pending  int64
}{
	{"empty", "", nil, 0},
	{"comment", ": keepalive\n\n", nil, 0},
	{"bare comment", ":\n\n:\r\r", nil, 0},
	{"ping", "event: ping\ndata: x\n\n", []event{{Name: "ping", Data: "x", ID: "-", Retry: -1}}, 0},
	{"empty data", "data:\n\n", []event{{Data: "", ID: "-", Retry: -1}}, 0},
	{"data without a colon", "data\n\n", []event{{Data: "", ID: "-", Retry: -1}}, 0},
	{
		"heartbeat", "data: {\"type\":\"heartbeat\"}\n\n",
		[]event{{Data: `{"type":"heartbeat"}`, ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{"priming event", "id: 0\nretry: 3000\ndata:\n\n", []event{{Data: "", ID: "0", Retry: 3000}}, 0},
	{"id and retry only", "id: 7\nretry: 10\n\n", []event{{Data: "-", ID: "7", Retry: 10}}, 0},
	{"empty id", "id\ndata: x\n\n", []event{{Data: "x", ID: "", Retry: -1, IsMessage: true}}, 0},
	{"id with a NUL", "id: a\x00b\ndata: x\n\n", []event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{"retry that is no number", "retry: 1s\nretry: -1\nretry:\ndata: x\n\n", []event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{"retry out of bounds", "retry: 99999999999999999999\ndata: x\n\n", []event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{
		"several data lines", "data: {\"jsonrpc\":\"2.0\",\"id\":2,\ndata: \"result\":{}}\n\n",
		[]event{{Data: "{\"jsonrpc\":\"2.0\",\"id\":2,\n\"result\":{}}", ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{"empty data lines count", "data\ndata:\ndata: \n\n", []event{{Data: "\n\n", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{"one blank is cut", "data:  x \n\n", []event{{Data: " x ", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{"colons in the value", "data:a:b\n\n", []event{{Data: "a:b", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{
		"named message", "event: message\ndata: x\n\n",
		[]event{{Name: "message", Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{
		"the last name and id count", "event: a\nevent: b\nid: 1\nid: 2\ndata: x\n\n",
		[]event{{Name: "b", Data: "x", ID: "2", Retry: -1}}, 0,
	},
	{"unknown fields", "datum: x\n data: x\nDATA: x\n\n", nil, 0},
	{
		"nothing is carried over", "event: ping\nid: 1\nretry: 5\ndata: x\n\ndata: y\n\n",
		[]event{{Name: "ping", Data: "x", ID: "1", Retry: 5}, {Data: "y", ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{
		"CR LF", "event: message\r\ndata: x\r\n\r\ndata: y\r\n\r\n",
		[]event{{Name: "message", Data: "x", ID: "-", Retry: -1, IsMessage: true}, {Data: "y", ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{"CR", "data: x\rdata: z\r\r", []event{{Data: "x\nz", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{
		"mixed ends", "data: x\rdata: y\r\ndata: z\n\r\ndata: w\n\rdata: v\r\n\n",
		[]event{
			{Data: "x\ny\nz", ID: "-", Retry: -1, IsMessage: true},
			{Data: "w", ID: "-", Retry: -1, IsMessage: true},
			{Data: "v", ID: "-", Retry: -1, IsMessage: true},
		}, 0,
	},
	{"byte order mark", "\ufeffdata: x\n\n", []event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0},
	{"second byte order mark", "\ufeff\ufeffdata: x\n\n", nil, 0},
	{"half a byte order mark", "\xef\xbbdata: x\n\n", nil, 0},
	{
		"later byte order mark", "data: x\n\n\ufeffdata: y\n\n",
		[]event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 0,
	},
	{"cut event", "data: x\n\ndata: y\n", []event{{Data: "x", ID: "-", Retry: -1, IsMessage: true}}, 8},
	{"cut line", "data: y", nil, 7},
}

func TestEvents(t *testing.T) {
	for _, test := range sseStreams {
		t.Run(test.name, func(t *testing.T) {
			got, pending := events(nil, test.in)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if pending != test.pending {
				t.Errorf("%d bytes pending, want %d", pending, test.pending)
			}
			for i := range len(test.in) {
				cut, cutPending := events(nil, test.in, i)
				if diff := cmp.Diff(got, cut); diff != "" || cutPending != pending {
					t.Errorf("cut at %d: %d bytes pending (-whole +cut):\n%s", i, cutPending, diff)
				}
			}
		})
	}
}

func TestEventSplitsDoNotShow(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"data", ":", " ", "x", "\n", "\r", "\r\n", "\n\n", "id", "event", "retry", "5", "\x00", "\ufeff", "\xef", "data: long value\n", ": c\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		o := &wire.EventOptions{MaxData: rapid.SampledFrom([]int{0, 1, 5, 20}).Draw(t, "MaxData")}
		cuts := rapid.SliceOfN(rapid.IntRange(0, 12), 0, 30).Draw(t, "cuts")
		want, wantPending := events(o, stream)
		got, gotPending := events(o, stream, cuts...)
		if diff := cmp.Diff(want, got); diff != "" || wantPending != gotPending {
			t.Fatalf("whole and cut differ, pending %d and %d (-whole +cut):\n%s", wantPending, gotPending, diff)
		}
	})
}

func TestEventBounds(t *testing.T) {
	const most = 100
	o := &wire.EventOptions{MaxData: most}
	x := func(n int) string { return strings.Repeat("x", n) }
	const field = 64 << 10
	next := event{Data: "n", ID: "-", Retry: -1, IsMessage: true}
	for _, test := range []struct {
		name, in string
		want     event
	}{
		{"just fits", "data: " + x(most), event{Data: x(most), ID: "-", Retry: -1, IsMessage: true}},
		{"too long", "id: 3\ndata: " + x(most+1), event{Data: "-", ID: "3", Retry: -1, Truncated: true}},
		{"far too long", "data: " + x(200_000), event{Data: "-", ID: "-", Retry: -1, Truncated: true}},
		{"two lines just fit", "data: " + x(50) + "\ndata: " + x(49), event{Data: x(50) + "\n" + x(49), ID: "-", Retry: -1, IsMessage: true}},
		{"two lines are too long", "data: " + x(50) + "\ndata: " + x(50), event{Data: "-", ID: "-", Retry: -1, Truncated: true}},
		{"what comes after it is found", "data: " + x(most+1) + "\ndata: y\nevent: e", event{Name: "e", Data: "-", ID: "-", Retry: -1, Truncated: true}},
		{"longest id", "id: " + x(field) + "\ndata: d", event{Data: "d", ID: x(field), Retry: -1, IsMessage: true}},
		{"id too long", "id: " + x(field+1) + "\ndata: d", event{Data: "d", ID: "-", Retry: -1, Truncated: true, IsMessage: true}},
		{"name too long", "event: " + x(field+1) + "\ndata: d", event{Name: x(field), Data: "d", ID: "-", Retry: -1, Truncated: true}},
		{"long comment", ":" + x(200_000) + "\ndata: d", event{Data: "d", ID: "-", Retry: -1, IsMessage: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := test.in + "\n\ndata: n\n\n"
			for _, chunk := range []int{7, 1000, len(stream)} {
				cuts := make([]int, len(stream)/chunk)
				for i := range cuts {
					cuts[i] = chunk
				}
				got, _ := events(o, stream, cuts...)
				if diff := cmp.Diff([]event{test.want, next}, got); diff != "" {
					t.Errorf("chunks of %d (-want +got):\n%.2000s", chunk, diff)
				}
			}
		})
	}
}

func TestEventDataScans(t *testing.T) {
	s := wire.NewScanner(nil)
	e := wire.NewEvents(nil)
	var got []string
	for _, chunk := range []string{"event: message\r", "\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":2,\"result\":{}}\r\n\r", "\n: x\n\ndata: ping\n\n"} {
		e.Feed([]byte(chunk), func(ev *wire.Event) {
			f := s.ScanBody(ev.Data)
			got = append(got, fmt.Sprint(f.Class, len(f.Messages)))
		})
	}
	want := []string{fmt.Sprint(wire.RPC, 1), fmt.Sprint(wire.NotJSON, 0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

func FuzzEvents(f *testing.F) {
	for i, test := range sseStreams {
		f.Add(test.in, uint16(i), uint16(2*i))
	}
	f.Fuzz(func(t *testing.T, stream string, first, second uint16) {
		want, wantPending := events(nil, stream)
		got, gotPending := events(nil, stream, int(first), int(second))
		if diff := cmp.Diff(want, got); diff != "" || wantPending != gotPending {
			t.Fatalf("whole and cut differ (-whole +cut):\n%s", diff)
		}
		// All line ends mean the same.
		if !strings.Contains(stream, "\r") {
			for _, end := range []string{"\r\n", "\r"} {
				other, _ := events(nil, strings.ReplaceAll(stream, "\n", end))
				if diff := cmp.Diff(want, other); diff != "" {
					t.Fatalf("with other line ends (-LF +%q):\n%s", end, diff)
				}
			}
		}
	})
}
