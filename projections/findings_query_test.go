package projections_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

func noise() *journal.Unparsed { return &journal.Unparsed{Direction: journal.Inbound} }

// What makes each class, and what does not count as evidence.
func TestClasses(t *testing.T) {
	type in struct {
		h *home.Home
		g *ids
	}
	// both writes one capture in each of two sessions.
	both := func(t *testing.T, v in, recorder journal.RecorderKind, kind journal.Kind, f func(c *capture)) {
		for i, session := range []string{"one", "two"} {
			c := recorded(v.g, session, "demo", recorder, at(int64(100*i)))
			if kind != journal.Real {
				c.restart(v.g, kind)
			}
			f(c)
			c.write(t, v.h)
		}
	}
	failed := func(change func(c *journal.Call)) *journal.Call {
		c := call("t", journal.OutcomeError)
		change(c)
		return c
	}
	annotate := func(t *testing.T, v in, kind journal.AnnotationKind, target uuid.UUID) {
		c := recorded(v.g, "person", "demo", journal.RecorderAnnotate, at(1))
		c.add(v.g, &journal.Annotation{Target: target, Label: kind, Note: note("a remark")})
		c.write(t, v.h)
	}
	for _, tt := range []struct {
		name  string
		write func(t *testing.T, v in)
		want  []string // class, tool, code, failures/calls
	}{
		{"an error that comes back", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(c *journal.Call) { c.Error.Retryable = journal.False }))
			})
		}, []string{"recurring-error t tool-error 2/2"}},
		{"over HTTP as well", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShimHTTP, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(c *journal.Call) { c.Error.Retryable = journal.Absent }))
			})
		}, []string{"recurring-error t tool-error 2/2"}},
		{"a JSON-RPC error without text", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(c *journal.Call) {
					code, _ := sanitize.ParseCode([]byte("-32602"))
					c.Error = &journal.CallError{Code: code}
				}))
			})
		}, []string{"recurring-error t -32602 2/2"}},
		{"retryable, and it does not recover", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) { c.add(v.g, failed(func(*journal.Call) {})) })
		}, []string{"retry-did-not-recover t tool-error 2/2"}},
		{"retryable, and another tool answers", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(*journal.Call) {}))
				c.add(v.g, call("other", journal.OutcomeOK))
			})
		}, []string{"retry-did-not-recover t tool-error 2/2"}},
		{"retryable, and a retry answers", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(*journal.Call) {}))
				c.add(v.g, call("t", journal.OutcomeOK))
			})
		}, []string{"recovers-on-retry t tool-error 2/4"}},
		{"two codes", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(*journal.Call) {}))
				c.add(v.g, failed(func(c *journal.Call) { c.Error.Code, _ = sanitize.ParseCode([]byte(`"other"`)) }))
				c.add(v.g, failed(func(c *journal.Call) { c.Error.Code, _ = sanitize.ParseCode([]byte(`"other"`)) }))
			})
		}, []string{"unstable-error-code t other 6/6"}},
		{"never answered, cancelled, still pending", func(t *testing.T, v in) {
			i := 0
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				if i++; i == 1 {
					c.add(v.g, call("t", journal.OutcomeUnanswered))
					c.add(v.g, call("t", journal.OutcomeCancelled))
					return
				}
				c.add(v.g, pending("t"))
			})
		}, []string{"hung-call t unanswered 3/3"}},
		{"silent failures", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				annotate(t, v, journal.FalseSuccess, c.add(v.g, call("t", journal.OutcomeOK)))
			})
		}, []string{"false-success t  2/2"}},
		{"annotations of errors", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				annotate(t, v, journal.BlockedOptimalPath, c.add(v.g, failed(func(*journal.Call) {})))
			})
		}, []string{"blocked-optimal-path t tool-error 2/2"}},
		{"annotations that came before what they are about, in another cycle", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				annotate(t, v, journal.FalseSuccess, c.add(v.g, call("t", journal.OutcomeOK)))
				refresh(t, v.h)
			})
		}, []string{"false-success t  2/2"}},
		{"annotations of calls that were still open", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				p := c.add(v.g, pending("t"))
				annotate(t, v, journal.FalseSuccess, p)
				c.write(t, v.h)
				refresh(t, v.h)
				answer := call("t", journal.OutcomeOK)
				answer.Pending = p
				c.add(v.g, answer)
			})
		}, []string{"false-success t  2/2"}},
		{"noise on stdout: a failure a run, however many lines", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				for range 5 {
					c.add(v.g, noise())
				}
				c.add(v.g, call("t", journal.OutcomeOK))
			})
			quiet := recorded(v.g, "three", "demo", journal.RecorderShim, at(0))
			quiet.add(v.g, &journal.Unparsed{Direction: journal.Outbound})
			quiet.write(t, v.h)
		}, []string{"stdout-noise   2/3"}},
		{"noise over HTTP is none", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShimHTTP, journal.Real, func(c *capture) { c.add(v.g, noise()) })
		}, nil},
		{"what a client writes is no noise", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) { c.add(v.g, &journal.Unparsed{Direction: journal.Outbound}) })
		}, nil},
		{"probes are no evidence", func(t *testing.T, v in) {
			both(t, v, journal.RecorderProbe, journal.Synthetic, func(c *capture) {
				c.add(v.g, failed(func(*journal.Call) {}))
				c.add(v.g, noise())
				c.add(v.g, call("t", journal.OutcomeUnanswered))
			})
		}, nil},
		{"other requests and those of servers are no evidence", func(t *testing.T, v in) {
			both(t, v, journal.RecorderShim, journal.Real, func(c *capture) {
				c.add(v.g, failed(func(c *journal.Call) { c.Origin = journal.FromServer }))
				c.add(v.g, failed(func(c *journal.Call) {
					c.Method, c.Tool, c.Args = method("tools/list"), sanitize.Tool{}, sanitize.Shape{}
				}))
			})
		}, nil},
		{"records without identity", func(t *testing.T, v in) {
			put(t, v.h, "calls-1.jsonl", []byte(legacyLine("one", "demo", 1, "t", "error")+legacyLine("two", "demo", 1, "t", "error")))
		}, []string{"recurring-error t  2/2"}},
		{"records without identity that are annotated", func(t *testing.T, v in) {
			put(t, v.h, "calls-1.jsonl", []byte(legacyLine("one", "demo", 1, "t", "ok")+legacyLine("two", "demo", 1, "t", "ok")))
			var notes string
			for _, session := range []string{"one", "two"} {
				notes += fmt.Sprintf(`{"ts":"2025-01-01T00:00:00Z","session":%q,"seq":1,"kind":"false-success","note":"no"}`+"\n", session)
			}
			put(t, v.h, "annotations-1.jsonl", []byte(notes))
		}, []string{"false-success t  2/2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := in{newHome(t), &ids{}}
			tt.write(t, v)
			refresh(t, v.h)
			var got []string
			for _, f := range findingsOf(t, v.h) {
				got = append(got, fmt.Sprintf("%s %s %s %d/%d", f.Class, f.Tool, f.Code, f.Failures, f.Calls))
				if f.Hint == "" || f.State != query.StateOpen || f.Sessions != 2 {
					t.Errorf("%+v", f)
				}
				evidence := read(t, v.h, func(conn *sqlite.Conn) ([]query.FindingEvent, error) { return query.FindingEvidence(conn, f.ID) })
				if int64(len(evidence)) != f.Failures || int64(len(f.Evidence)) != f.Failures {
					t.Errorf("%d failures, evidence of %d and %d", f.Failures, len(evidence), len(f.Evidence))
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			sameAsRebuilt(t, v.h)
		})
	}
}

// Evidence is every failing call with its place, in visible order, and the
// same by SQL.
func TestFindingEvidence(t *testing.T) {
	h, g := newHome(t), &ids{}
	put(t, h, "calls-1.jsonl", []byte(`{"ts":"2025-01-01T00:00:00Z","session":"old","seq":4,"server":"demo","method":"tools/call","tool":"t","outcome":"error","kind":"real","error":{"template_id":"`+templateOfCall+`"}}`+"\n"))
	second := failing(t, h, g, "two", 20)
	first := failing(t, h, g, "one", 10)
	refresh(t, h)
	f := findingsOf(t, h)[0]
	if d := cmp.Diff([]*string{nil, text(first.String()), text(second.String())}, f.Evidence); d != "" {
		t.Error(d)
	}
	list := read(t, h, func(conn *sqlite.Conn) ([]query.FindingEvent, error) { return query.FindingEvidence(conn, f.ID) })
	if len(list) != 3 || list[0].EventID != nil || list[0].CaptureID != nil || list[0].Seq != 4 || list[0].Place().String() != "calls-1.jsonl:1" {
		t.Fatalf("%+v", list)
	}
	for i, id := range []uuid.UUID{first, second} {
		e := list[i+1]
		want := read(t, h, func(conn *sqlite.Conn) (*query.Evidence, error) { return query.EvidenceOf(conn, id.String()) })
		got := query.Evidence{
			EventID: *e.EventID, CaptureID: *e.CaptureID, Seq: e.Seq, TS: e.TS, Type: "call", File: e.File, Line: e.Line, Offset: e.Offset, Digest: e.Digest,
		}
		if d := cmp.Diff(want, &got); d != "" {
			t.Error(d)
		}
	}
	byHand := read(t, h, func(conn *sqlite.Conn) (list []string, err error) {
		err = sqlitex.Execute(conn, `SELECT coalesce(e.event_id, ''), c.tool FROM finding_events e JOIN calls c ON c.id = e.call_id
			WHERE e.finding_id = ? ORDER BY c.ts`, &sqlitex.ExecOptions{Args: []any{f.ID}, ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, s.ColumnText(0)+" "+s.ColumnText(1))
			return nil
		}})
		return list, err
	})
	if d := cmp.Diff([]string{" t", first.String() + " t", second.String() + " t"}, byHand); d != "" {
		t.Error(d)
	}
	if none := read(t, h, func(conn *sqlite.Conn) ([]query.FindingEvent, error) { return query.FindingEvidence(conn, "finding-0") }); len(none) > 0 {
		t.Errorf("%+v", none)
	}
}

func text(s string) *string { return &s }

// A finding carries its newest failures only, so that a list of findings stays
// small.
func TestEvidenceOfAFindingIsBounded(t *testing.T) {
	h, g := newHome(t), &ids{}
	failing(t, h, g, "one", 10)
	c := recorded(g, "two", "demo", journal.RecorderShim, at(100))
	var all []*string
	for range 120 {
		all = append(all, text(c.add(g, call("t", journal.OutcomeError)).String()))
	}
	c.write(t, h)
	refresh(t, h)
	f := findingsOf(t, h)[0]
	if d := cmp.Diff(all[20:], f.Evidence); d != "" || f.Failures != 121 {
		t.Errorf("%d failures: %s", f.Failures, d)
	}
	list := read(t, h, func(conn *sqlite.Conn) ([]query.FindingEvent, error) { return query.FindingEvidence(conn, f.ID) })
	if len(list) != 121 {
		t.Errorf("%d events", len(list))
	}
}

func TestFindingFilter(t *testing.T) {
	h, g := newHome(t), &ids{}
	for _, server := range []string{"alpha", "beta"} {
		for _, session := range []string{"one", "two"} {
			c := recorded(g, session, server, journal.RecorderShim, at(10))
			c.add(g, call("t", journal.OutcomeError))
			c.write(t, h)
		}
	}
	alpha := index.FindingID("alpha", "t", templateOfCall)
	verified(t, h, g, alpha, false, one, 100)
	refresh(t, h)
	for _, tt := range []struct {
		filter query.FindingFilter
		want   []string
	}{
		{query.FindingFilter{}, []string{"alpha fix-claimed", "beta open"}},
		{query.FindingFilter{State: query.StateOpen}, []string{"beta open"}},
		{query.FindingFilter{Server: "alpha"}, []string{"alpha fix-claimed"}},
		{query.FindingFilter{Server: "alpha", State: query.StateOpen}, nil},
		{query.FindingFilter{State: query.StateClosed}, nil},
	} {
		var got []string
		list := read(t, h, func(conn *sqlite.Conn) ([]query.Finding, error) { return query.Findings(conn, tt.filter) })
		for _, f := range list {
			got = append(got, f.Server+" "+f.State)
		}
		slices.Sort(got)
		if d := cmp.Diff(tt.want, got); d != "" || list == nil {
			t.Errorf("%+v: %s", tt.filter, d)
		}
	}
}

// Nothing of a finding is null where a list belongs.
func TestFindingDocument(t *testing.T) {
	h, g := newHome(t), &ids{}
	for _, session := range []string{"one", "two"} {
		c := recorded(g, session, "demo", journal.RecorderShim, at(10))
		c.add(g, noise())
		c.write(t, h)
	}
	refresh(t, h)
	b, err := json.Marshal(findingsOf(t, h)[0])
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"codes": "[]", "repro": "null", "retryable": "null", "regressed_by": "null", "tool": `""`, "code": `""`, "rate": "1"} {
		if got := string(fields[field]); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
}

func TestTrends(t *testing.T) {
	h, g := newHome(t), &ids{}
	measured := func(server, standard string, total, coverage, seconds int64) {
		c := recorded(g, "ci", server, journal.RecorderScore, at(seconds))
		name, _ := sanitize.ParseStandard([]byte(standard))
		c.add(g, &journal.Readiness{Standard: name, Total: total, Protocol: -1, Catalog: 10000, Coverage: coverage})
		c.write(t, h)
	}
	measured("b", "s/3", 7000, 0, 50)
	measured("a", "s/2", 5000, 1, 10)
	measured("a", "s/3", 6010, 2, 30)
	measured("a", "s/2", 5025, 3, 20)
	measured("a", "s/3", 6000, -1, 40)
	refresh(t, h)
	show := func(server string, last int) (list []string) {
		for _, trend := range read(t, h, func(conn *sqlite.Conn) ([]query.Trend, error) { return query.Trends(conn, server, last) }) {
			for _, p := range trend.Runs {
				list = append(list, fmt.Sprint(trend.Server, " ", p.Standard, " ", number(p.Total), " ", number(p.Coverage), " ", number(p.Protocol), " ", number(p.Delta)))
			}
		}
		return list
	}
	all := []string{"a s/2 50 0.01 - -", "a s/2 50.25 0.03 - 0.25", "a s/3 60.1 0.02 - -", "a s/3 60 - - -0.1", "b s/3 70 0 - -"}
	for _, tt := range []struct {
		server string
		last   int
		want   []string
	}{
		{"", 0, all},
		{"", 1, []string{all[3], all[4]}},
		{"a", 0, all[:4]},
		{"a", 3, all[1:4]},
		{"c", 0, nil},
	} {
		if d := cmp.Diff(tt.want, show(tt.server, tt.last)); d != "" {
			t.Errorf("server %q, last %d: %s", tt.server, tt.last, d)
		}
	}
	sameAsRebuilt(t, h)
}

func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// Promote says so when there is nothing to promote from, and refuses what it
// cannot read.
func TestPromoteRefuses(t *testing.T) {
	h := newHome(t)
	if _, err := projections.Promote(context.Background(), h, nil); !errors.Is(err, index.ErrNone) {
		t.Errorf("no index: %v", err)
	}
	failing(t, h, &ids{}, "one", 10)
	refresh(t, h)
	if err := os.WriteFile(h.ConfigPath(), []byte(`{"promotion_threshold":"high"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := projections.Promote(context.Background(), h, nil); err == nil {
		t.Error("a bad config.json is taken")
	}
	if _, err := projections.Refresh(context.Background(), h, nil); err == nil {
		t.Error("index takes a bad config.json")
	}
	threshold := 0.5
	p, err := projections.Promote(context.Background(), h, &projections.PromoteOptions{Threshold: &threshold, AsOf: at(10).Add(time.Hour)})
	if err != nil || p.Threshold != threshold || p.AsOf != index.FormatTime(at(10).Add(time.Hour)) {
		t.Errorf("%+v, %v", p, err)
	}
}

// A cycle that only promotes publishes with its COMMIT, as every other does.
func TestKilledWhilePromoting(t *testing.T) {
	for step, promoted := range map[string]bool{"planned": false, "promoted": false, "committed": true} {
		h, g := newHome(t), &ids{}
		failing(t, h, g, "one", 10)
		failing(t, h, g, "two", 20)
		refresh(t, h)
		before := digest(t, h)
		if err := os.WriteFile(h.ConfigPath(), []byte(`{"promotion_threshold":0.9}`), 0o600); err != nil {
			t.Fatal(err)
		}
		die(t, h, step, false)
		if changed := digest(t, h) != before; changed != promoted {
			t.Errorf("killed when %s: changed is %v", step, changed)
		}
		res := refresh(t, h)
		if len(findingsOf(t, h)) != 0 || res.Changed == promoted || res.New != 0 || res.Full {
			t.Errorf("killed when %s: %+v", step, res)
		}
	}
}
