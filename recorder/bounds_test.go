package recorder_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Members of a batch past the scanner's bound are a gap, and what was open may
// have been answered among them.
func TestHugeBatch(t *testing.T) {
	p := newPlayer(t)
	p.on(0, 0, journal.Outbound, ping(0))
	batch := make([]string, wire.MaxBatch+3)
	for i := range batch {
		batch[i] = pong(i + 1)
	}
	for _, d := range []journal.Direction{journal.Inbound, journal.Outbound} {
		p.on(0, 0, d, "["+strings.Join(batch, ",")+"]")
		if want := fmt.Sprintf(`"%s_frames":3,`, d); !strings.Contains(p.sink.last(), `"type":"gap"`) || !strings.Contains(p.sink.last(), want) {
			t.Errorf("no gap of 3 %s frames: %s", d, p.sink.last())
		}
	}
	p.c.End(p.now, recorder.Exit{})
	wantCalls(t, p.sink, map[string]int{"unknown": 1})
}

// Only the newest interim results can be gone on with.
func TestInterimResultsAreForgotten(t *testing.T) {
	const bound = 1_024
	p := newPlayer(t)
	for i := range bound + 1 {
		p.on(0, 0, journal.Outbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"p"}}`, i))
		p.on(0, 0, journal.Inbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required","requestState":"s%d"}}`, i, i))
	}
	linked := func(i int) bool {
		p.on(0, 0, journal.Outbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","method":"prompts/get","params":{"name":"p","requestState":"s%d"}}`, i))
		p.on(0, 0, journal.Inbound, `{"jsonrpc":"2.0","id":"r","result":{}}`)
		return strings.Contains(p.sink.last(), `"leg_of":`)
	}
	if linked(0) {
		t.Error("the oldest interim result is still known")
	}
	if !linked(1) || !linked(bound) {
		t.Error("a newer interim result is not known")
	}
}

// Progress tokens of tasks outlive their request, but not for ever.
func TestTokensOfTasksAreForgotten(t *testing.T) {
	const bound = 4_096
	p := newPlayer(t)
	for i := range bound + 1 {
		p.on(0, 0, journal.Outbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","task":{},"_meta":{"progressToken":%d}}}`, i, i))
		p.on(0, 0, journal.Inbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"task":{}}}`, i))
	}
	for _, token := range []int{0, 1, bound} {
		p.on(0, 0, journal.Inbound, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d}}`, token))
	}
	p.c.End(p.now, recorder.Exit{})
	wantInEnd(t, p.sink, `"progress":1`)
}

// More names than are remembered change nothing about what is stored.
func TestManyToolNames(t *testing.T) {
	p := newPlayer(t)
	for i := range 3_000 {
		name := fmt.Sprintf("tool_%d", i%1_500)
		p.on(0, 0, journal.Outbound, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, name))
		p.on(0, 0, journal.Inbound, pong(1))
		if !strings.Contains(p.sink.last(), `"tool":"`+name+`"`) {
			t.Fatalf("%s is stored as %s", name, p.sink.last())
		}
	}
}

// What HTTP needs of a Capture.
func TestCaptureOfExchanges(t *testing.T) {
	g := newRig(t)
	c := recorder.NewCapture(&g.o)
	scan := wire.NewScanner(nil)
	r := recorder.Read{Channel: 1, Direction: journal.Outbound}
	for i := range 3 {
		r.Exchange, r.At = uint64(i), time.Now()
		c.Frame(r, scan.ScanBody([]byte(ping(i))))
	}
	r.Exchange = 0
	c.CloseExchange(r, recorder.Withdrawn)
	r.Exchange = 1
	c.FailExchange(r, 502, 0)
	c.CloseChannel(1, time.Now(), recorder.Unread)
	c.End(time.Now(), recorder.NoExit)
	events := g.wantTypes("capture", "call", "call", "call", "end")
	for i, want := range []journal.Outcome{journal.OutcomeCancelled, journal.OutcomeError, journal.OutcomeUnknown} {
		if got := events[i+1].Body.(*journal.Call).Outcome; got != want {
			t.Errorf("call %d is %v, want %v", i, got, want)
		}
	}
}

// A panic outside the Capture, in what feeds it, ends the recording too.
func TestPanicOfLines(t *testing.T) {
	g := newRig(t)
	bad := false
	g.o.Now = func() time.Time {
		if bad {
			panic(canaryWord)
		}
		return time.Now()
	}
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	chunk(l, out, ping(1)+"\n")
	bad = true
	l.Gap(out, 1, 1)
	l.Gap(out, 1, 1)
	chunk(l, out, ping(1)+"\n")
	l.Done(process.Exit{}, time.Now())
	g.wantReport("internal error in the recorder")
}
