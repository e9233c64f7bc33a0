package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections/query"
)

// mixed is a home with two captures of two servers, and legacy records.
func mixed(t testing.TB) (*home.Home, *ids) {
	t.Helper()
	g := &ids{}
	h := newHome(t)
	c := g.capture("one", "demo")
	c.add(g, &journal.Handshake{Protocol: revision("2025-11-25"), Lifecycle: journal.Stateful})
	list := call("", journal.OutcomeOK)
	list.Method, list.Tool, list.ResponseBytes = method("tools/list"), sanitize.Tool{}, 4000
	c.add(g, list)
	for i := range 10 {
		k := call("a", journal.OutcomeOK)
		k.LatencyUS, k.ResponseBytes = int64(1000*(i+1)), int64(100*(i+1))
		c.add(g, k)
	}
	c.add(g, call("b", journal.OutcomeError))
	c.add(g, pending("b"))
	c.add(g, &journal.Gap{Outbound: journal.Traffic{Frames: 2, Bytes: 20}, Inbound: journal.Traffic{Frames: 1, Bytes: 5}})
	c.add(g, &journal.End{ExitCode: 3, StrayBefore: 4, Orphans: 1})
	c.write(t, h)
	d := g.capture("two", "other")
	d.ev.TS = epoch.Add(time.Hour)
	d.ev.Kind = journal.Synthetic
	d.add(g, call("a", journal.OutcomeCancelled))
	d.write(t, h)
	put(t, h, "calls-1.jsonl", []byte(legacyLine("s", "demo", 2, "a", "ok")+legacyLine("s", "demo", 1, "a", "error")))
	refresh(t, h)
	return h, g
}

func TestGroups(t *testing.T) {
	h, _ := mixed(t)
	for _, tt := range []struct {
		name   string
		filter query.Filter
		want   []string
	}{
		{"all", query.Filter{}, []string{
			"demo/a/ok 11", "demo//ok 1", "demo/a/error 1", "demo/b/error 1",
			"demo/b/unanswered 1", "other/a/cancelled 1",
		}},
		{"server and outcome", query.Filter{Server: "demo", Outcome: "error"}, []string{"demo/a/error 1", "demo/b/error 1"}},
		{"tool", query.Filter{Tool: "b"}, []string{"demo/b/error 1", "demo/b/unanswered 1"}},
		{"since", query.Filter{Since: epoch.Add(time.Minute)}, []string{"other/a/cancelled 1"}},
		{"until", query.Filter{Until: epoch.AddDate(-1, 0, 0)}, []string{"demo/a/error 1", "demo/a/ok 1"}},
		{"synthetic", query.Filter{Kind: "synthetic"}, []string{"other/a/cancelled 1"}},
		{"nothing", query.Filter{Server: "none"}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, h, func(conn *sqlite.Conn) ([]query.Group, error) { return query.Groups(conn, tt.filter) })
			lines := []string{}
			for _, g := range got {
				lines = append(lines, fmt.Sprintf("%s/%s/%s %d", g.Server, g.Tool, g.Outcome, g.Count))
			}
			if d := cmp.Diff(tt.want, lines); d != "" {
				t.Error(d)
			}
			// Counters and rows say the same: a time bound makes the rows count.
			byRows := tt.filter
			if byRows.Since.IsZero() {
				byRows.Since = time.Unix(0, 0)
			}
			again := read(t, h, func(conn *sqlite.Conn) ([]query.Group, error) { return query.Groups(conn, byRows) })
			if d := cmp.Diff(got, again); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCallsInVisibleOrder(t *testing.T) {
	h, _ := mixed(t)
	all := allCalls(t, h)
	var got []string
	for _, c := range all[len(all)-3:] {
		got = append(got, fmt.Sprint(c.Tool, c.Outcome, c.Seq))
	}
	if d := cmp.Diff([]string{"berror14", "bunanswered15", "acancelled2"}, got); d != "" {
		t.Error(d)
	}
	if all[0].Seq != 1 || all[1].Seq != 2 || all[0].File != "calls-1.jsonl" {
		t.Errorf("legacy records come first, by time: %+v", all[:2])
	}
	last := read(t, h, func(conn *sqlite.Conn) ([]query.Call, error) { return query.Calls(conn, query.Filter{}, 3) })
	if d := cmp.Diff(all[len(all)-3:], last); d != "" {
		t.Error(d)
	}
}

func TestCaptures(t *testing.T) {
	h, _ := mixed(t)
	list := read(t, h, func(conn *sqlite.Conn) ([]query.Capture, error) { return query.Captures(conn, query.Filter{}, 0) })
	if len(list) != 2 || list[0].Server != "demo" { // both began at once
		t.Fatalf("%+v", list)
	}
	c := list[0]
	got := fmt.Sprint(c.Recorder, " ", c.Protocol, " ", c.Lifecycle, " ", c.Calls, c.Failures, c.Requests, c.Events, " ", c.Ended, *c.ExitCode,
		c.StrayBefore, c.Orphans, " ", c.Gaps, c.GapFrames, c.GapBytes, " ", list[1].Ended, list[1].ExitCode)
	if want := "shim 2025-11-25 stateful 12 2 13 17 true 3 4 1 1 3 25 false <nil>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	one := read(t, h, func(conn *sqlite.Conn) ([]query.Capture, error) {
		return query.Captures(conn, query.Filter{Server: "demo", Tool: "does not count"}, 1)
	})
	if d := cmp.Diff(list[:1], one); d != "" {
		t.Error(d)
	}
}

func TestToolHealthAndSessionCost(t *testing.T) {
	h, _ := mixed(t)
	health := read(t, h, func(conn *sqlite.Conn) ([]query.Health, error) { return query.ToolHealth(conn, "demo", "a") })
	if len(health) != 1 {
		t.Fatalf("%+v", health)
	}
	a := health[0]
	if a.Calls != 12 || a.Failures != 1 || a.FailureRate != 0.0833 || *a.MaxMS != 10 {
		t.Errorf("%+v", a)
	}
	// Of 1..10 ms: the fifth, and the tenth; a bucket is at most 1.6% wide.
	if p50, p95 := *a.P50MS, *a.P95MS; p50 < 4.9 || p50 > 5.1 || p95 < 9.8 || p95 > 10 {
		t.Errorf("p50 %v, p95 %v", p50, p95)
	}
	if b := *a.MedianBytes; b < 492 || b > 508 || *a.MedianTokens != (b+3)/4 {
		t.Errorf("median %v bytes, %v tokens", b, *a.MedianTokens)
	}
	cost := read(t, h, func(conn *sqlite.Conn) ([]query.Cost, error) { return query.SessionCost(conn, 0) })
	if len(cost) != 2 { // probes cost no session anything
		t.Fatalf("%+v", cost)
	}
	if c := cost[0]; c.Calls != 12 || c.Failures != 2 || c.Requests != 13 || c.CatalogBytes != 4000 ||
		c.ResponseBytes != 4000+5500+200 || c.RequestBytes != 1300 || c.Tokens != (1300+9700+3)/4 {
		t.Errorf("%+v", c)
	}
}

func TestEvidence(t *testing.T) {
	h, g := mixed(t)
	from := g.capture("three", "demo")
	id := from.add(g, call("x", journal.OutcomeError))
	from.write(t, h)
	refresh(t, h)
	ev := read(t, h, func(conn *sqlite.Conn) (*query.Evidence, error) { return query.EvidenceOf(conn, id.String()) })
	if ev == nil || ev.File != from.path || ev.Line != 2 || ev.Digest != journal.LineDigest(from.last).String() || ev.Seq != 2 {
		t.Errorf("%+v", ev)
	}
	first := eventID(from, 1)
	ev = read(t, h, func(conn *sqlite.Conn) (*query.Evidence, error) {
		return query.EvidenceOf(conn, fmt.Sprintf("%x-%x-%x-%x-%x", first[:4], first[4:6], first[6:8], first[8:10], first[10:]))
	})
	if ev == nil || ev.Type != "capture" || ev.Line != 1 {
		t.Errorf("%+v", ev)
	}
	legacy := allCalls(t, h)[0]
	at := read(t, h, func(conn *sqlite.Conn) ([]query.Evidence, error) { return query.EvidenceAt(conn, legacy.Session, 1) })
	if len(at) != 1 || at[0].EventID != "" || at[0].Line != 2 {
		t.Errorf("%+v", at)
	}
	near := read(t, h, func(conn *sqlite.Conn) ([]query.Window, error) { return query.WindowOf(conn, id.String()) })
	if len(near) != 0 {
		t.Errorf("%+v", near)
	}
}

func TestFreshness(t *testing.T) {
	h, g := mixed(t)
	fresh := func() query.Freshness {
		t.Helper()
		return read(t, h, func(conn *sqlite.Conn) (query.Freshness, error) { return query.FreshnessOf(conn, h.Store()) })
	}
	if f := fresh(); !f.Fresh() {
		t.Errorf("%+v", f)
	}
	c := small(g, "s", "demo")
	put(t, h, c.path, c.text[:len(c.text)-3])
	if f := fresh(); f.Files != 1 || f.Events != 3 || f.Fresh() {
		t.Errorf("%+v", f)
	}
	refresh(t, h)
	if f := fresh(); !f.Fresh() {
		t.Errorf("a torn tail is nothing to index: %+v", f)
	}
	put(t, h, c.path, nil)
	if f := fresh(); f.Lost != 1 || f.Fresh() {
		t.Errorf("%+v", f)
	}
}
