package recorder_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/stdio"
)

// rig is a Capture over a temporary store, and what it reported.
type rig struct {
	t        testing.TB
	dir      string
	reported []string
	o        recorder.CaptureOptions
}

func newRig(t testing.TB) *rig {
	g := &rig{t: t, dir: t.TempDir()}
	label := func(s string) sanitize.Label {
		l, err := sanitize.NewLabel(s)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	g.o = recorder.CaptureOptions{
		Open:     func() (recorder.Store, error) { return recorder.Store{Dir: g.dir, Salt: sanitize.Salt{3}}, nil },
		Report:   func(line string) { g.reported = append(g.reported, line) },
		Session:  "agent-1",
		Server:   label("demo"),
		Version:  label("0.0.0"),
		Recorder: journal.RecorderShim,
		Kind:     journal.Real,
	}
	return g
}

// files are the paths of the store's files.
func (g *rig) files() (paths []string) {
	err := filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return paths
}

// events decodes the one log of the store.
func (g *rig) events() (events []journal.Event) {
	g.t.Helper()
	paths := g.files()
	if len(paths) != 1 {
		g.t.Fatalf("%d files in the store, want 1", len(paths))
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		g.t.Fatal(err)
	}
	d := journal.NewDecoder()
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		var ev journal.Event
		if err := d.Decode(journal.FileCapture, line, &ev); err != nil {
			g.t.Fatalf("line %d: %v", i+1, err)
		}
		events = append(events, ev)
	}
	return events
}

func types(events []journal.Event) (names []string) {
	for _, ev := range events {
		names = append(names, ev.Body.Type().String())
	}
	return names
}

func (g *rig) wantTypes(want ...string) []journal.Event {
	g.t.Helper()
	events := g.events()
	if diff := cmp.Diff(want, types(events)); diff != "" {
		g.t.Errorf("events (-want +got):\n%s", diff)
	}
	return events
}

// wantSoon is wantTypes for a capture that goes on: writing has its own
// goroutine.
func (g *rig) wantSoon(want ...string) {
	g.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if cmp.Equal(want, types(g.events())) {
			return
		}
	}
	g.wantTypes(want...)
}

func (g *rig) wantReport(want string) {
	g.t.Helper()
	if len(g.reported) != 1 || !strings.Contains(g.reported[0], want) || strings.ContainsRune(g.reported[0], '\n') {
		g.t.Errorf("reported %q, want one line with %q", g.reported, want)
	}
}

const (
	out = journal.Outbound
	in  = journal.Inbound
)

func chunk(l *recorder.Lines, d journal.Direction, data string) {
	at := time.Now()
	l.Chunk(d, []byte(data), at, at.Add(time.Microsecond))
}

func TestLinesRecordAnOrderlySession(t *testing.T) {
	g := newRig(t)
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	if got := g.files(); len(got) != 0 {
		t.Fatalf("files before the first event: %v", got)
	}
	chunk(l, out, "\xef\xbb\xbf"+ping(1)[:9])
	chunk(l, out, ping(1)[9:]+"\r\n\r\n")
	chunk(l, in, "banner\n"+pong(1)+"\n"+ping(1))
	l.Event(stdio.ServerEOF, time.Now()) // an unterminated line is a frame too
	l.Event(stdio.ClientEOF, time.Now())
	l.Event(stdio.ChildExited, time.Now())
	l.Idle(time.Now())
	g.wantSoon("capture", "unparsed", "call", "pending")
	l.Done(process.Exit{Code: 3}, time.Now())
	events := g.wantTypes("capture", "unparsed", "call", "pending", "call", "end")
	if got := events[0].Session; got != sanitize.SessionOf("agent-1") {
		t.Errorf("session is %v", got)
	}
	if got := events[2].Body.(*journal.Call); got.ShimSelfUS != 2 || got.Outcome != journal.OutcomeOK {
		t.Errorf("call is %+v", got)
	}
	end := events[5].Body.(*journal.End)
	if end.Events != 6 || end.ExitCode != 3 || end.Signal != 0 || end.Inbound.Frames != 3 {
		t.Errorf("end is %+v", end)
	}
	if len(g.reported) != 0 {
		t.Errorf("reported %q", g.reported)
	}
}

func TestSessionsAreMintedApart(t *testing.T) {
	seen := make(map[sanitize.Session]bool)
	for range 2 {
		g := newRig(t)
		g.o.Session = ""
		c := recorder.NewCapture(&g.o)
		if c.ID() != uuid.Nil {
			t.Error("a capture has an ID before it began")
		}
		c.End(time.Now(), recorder.NoExit)
		events := g.wantTypes("capture", "end")
		if c.ID() != events[0].Capture {
			t.Error("the capture's ID is not that of its events")
		}
		seen[events[0].Session] = true
	}
	if len(seen) != 2 {
		t.Error("two processes share a minted session")
	}
}

// Wherever a stream is cut by a gap, the lines before and after it are whole
// or counted, and nothing is taken for noise of the server.
func TestLinesAfterAGap(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after string
		lost          int64 // newlines among the lost bytes
		types         []string
		frames        int64 // of all gaps
	}{
		{"between lines", ping(1) + "\n", ping(2) + "\n", 2, []string{"gap", "call", "call"}, 2},
		{"the next line is cut", ping(1) + "\n", ping(2)[5:] + "\n" + ping(3) + "\n", 0, []string{"gap", "gap", "call", "call"}, 1},
		{"the last line is cut", ping(1) + "\n" + ping(2)[:9], ping(3) + "\n", 1, []string{"gap", "call", "call"}, 1},
		{"both are cut", ping(1)[:9], ping(2)[9:] + "\n" + ping(3) + "\n", 1, []string{"gap", "gap", "call"}, 2},
		{"inside one line", ping(1)[:9], ping(1)[20:] + "\n" + ping(3) + "\n", 0, []string{"gap", "gap", "call"}, 1},
		{"cut at the end", ping(1)[:9], ping(1)[20:], 0, []string{"gap", "gap"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newRig(t)
			l := recorder.NewLines(recorder.NewCapture(&g.o))
			chunk(l, out, test.before)
			l.Gap(out, test.lost, 100)
			chunk(l, out, test.after)
			l.Done(process.Exit{}, time.Now())
			want := append(append([]string{"capture"}, test.types...), "end")
			var frames int64
			for _, ev := range g.wantTypes(want...) {
				if gap, ok := ev.Body.(*journal.Gap); ok {
					frames += gap.Outbound.Frames
				}
			}
			if frames != test.frames {
				t.Errorf("%d frames are said to be missing, want %d", frames, test.frames)
			}
		})
	}
}

func TestClientGoneIsAcknowledgedAtOnce(t *testing.T) {
	for _, kind := range []stdio.EventKind{stdio.ClientEOF, stdio.ClientGone, stdio.Signalled} {
		g := newRig(t)
		l := recorder.NewLines(recorder.NewCapture(&g.o))
		chunk(l, out, ping(1)+"\n")
		l.Event(kind, time.Now())
		g.wantTypes("capture", "pending")
		chunk(l, in, ping(1)+"\n") // a server that asks after the end
		l.Idle(time.Now())
		l.Done(process.Exit{}, time.Now())
		g.wantTypes("capture", "pending", "call", "call", "end")
	}
}

func TestHomeThatCannotBeUsed(t *testing.T) {
	g := newRig(t)
	opened := 0
	g.o.Open = func() (recorder.Store, error) {
		opened++
		return recorder.Store{}, errors.New("resolve home: no HOME\nin\x1b[31m")
	}
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	l.Idle(time.Now())
	for range 3 {
		chunk(l, out, ping(1)+"\n")
		l.Gap(in, 1, 1)
	}
	l.Event(stdio.ClientEOF, time.Now())
	l.Done(process.Exit{}, time.Now())
	g.wantReport("mcpeval: not recording: resolve home: no HOME?in?[31m")
	if opened != 1 || len(g.files()) != 0 {
		t.Errorf("opened %d times, files %v", opened, g.files())
	}

	g = newRig(t)
	g.dir = filepath.Join(g.dir, "a file", "x")
	if err := os.WriteFile(filepath.Dir(g.dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	recorder.NewCapture(&g.o).End(time.Now(), recorder.NoExit)
	g.wantReport("mcpeval: not recording: create capture: ")
}

// A full disk ends the recording, never the traffic; what is missing is said
// once, and what was acknowledged stays readable.
func TestDiskFull(t *testing.T) {
	for _, short := range []int{0, 10} {
		g := newRig(t)
		noSpace := errors.New("no space left")
		var full atomic.Bool
		refused := make(chan struct{})
		g.o.Write = func(f *os.File, p []byte) (int, error) {
			if full.Load() {
				n, _ := f.Write(p[:short])
				close(refused) // once: nothing may be written after it
				return n, noSpace
			}
			return f.Write(p)
		}
		l := recorder.NewLines(recorder.NewCapture(&g.o))
		chunk(l, out, ping(1)+"\n")
		chunk(l, in, pong(1)+"\n")
		l.Idle(time.Now())
		g.wantSoon("capture", "call")
		full.Store(true)
		chunk(l, out, ping(2)+"\n")
		chunk(l, in, pong(2)+"\n")
		l.Idle(time.Now())
		<-refused
		full.Store(false) // too late: nothing may follow a torn line
		chunk(l, out, ping(3)+"\n")
		chunk(l, in, pong(3)+"\n")
		l.Done(process.Exit{}, time.Now())
		g.wantReport("mcpeval: recording stopped early: " + noSpace.Error() + "; 3 events were not recorded")

		data, err := os.ReadFile(g.files()[0])
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(data, []byte("\n")); lines != 2 || len(data)-bytes.LastIndexByte(data, '\n')-1 != short {
			t.Errorf("%d whole lines and %d bytes after them", lines, len(data)-bytes.LastIndexByte(data, '\n')-1)
		}
	}
}

func TestPanicEndsTheRecordingOnly(t *testing.T) {
	var g *rig
	for _, always := range []bool{false, true} { // on the writing goroutine, and on the recording one
		g = newRig(t)
		g.o.SyncAlways = always
		calls := 0
		g.o.Write = func(f *os.File, p []byte) (int, error) {
			if calls++; calls > 1 {
				panic("secret " + canaryWord)
			}
			return f.Write(p)
		}
		l := recorder.NewLines(recorder.NewCapture(&g.o))
		for i := range 3 {
			chunk(l, out, ping(i)+"\n")
			chunk(l, in, pong(i)+"\n")
			l.Idle(time.Now())
		}
		l.Done(process.Exit{}, time.Now())
		g.wantReport("internal error in the recorder")
		if strings.Contains(g.reported[0], canaryWord) {
			t.Error("the panic's value was reported")
		}
		g.wantTypes("capture")
	}

	g = newRig(t)
	g.o.Open = func() (recorder.Store, error) { panic(canaryWord) }
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	chunk(l, out, ping(1)+"\n")
	l.Done(process.Exit{}, time.Now())
	g.wantReport("internal error in the recorder")
}

func TestSyncAlways(t *testing.T) {
	g := newRig(t)
	g.o.SyncAlways = true
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	chunk(l, out, ping(1)+"\n")
	chunk(l, in, pong(1)+"\n")
	l.Idle(time.Now())
	g.wantTypes("capture", "call")
	l.Done(process.Exit{}, time.Now())
	g.wantTypes("capture", "call", "end")
}

// Byte cases of the field: what each line is, and that nothing shifts it.
func TestLinesOfTheField(t *testing.T) {
	for _, test := range []struct {
		name, in string
		types    []string
	}{
		{"F01 banner", "🖥️ Server mode: STDIO\n", []string{"unparsed"}},
		{"F02 noise with a bracket", "[02/11/26 06:14:35] INFO Starting server\n", []string{"unparsed"}},
		{"F02 noise in JSON", `{"level":"info","msg":"ready"}` + "\n", []string{"unparsed"}},
		{"F04 blank lines", "\n   \n\r\n", nil},
		{"F05 CRLF", ping(1) + "\r\n" + ping(2) + "\n", []string{"call", "call"}},
		{"F11 cp1252", `{"jsonrpc":"2.0","id":1,"method":"Messger` + "\xe4t" + `"}` + "\n" + ping(2) + "\n", []string{"unparsed", "call"}},
		{"F12 byte order mark", "\xef\xbb\xbf" + ping(1) + "\n", []string{"call"}},
		{"F16 characters that encoders escape", `{"jsonrpc":"2.0","id":"<>& ","method":"ping"}` + "\n", []string{"call"}},
		{"F17 big integers", `{"jsonrpc":"2.0","id":1915883588174806058,"method":"ping"}` + "\n", []string{"call"}},
		{"F27 a batch", "[" + ping(1) + "," + ping(2) + "]\n[]\n", []string{"unparsed", "call", "call"}},
		{"F28 a method in another case", `{"jsonrpc":"2.0","id":1,"Method":"tools/call"}` + "\n", []string{"unparsed"}},
		{"no newline at the end", ping(1), []string{"call"}},
		{"torn at the end", ping(1)[:20], []string{"unparsed"}},
	} {
		for _, d := range []journal.Direction{out, in} {
			t.Run(test.name+" "+d.String(), func(t *testing.T) {
				for _, size := range []int{1, 7, 1 << 20} {
					g := newRig(t)
					l := recorder.NewLines(recorder.NewCapture(&g.o))
					for rest := test.in; rest != ""; {
						n := min(size, len(rest))
						chunk(l, d, rest[:n])
						rest = rest[n:]
					}
					l.Done(process.Exit{}, time.Now())
					g.wantTypes(append(append([]string{"capture"}, test.types...), "end")...)
				}
			})
		}
	}
}

func TestIdleKeepsEvidence(t *testing.T) {
	g := newRig(t)
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	chunk(l, out, ping(1)+"\n")
	l.Idle(time.Now().Add(9 * time.Second))
	l.Idle(time.Now().Add(10 * time.Second))
	g.wantSoon("capture", "pending")
	l.Done(process.Exit{}, time.Now())
	events := g.wantTypes("capture", "pending", "call", "end")
	if got := events[2].Body.(*journal.Call); got.Pending != events[1].ID || got.Outcome != journal.OutcomeUnanswered {
		t.Errorf("call is %+v", got)
	}
}

// While the disk does not answer, recording goes on, and the end waits for it.
func TestSlowDisk(t *testing.T) {
	g := newRig(t)
	gate := make(chan struct{})
	var first atomic.Bool
	g.o.Write = func(f *os.File, p []byte) (int, error) {
		if first.CompareAndSwap(false, true) {
			return f.Write(p) // the capture event
		}
		<-gate
		return f.Write(p)
	}
	l := recorder.NewLines(recorder.NewCapture(&g.o))
	const calls = 5_000
	for i := range calls {
		chunk(l, out, ping(i)+"\n")
		chunk(l, in, pong(i)+"\n")
		l.Idle(time.Now())
	}
	g.wantTypes("capture")
	close(gate)
	l.Done(process.Exit{}, time.Now())
	if got := len(g.events()); got != calls+2 {
		t.Errorf("%d events, want %d", got, calls+2)
	}
}

func TestOpenStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	getenv := func(key string) string { return map[string]string{"MCPEVAL_HOME": dir}[key] }
	first, err := recorder.OpenStore(getenv, "linux")
	if err != nil {
		t.Fatal(err)
	}
	again, err := recorder.OpenStore(getenv, "linux")
	if err != nil || again != first || first.Dir != filepath.Join(dir, "store") || first.Salt == (sanitize.Salt{}) {
		t.Errorf("store is not the same again: %v", err)
	}
	if _, err := recorder.OpenStore(func(string) string { return "" }, "linux"); err == nil {
		t.Error("a store was found without a home")
	}
}

func TestEventsThatComeFromNoFrame(t *testing.T) {
	g := newRig(t)
	c := recorder.NewCapture(&g.o)
	id := c.Add(time.Now(), &journal.Notification{Origin: journal.FromClient, Method: sanitize.MethodOf([]byte("ping"))})
	c.End(time.Now(), recorder.NoExit)
	if events := g.wantTypes("capture", "notification", "end"); events[1].ID != id {
		t.Error("Add gave another ID")
	}
	if c.Add(time.Now(), &journal.Gap{}) != uuid.Nil {
		t.Error("an event was recorded after the end")
	}
}

func TestFramesFromManyGoroutines(t *testing.T) {
	g := newRig(t)
	c := recorder.NewCapture(&g.o)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			l := recorder.NewLines(c)
			for i := range 100 {
				chunk(l, out, ping(i)+"\n")
				l.Idle(time.Now())
			}
		})
	}
	wg.Wait()
	c.End(time.Now(), recorder.NoExit)
	for i, ev := range g.events() {
		if ev.Seq != int64(i+1) {
			t.Fatalf("event %d has sequence %d", i+1, ev.Seq)
		}
	}
}
