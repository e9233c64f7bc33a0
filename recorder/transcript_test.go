package recorder_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

var update = flag.Bool("update", false, "rewrite the expected events of testdata/transcripts")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// memorySink keeps the events as text, with IDs that count from 1.
type memorySink struct {
	n     int
	lines [][]byte
	calls map[string]int // by outcome
	types map[string]int
	err   error
}

func newMemorySink() *memorySink {
	return &memorySink{calls: make(map[string]int), types: make(map[string]int)}
}

// eventID is the ID of the n-th event.
func eventID(n int) (id uuid.UUID) {
	id[0], id[1], id[2], id[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	id[6], id[8] = 0x70, 0x80
	return id
}

func (s *memorySink) Add(ts time.Time, b journal.Body) (uuid.UUID, error) {
	if s.err != nil {
		return uuid.Nil, s.err
	}
	s.n++
	s.types[b.Type().String()]++
	if call, ok := b.(*journal.Call); ok {
		s.calls[call.Outcome.String()]++
	}
	ev := journal.Event{ID: eventID(s.n), Seq: int64(s.n), TS: ts, Kind: journal.Real, Body: b}
	s.lines = append(s.lines, journal.AppendEvent(nil, &ev))
	return ev.ID, nil
}

// text shows the events: their number, the milliseconds since epoch, and what
// depends on the type. Event IDs are shown as #number.
func (s *memorySink) text() string {
	var out strings.Builder
	for i, line := range s.lines {
		_, rest, _ := bytes.Cut(line, []byte(`"ts":"`))
		stamp, rest, _ := bytes.Cut(rest, []byte(`"`))
		at, err := time.Parse(time.RFC3339Nano, string(stamp))
		if err != nil {
			panic(err)
		}
		_, rest, _ = bytes.Cut(rest, []byte(`"type":`))
		body := strings.TrimSuffix(string(rest), "}")
		for n := i + 1; n > 0; n-- {
			body = strings.ReplaceAll(body, eventID(n).String(), "#"+strconv.Itoa(n))
		}
		fmt.Fprintf(&out, "#%d @%d %s\n", i+1, at.Sub(epoch).Milliseconds(), body)
	}
	return out.String()
}

// player feeds transcripts to a Correlator. A line is
//
//	> JSON      client to server
//	< JSON      server to client
//	! COMMAND   at MS | tick | gone | gap OUT/BYTES IN/BYTES | end [code=N] [signal=N] [killed]
//
// Each frame is read a millisecond after what came before, and takes 100 us and
// 50 us of the recorder's time.
type player struct {
	t    testing.TB
	sink *memorySink
	c    *recorder.Correlator
	scan *wire.Scanner
	now  time.Time
}

func newPlayer(t testing.TB) *player {
	sink := newMemorySink()
	return &player{
		t: t, sink: sink, scan: wire.NewScanner(nil), now: epoch,
		c: recorder.NewCorrelator(sink, sanitize.New(sanitize.Salt{1})),
	}
}

func (p *player) play(transcript string) {
	p.t.Helper()
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case ">":
			p.frame(journal.Outbound, rest)
		case "<":
			p.frame(journal.Inbound, rest)
		case "!":
			p.command(strings.Fields(rest))
		case "":
		default:
			p.t.Fatalf("bad line %q", line)
		}
	}
}

func (p *player) frame(d journal.Direction, line string) {
	p.now = p.now.Add(time.Millisecond)
	r := recorder.Read{Direction: d, At: p.now, Self: 100 * time.Microsecond}
	if d == journal.Inbound {
		r.Self = 50 * time.Microsecond
	}
	p.scan.Feed([]byte(line+"\n"), func(f *wire.Frame) { p.c.Frame(r, f) })
}

func (p *player) command(words []string) {
	p.t.Helper()
	switch words[0] {
	case "at":
		ms, err := strconv.Atoi(words[1])
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = epoch.Add(time.Duration(ms) * time.Millisecond)
	case "tick":
		p.c.Tick(p.now)
	case "gone":
		p.c.ClientGone(p.now)
	case "gap":
		var out, in journal.Traffic
		if _, err := fmt.Sscanf(words[1]+" "+words[2], "%d/%d %d/%d", &out.Frames, &out.Bytes, &in.Frames, &in.Bytes); err != nil {
			p.t.Fatal(err)
		}
		p.c.Gap(p.now, out, in)
	case "end":
		exit := recorder.Exit{}
		for _, w := range words[1:] {
			var n int
			switch key, value, _ := strings.Cut(w, "="); key {
			case "killed":
				exit.Killed = true
			default:
				if _, err := fmt.Sscanf(value, "%d", &n); err != nil {
					p.t.Fatal(err)
				}
				if key == "code" {
					exit.Code = n
				} else {
					exit.Signal = n
				}
			}
		}
		p.c.End(p.now, exit)
	default:
		p.t.Fatalf("bad command %q", words)
	}
}

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			in, want := archive.Files[i], &archive.Files[i+1]
			name := strings.TrimSuffix(in.Name, ".in")
			if want.Name != name+".want" {
				t.Fatalf("%s: %s is not followed by its events", file, in.Name)
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				p := newPlayer(t)
				p.play(string(in.Data))
				got := p.sink.text()
				if *update {
					want.Data = []byte(got)
				}
				if diff := cmp.Diff(string(want.Data), got); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
