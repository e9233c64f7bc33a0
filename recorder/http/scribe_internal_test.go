package httpshim

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
)

// desk is a scribe over a temporary store that records only when told to.
type desk struct {
	t     *testing.T
	store string
	q     *queue
	s     *scribe
	now   time.Time
	n     uint64
}

func newDesk(t *testing.T, queueBytes int64) *desk {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	server, err := sanitize.NewLabel("demo")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, store: t.TempDir(), now: time.Now()}
	o := Options{
		Now:    func() time.Time { return d.now },
		Report: func(line string) { t.Errorf("reported %q", line) },
		Capture: recorder.CaptureOptions{
			Open:   func() (recorder.Store, error) { return recorder.Store{Dir: d.store, Salt: sanitize.Salt{3}}, nil },
			Server: server, Version: server, Recorder: journal.RecorderShimHTTP, Kind: journal.Real,
		},
	}.withDefaults()
	d.q = newQueue(queueBytes)
	d.s = newScribe(d.q, &o)
	return d
}

func (d *desk) exchange(session string) *exchange {
	d.n++
	x := &exchange{queue: d.q, now: d.s.now, number: d.n, method: "POST", path: "/", endpoint: true}
	if session != "" {
		x.session[0] = session[0]
	}
	return x
}

func (d *desk) record() { d.s.drain(nil) }

// events ends the captures and tells each in short.
func (d *desk) events() (short []string) {
	d.record()
	d.s.captures.endAll(d.now)
	err := filepath.WalkDir(d.store, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		decoder := journal.NewDecoder()
		for line := range bytes.Lines(data) {
			var ev journal.Event
			if err := decoder.Decode(journal.FileCapture, bytes.TrimSuffix(line, []byte("\n")), &ev); err != nil {
				return err
			}
			switch b := ev.Body.(type) {
			case *journal.Call:
				short = append(short, b.Method.String()+" "+b.Outcome.String())
			case *journal.Gap:
				short = append(short, fmt.Sprintf("gap %v %v", b.Outbound, b.Inbound))
			case *journal.Notification:
				short = append(short, b.Method.String())
			case *journal.Unparsed:
				short = append(short, "unparsed")
			}
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return short
}

func call(id int) []byte { return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

const note = `{"jsonrpc":"2.0","method":"notifications/message"}`

func event(data string) []byte { return []byte("data: " + data + "\n\n") }

// What does not fit into the queue is a gap at its place, and a request whose
// answer may have been in it is unknown.
func TestGapInAStream(t *testing.T) {
	d := newDesk(t, 1000)
	x := d.exchange("s")
	x.begin(call(1), d.now)
	x.answer(head{status: 200, form: stream}, d.now)
	x.piece(event(note), 1, d.now)
	filler := d.exchange("s")
	filler.begin(make([]byte, 850), d.now)
	x.piece(event(strings.Repeat("x", 300)), 1, d.now)  // lost
	x.piece([]byte("data: "+note[:10]), 0, d.now)       // fits, but is behind a hole
	x.piece([]byte(strings.Repeat("y", 300)), 0, d.now) // lost
	d.record()
	x.piece(append([]byte("tail\n\n"), event(note)...), 2, d.now) // the rest of an event, and a whole one
	x.finish(end{})
	filler.finish(end{})
	want := []string{
		"notifications/message",
		"unparsed", // the filler
		"gap {0 0} {1 308}",
		"gap {0 0} {0 300}",
		"notifications/message",
		"ping unknown",
	}
	if diff := cmp.Diff(want, d.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if n, c := d.q.bytes.Load(), d.q.count.Load(); n != 0 || c != 0 {
		t.Errorf("%d bytes and %d items are left", n, c)
	}
}

// The first event behind a hole that is no message is the rest of one.
func TestGapCutsAnEvent(t *testing.T) {
	d := newDesk(t, 400)
	x := d.exchange("s")
	x.begin(call(1), d.now)
	x.answer(head{status: 200, form: stream}, d.now)
	x.piece([]byte(strings.Repeat("y", 500)), 0, d.now)
	x.piece([]byte("\ndata: rest\n\n"), 1, d.now)
	x.piece(event(note), 1, d.now)
	x.finish(end{})
	want := []string{"gap {0 0} {0 500}", "gap {0 0} {1 4}", "notifications/message", "ping unknown"}
	if diff := cmp.Diff(want, d.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestGapOfARequest(t *testing.T) {
	d := newDesk(t, 30)
	x := d.exchange("s")
	x.begin(call(1), d.now)
	x.answer(head{status: 200, form: json}, d.now)
	x.body([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), d.now)
	x.finish(end{})
	if diff := cmp.Diff([]string{"gap {1 40} {0 0}", "gap {0 0} {1 36}"}, d.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// With a backlog of exchanges, whole ones are lost, and counted for the session
// that lost them.
func TestBacklog(t *testing.T) {
	d := newDesk(t, 64<<20)
	first := d.exchange("s")
	first.begin(call(1), d.now)
	for range maxBacklog {
		x := d.exchange("s")
		x.begin(nil, d.now)
	}
	lost := d.exchange("t")
	lost.begin(call(2), d.now)
	lost.answer(head{status: 200, form: json}, d.now)
	lost.body([]byte("{}"), d.now)
	lost.finish(end{})
	first.answer(head{status: 200, form: json}, d.now)
	first.body([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), d.now)
	first.finish(end{})
	got := d.events() // of two captures
	slices.Sort(got)
	if diff := cmp.Diff([]string{"gap {1 40} {1 2}", "ping ok"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A bug in the recorder ends the recording, says so once, and nothing else.
func TestBugEndsRecordingOnly(t *testing.T) {
	d := newDesk(t, 1000)
	var reported []string
	d.s.report = func(line string) { reported = append(reported, line) }
	for range 2 {
		x := d.exchange("s")
		x.begin(call(1), d.now)
		d.s.scanner = nil
		x.finish(end{})
		d.record()
	}
	if diff := cmp.Diff([]string{panicLine}, reported); diff != "" {
		t.Error(diff)
	}
	if n := d.q.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
	for r := range d.s.captures.open { // the test's own tidying
		if r.used {
			r.capture.End(d.now, recorder.NoExit)
		}
	}
}
