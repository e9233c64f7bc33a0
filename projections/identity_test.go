package projections_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// read runs f over the index.
func read[T any](t testing.TB, h *home.Home, f func(*sqlite.Conn) (T, error)) (v T) {
	t.Helper()
	err := index.Read(context.Background(), h.IndexPath(), func(conn *sqlite.Conn) (err error) {
		v, err = f(conn)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func allCalls(t testing.TB, h *home.Home) []query.Call {
	t.Helper()
	return read(t, h, func(conn *sqlite.Conn) ([]query.Call, error) { return query.Calls(conn, query.Filter{}, 0) })
}

// small is a capture with a few calls.
func small(g *ids, session, server string) *capture {
	c := g.capture(session, server)
	c.add(g, call("a", journal.OutcomeOK))
	c.add(g, call("b", journal.OutcomeError))
	c.add(g, &journal.End{ExitCode: 0})
	return c
}

// A copied event counts once, and stands at the smallest place, whichever file
// was indexed first.
func TestCopiedEventCountsOnce(t *testing.T) {
	g := &ids{}
	c := small(g, "s", "demo")
	for _, tt := range []struct {
		name          string
		first, second string // path of the file that is indexed first, of its copy
		want          string
	}{
		{"the copy has a larger path", c.path, "zz.jsonl", c.path},
		{"the copy has a smaller path", c.path, "aa.jsonl", "aa.jsonl"},
		{"legacy file with schema lines", c.path, "calls-old.jsonl", "calls-old.jsonl"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			put(t, h, tt.first, c.text)
			if res := refresh(t, h); res.Calls != 2 || res.Failures != 1 || res.Captures != 1 {
				t.Fatalf("first: %+v", res)
			}
			put(t, h, tt.second, append(append([]byte(nil), c.text...), c.text[:strings.IndexByte(string(c.text), '\n')+1]...))
			res := refresh(t, h)
			if res.Calls != 2 || res.Captures != 1 || res.New != 0 || res.Copies != 5 || res.Full {
				t.Errorf("second: %+v", res)
			}
			for i, call := range allCalls(t, h) {
				if call.File != tt.want || call.Line != int64(i+2) {
					t.Errorf("call %d stands at %s:%d, want %s:%d", i, call.File, call.Line, tt.want, i+2)
				}
			}
			sameAsRebuilt(t, h)
		})
	}
}

// Every breach refuses the whole ingest, names both places, and leaves index.db
// as it was, byte for byte.
func TestConflicts(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule projections.Rule
		// bend makes a second file that conflicts with line 2 of c.
		bend  func(g *ids, c *capture) *capture
		lines string // lines of both places
	}{
		{"same event ID, other content", projections.RuleContent, func(g *ids, c *capture) *capture {
			d := *c
			d.text = nil
			d.ev.ID, d.ev.Seq = eventID(c, 2), 2
			d.ev.Body = call("other", journal.OutcomeOK)
			d.line()
			return &d
		}, "2 1"},
		{"same event ID in another capture", projections.RuleContent, func(g *ids, c *capture) *capture {
			d := g.capture("s", "demo")
			d.ev.ID, d.ev.Seq, d.ev.Body = eventID(c, 2), 2, call("a", journal.OutcomeOK)
			d.line()
			return d
		}, "2 2"},
		{"two events on one sequence number", projections.RuleSequence, func(g *ids, c *capture) *capture {
			d := *c
			d.text = nil
			d.ev.Seq = 1
			d.add(g, call("a", journal.OutcomeOK))
			return &d
		}, "2 1"},
		{"two capture events on one sequence number", projections.RuleSequence, func(g *ids, c *capture) *capture {
			d := *c
			d.text, d.ev.Seq, d.ev.Prev = nil, 0, journal.Prev{}
			d.add(g, &journal.CaptureStart{Recorder: journal.RecorderShim, Version: label("2"), OS: label("x"), Arch: label("y"), SaltID: saltID()})
			return &d
		}, "1 1"},
		{"one capture in two sessions", projections.RuleSession, func(g *ids, c *capture) *capture {
			d := *c
			d.text = nil
			d.ev.Session = sanitize.SessionOf("other")
			d.ev.Seq = 90
			d.add(g, call("a", journal.OutcomeOK))
			return &d
		}, "1 1"},
		{"one capture with two servers", projections.RuleServer, func(g *ids, c *capture) *capture {
			d := *c
			d.text = nil
			d.ev.Server = label("other")
			d.ev.Seq = 90
			d.add(g, call("a", journal.OutcomeOK))
			return &d
		}, "1 1"},
	} {
		for _, alone := range []bool{false, true} { // the second file comes in a cycle of its own
			t.Run(fmt.Sprintf("%s/alone=%v", tt.name, alone), func(t *testing.T) {
				t.Parallel()
				g := &ids{}
				h := newHome(t)
				base := small(g, "s", "demo")
				put(t, h, "captures/2026-11-30/base.jsonl", base.text)
				refresh(t, h)
				reader := hold(t, h)
				reader.ask("begin")
				extra := small(g, "s", "demo")
				put(t, h, "captures/2026-11-30/extra.jsonl", extra.text)
				refresh(t, h) // with a reader open: its rows stay in the log
				content, seen := digest(t, h), reader.ask("look")
				reader.ask("end")
				if alone {
					reader.close() // the log stays, and the refused writer is the last to close
				}
				before := sum(t, h)

				first, firstPath := base, "captures/2026-11-30/base.jsonl"
				if !alone {
					first, firstPath = small(g, "s", "demo"), "captures/2026-11-30/new.jsonl"
					put(t, h, firstPath, first.text)
				}
				put(t, h, "captures/2026-11-30/zz.jsonl", tt.bend(g, first).text)
				for range 2 {
					_, err := projections.Refresh(context.Background(), h, nil)
					var conflict *projections.ConflictError
					if !errors.As(err, &conflict) {
						t.Fatalf("got %v, want a conflict", err)
					}
					places := fmt.Sprintf("%d %d", conflict.A.Line, conflict.B.Line)
					if conflict.Rule != tt.rule || conflict.A.Path != firstPath || conflict.B.Path != "captures/2026-11-30/zz.jsonl" || places != tt.lines {
						t.Errorf("got %v (%v)", conflict, conflict.Rule)
					}
					if want := "mcpeval journal quarantine captures/2026-11-30/zz.jsonl"; conflict.Next() != want {
						t.Errorf("next step %q, want %q", conflict.Next(), want)
					}
				}
				if sum(t, h) != before {
					t.Error("index.db has other bytes after the refusal")
				}
				if digest(t, h) != content || !alone && reader.ask("look") != content {
					t.Error("the index has other content after the refusal")
				}
				if seen == content {
					t.Error("the reader's snapshot should have been an older one")
				}
				// With the file out of the way, the numbers burnt do no harm.
				put(t, h, "captures/2026-11-30/zz.jsonl", nil)
				refresh(t, h)
				sameAsRebuilt(t, h)
			})
		}
	}
}

// eventID is the ID of the event on a line of a capture, from 1.
func eventID(c *capture, line int) (id [16]byte) {
	var ev journal.Event
	text := strings.Split(string(c.text), "\n")[line-1]
	if err := journal.NewDecoder().Decode(journal.FileCapture, []byte(text), &ev); err != nil {
		panic(err)
	}
	return ev.ID
}

func TestConflictOnFirstIndexLeavesNone(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := small(g, "s", "demo")
	c.write(t, h)
	d := *c
	d.text = nil
	d.ev.Server, d.ev.Seq = label("other"), 90
	d.add(g, call("a", journal.OutcomeOK))
	put(t, h, "zz.jsonl", d.text)
	var conflict *projections.ConflictError
	if _, err := projections.Refresh(context.Background(), h, nil); !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if _, err := projections.Digest(context.Background(), h); !errors.Is(err, index.ErrNone) {
		t.Errorf("digest: %v, want ErrNone", err)
	}
}

// Records without identity stay separate, however alike, and keep null IDs; one
// with an identity obeys the rules.
func TestLegacyRecords(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	line := `{"ts":"2025-01-02T03:04:05Z","session":"raw session","seq":1,"server":"old","method":"tools/call","tool":"t","latency_ms":7,"outcome":"ok","kind":"real"}` + "\n"
	named := fmt.Sprintf(`{"ts":"2025-01-02T03:04:06Z","session":"raw session","seq":2,"server":"old","method":"tools/call","tool":"t","outcome":"ok","kind":"real","identity":{"capture_id":"%s","event_id":"%s"}}`+"\n", g.uuid(4), g.uuid(7))
	put(t, h, "calls-1.jsonl", []byte(line+line+named+named))
	put(t, h, "probes/history.jsonl", []byte("{}\n{}\n"))
	res := refresh(t, h)
	if res.Calls != 3 || res.Captures != 1 || res.Copies != 1 || res.Skipped != 2 {
		t.Errorf("%+v", res)
	}
	calls := allCalls(t, h)
	var got []string
	for _, c := range calls {
		us, ms := "null", "null"
		if c.LatencyUS != nil {
			us = "set"
		}
		if c.LatencyMS != nil {
			ms = fmt.Sprint(*c.LatencyMS)
		}
		got = append(got, fmt.Sprintf("%s:%d id=%v us=%s ms=%s %.12s", c.File, c.Line, c.EventID != "" && c.CaptureID != "", us, ms, c.Session))
	}
	want := []string{
		"calls-1.jsonl:1 id=false us=null ms=7 session:" + calls[0].Session[8:12],
		"calls-1.jsonl:2 id=false us=null ms=7 session:" + calls[0].Session[8:12],
		"calls-1.jsonl:3 id=true us=null ms=null session:" + calls[0].Session[8:12],
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	sameAsRebuilt(t, h)
}
