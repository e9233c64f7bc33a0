package projections_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// failing writes a capture of a session with one failure at a time.
func failing(t testing.TB, h *home.Home, g *ids, session string, seconds int64) (event uuid.UUID) {
	t.Helper()
	c := recorded(g, session, "demo", journal.RecorderShim, at(seconds-2))
	event = c.add(g, call("t", journal.OutcomeError))
	c.write(t, h)
	return event
}

// verified writes the capture of a verify run that ended at a time.
func verified(t testing.TB, h *home.Home, g *ids, finding string, passed bool, definition string, seconds int64) uuid.UUID {
	t.Helper()
	c := recorded(g, "someone", "demo", journal.RecorderVerify, at(seconds-2))
	v := &journal.Verification{Case: label("case"), Passed: passed}
	v.Finding, _ = sanitize.ParseFindingID([]byte(finding))
	v.Definition, _ = sanitize.ParseDigest([]byte(definition))
	if !passed {
		v.Reason = label("unexpected-outcome")
	}
	id := c.add(g, v)
	c.write(t, h)
	return id
}

const one, two = "00000000000000000000000000000001", "00000000000000000000000000000002"

// templateOfCall is the template of call's errors.
const templateOfCall = "00112233445566aa"

func lifecycleOf(t testing.TB, h *home.Home, id string) query.Lifecycle {
	t.Helper()
	l := read(t, h, func(conn *sqlite.Conn) (*query.Lifecycle, error) { return query.LifecycleOf(conn, id) })
	if l == nil {
		t.Fatalf("no lifecycle of %s", id)
	}
	return *l
}

// Green, green, red, green, green, green closes at the last one; a failure that
// is captured later reopens; all of it comes back when index and ledger are
// deleted.
func TestLifecycleThroughTheJournal(t *testing.T) {
	h, g := newHome(t), &ids{}
	failing(t, h, g, "one", 10)
	failing(t, h, g, "two", 20)
	id := index.FindingID("demo", "t", templateOfCall)
	restored := func() {
		t.Helper()
		before, list := digest(t, h), findingsOf(t, h)
		for _, name := range []string{h.IndexPath(), h.LedgerPath()} {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		refresh(t, h)
		if got := digest(t, h); got != before {
			t.Errorf("digest %.12s, before index and ledger went it was %.12s", got, before)
		}
		if d := cmp.Diff(list, findingsOf(t, h)); d != "" {
			t.Error(d)
		}
	}
	refresh(t, h)
	if got := lifecycleOf(t, h, id); got != (query.Lifecycle{State: query.StateOpen}) {
		t.Errorf("%+v", got)
	}
	for i, step := range []struct {
		passed bool
		want   query.Lifecycle
	}{
		{true, query.Lifecycle{State: query.StateVerifying, ConsecutivePasses: 1}},
		{true, query.Lifecycle{State: query.StateVerifying, ConsecutivePasses: 2}},
		{false, query.Lifecycle{State: query.StateOpen}},
		{true, query.Lifecycle{State: query.StateVerifying, ConsecutivePasses: 1}},
		{true, query.Lifecycle{State: query.StateVerifying, ConsecutivePasses: 2}},
		{true, query.Lifecycle{State: query.StateClosed, ConsecutivePasses: 3}},
	} {
		verified(t, h, g, id, step.passed, one, int64(100+10*i))
		refresh(t, h)
		if got := lifecycleOf(t, h, id); got != step.want {
			t.Errorf("after verification %d: %+v, want %+v", i+1, got, step.want)
		}
	}
	restored()
	// A failure from before the closing that is found only now changes nothing.
	failing(t, h, g, "three", 140)
	refresh(t, h)
	if got := lifecycleOf(t, h, id); got.State != query.StateClosed {
		t.Errorf("after an earlier failure: %+v", got)
	}
	later := failing(t, h, g, "three", 200)
	failing(t, h, g, "four", 210)
	refresh(t, h)
	f := findingsOf(t, h)[0]
	if f.State != query.StateOpen || f.ConsecutivePasses != 0 || f.RegressedBy == nil || *f.RegressedBy != later.String() {
		t.Errorf("%+v", f)
	}
	restored()
	for i := range 3 {
		verified(t, h, g, id, true, two, int64(300+10*i))
	}
	refresh(t, h)
	if f := findingsOf(t, h)[0]; f.State != query.StateClosed || f.RegressedBy != nil {
		t.Errorf("%+v", f)
	}
	restored()
	sameAsRebuilt(t, h)
}

// Verifications and failures arrive in any order: their times decide.
func TestLifecycleInAnyOrder(t *testing.T) {
	id := index.FindingID("demo", "t", templateOfCall)
	for seed := range uint64(rounds(8)) {
		r := rand.New(rand.NewPCG(seed, 11))
		h, g := newHome(t), &ids{}
		steps := []func(){
			func() { failing(t, h, g, "one", 10) }, func() { failing(t, h, g, "two", 20) },
			func() { verified(t, h, g, id, true, one, 30) }, func() { verified(t, h, g, id, false, one, 40) },
			func() { verified(t, h, g, id, true, one, 50) }, func() { verified(t, h, g, id, true, one, 60) },
			func() { verified(t, h, g, id, true, one, 70) }, func() { failing(t, h, g, "three", 80) },
			func() { verified(t, h, g, id, true, one, 90) },
		}
		r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		for _, step := range steps {
			step()
			if r.IntN(2) == 0 {
				refresh(t, h)
			}
		}
		refresh(t, h)
		if got := lifecycleOf(t, h, id); got != (query.Lifecycle{State: query.StateVerifying, ConsecutivePasses: 1}) {
			t.Errorf("seed %d: %+v", seed, got)
		}
		sameAsRebuilt(t, h)
	}
}

// A failure is one while nothing answers: when the answer is indexed later, a
// finding that it had reopened is closed again.
func TestAnswerTakesARegressionBack(t *testing.T) {
	h, g := newHome(t), &ids{}
	if err := os.WriteFile(h.ConfigPath(), []byte(`{"promotion_threshold":0.1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	hung := func(session string, seconds int64) (c *capture, p uuid.UUID) {
		c = recorded(g, session, "demo", journal.RecorderShim, at(seconds-2))
		p = c.add(g, pending("t"))
		c.write(t, h)
		return c, p
	}
	hung("one", 10)
	hung("two", 20)
	refresh(t, h)
	id := findingsOf(t, h)[0].ID
	for i := range 3 {
		verified(t, h, g, id, true, one, int64(30+10*i))
	}
	c, p := hung("three", 100)
	refresh(t, h)
	if f := findingsOf(t, h)[0]; f.Class != query.ClassHungCall || f.State != query.StateOpen || f.RegressedBy == nil || f.Failures != 3 {
		t.Errorf("%+v", f)
	}
	answer := call("t", journal.OutcomeOK)
	answer.Pending = p
	c.add(g, answer)
	c.write(t, h)
	refresh(t, h)
	if f := findingsOf(t, h)[0]; f.State != query.StateClosed || f.RegressedBy != nil || f.Failures != 2 || f.Sessions != 2 {
		t.Errorf("%+v", f)
	}
	before := digest(t, h)
	refreshFull(t, h)
	if got := digest(t, h); got != before {
		t.Errorf("digest %.12s, a full rebuild gives %.12s", before, got)
	}
}

// Two captures of one session are one session; two sessions of one machine are
// two.
func TestTwoSessions(t *testing.T) {
	h, g := newHome(t), &ids{}
	failing(t, h, g, "one", 10)
	failing(t, h, g, "one", 1000)
	refresh(t, h)
	if got := read(t, h, query.Promotion); got.Promoted != 0 || got.OneSession != 1 || got.Issues != 1 {
		t.Errorf("two captures of one session: %+v", got)
	}
	id := index.FindingID("demo", "t", templateOfCall)
	if f := read(t, h, func(conn *sqlite.Conn) (*query.Finding, error) { return query.FindingByID(conn, id) }); f != nil {
		t.Errorf("%+v", f)
	}
	failing(t, h, g, "two", 2000)
	if res := refresh(t, h); res.Findings != 1 {
		t.Errorf("%+v", res)
	}
	f := read(t, h, func(conn *sqlite.Conn) (*query.Finding, error) { return query.FindingByID(conn, id) })
	if f == nil || f.Sessions != 2 || f.Failures != 3 {
		t.Errorf("%+v", f)
	}
}

// Scores age with the journal, or as of a time that is asked for; asking does
// not need new events, and what is about something else can leave it so.
func TestAsOf(t *testing.T) {
	h, g := newHome(t), &ids{}
	failing(t, h, g, "one", 10)
	failing(t, h, g, "two", 20)
	index := func(o *projections.Options) *query.PromotionSummary {
		t.Helper()
		if _, err := projections.Refresh(context.Background(), h, o); err != nil {
			t.Fatal(err)
		}
		return read(t, h, query.Promotion)
	}
	year := at(20).AddDate(1, 0, 0)
	zero := 0.0
	for _, tt := range []struct {
		name      string
		o         projections.Options
		promoted  int64
		asOf      time.Time
		threshold float64
	}{
		{"the newest event", projections.Options{}, 1, at(20), 0.16},
		{"a year later", projections.Options{AsOf: year}, 0, year, 0.16},
		{"kept", projections.Options{KeepPromotion: true}, 0, year, 0.16},
		{"a threshold, too", projections.Options{AsOf: year, Threshold: &zero}, 1, year, 0},
		{"both kept", projections.Options{KeepPromotion: true}, 1, year, 0},
		{"both kept in a rebuild", projections.Options{KeepPromotion: true, Rebuild: true}, 1, year, 0},
		{"not kept", projections.Options{}, 1, at(20), 0.16},
		{"nothing to keep", projections.Options{KeepPromotion: true}, 1, at(20), 0.16},
		{"before the failures", projections.Options{AsOf: at(0)}, 1, at(0), 0.16},
	} {
		got := index(&tt.o)
		if got.Promoted != tt.promoted || got.AsOf != tt.asOf.Format("2006-01-02T15:04:05.000Z") || got.Threshold != tt.threshold {
			t.Errorf("%s: %+v", tt.name, got)
		}
		// What an index promotes by is its own: an audit derives by the same.
		report, err := projections.Audit(context.Background(), h, nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.Index != projections.Agrees || report.Ledger != projections.Agrees {
			t.Errorf("%s: the audit says that the index %s and the ledger %s", tt.name, report.Index, report.Ledger)
		}
	}
}
