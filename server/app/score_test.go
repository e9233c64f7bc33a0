package app_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/server/app"
)

// TestScoreIsJournaled: one readiness event in a capture of its own, with the
// document's scores, and nothing of the calls.
func TestScoreIsJournaled(t *testing.T) {
	target, called := serve(t, &demo.Options{Broken: "unknown-method-success"})
	h := newHome(t)
	scored, err := app.Score(t.Context(), &app.ScoreOptions{Server: "demo", Version: "0.1.0", Target: target, Record: recordingIn(t, h)})
	if err != nil || !scored.Measured() {
		t.Fatalf("%+v, %v", scored, err)
	}
	if len(*called) < 39 {
		t.Errorf("%d calls", len(*called))
	}
	list := events(t, h)
	if len(list) != 3 {
		t.Fatalf("%d events", len(list))
	}
	if start, ok := list[0].Body.(*journal.CaptureStart); !ok || start.Recorder != journal.RecorderScore {
		t.Errorf("begins with %+v", list[0].Body)
	}
	got, ok := list[1].Body.(*journal.Readiness)
	if !ok {
		t.Fatalf("%+v", list[1].Body)
	}
	a := scored.Document.Readiness.Areas
	want := []int64{int64(scored.Document.Readiness.Total), int64(a.Protocol), int64(a.Catalog), int64(a.Context), int64(a.Reliability), int64(a.ErrorHonesty), int64(a.Coverage)}
	if diff := cmp.Diff(want, []int64{got.Total, got.Protocol, got.Catalog, got.Context, got.Reliability, got.ErrorHonesty, got.Coverage}); diff != "" {
		t.Error(diff)
	}
	if got.Standard.String() != "mcpeval-standard/3" || a.Protocol != 8333 {
		t.Errorf("%s, %d", got.Standard, a.Protocol)
	}
}

// TestUnmeasuredIsNotJournaled: no score leaves no capture.
func TestUnmeasuredIsNotJournaled(t *testing.T) {
	for aspect, want := range map[string]reason.Label{"cursor-repeated": reason.DiscoveryIncomplete, "page-two-fails": reason.DiscoveryIncomplete} {
		target, called := serve(t, &demo.Options{Broken: aspect})
		h := newHome(t)
		scored, err := app.Score(t.Context(), &app.ScoreOptions{Server: "demo", Version: "0.1.0", Target: target, Record: recordingIn(t, h)})
		if err != nil {
			t.Fatal(err)
		}
		d := scored.Document
		if scored.Measured() || d.ReadinessError != want || d.Passed || d.Readiness != nil || len(*called) > 0 || events(t, h) != nil {
			t.Errorf("%s: %+v, calls %v", aspect, d, *called)
		}
	}
}

func TestScoreInput(t *testing.T) {
	target, called := serve(t, &demo.Options{})
	for name, o := range map[string]app.ScoreOptions{
		"label":     {Server: "a b"},
		"version":   {Server: "demo", Version: "a b"},
		"arguments": {Server: "demo", Version: "1", StandardOptions: app.StandardOptions{Arguments: []byte(`{"a":`)}},
		"a writer":  {Server: "demo", Version: "1", StandardOptions: app.StandardOptions{Arguments: []byte(`{"save_note":{}}`), ConfirmReadOnly: true}},
		"skip":      {Server: "demo", Version: "1", StandardOptions: app.StandardOptions{Skip: []string{"no_such"}}},
	} {
		o.Target = target
		_, err := app.Score(t.Context(), &o)
		if _, ok := errors.AsType[*app.InputError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(*called) > 0 {
		t.Errorf("called %v", *called)
	}
}

// TestGateAndBatteryShareABudget: what the gate used is missing for the battery,
// and the gate's cases keep their verdicts.
func TestGateAndBatteryShareABudget(t *testing.T) {
	target, _ := serve(t, &demo.Options{})
	h := newHome(t)
	// Each look at the clock takes seconds: enough for the gate alone.
	probed, err := app.Probe(t.Context(), &app.ProbeOptions{
		Server: "demo", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Record: recordingIn(t, h),
		Standard: &app.StandardOptions{}, Clock: &ticking{step: 1500 * time.Millisecond, at: time.Unix(1_700_000_000, 0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := probed.Document
	if !probed.Outcome.Passed || d.Readiness != nil || d.ReadinessError != reason.EvaluationBudgetExceeded {
		t.Errorf("outcome %+v, readiness %v %q", probed.Outcome, d.Readiness, d.ReadinessError)
	}
	for _, e := range events(t, h) {
		if e.Body.Type() == journal.TypeReadiness {
			t.Error("a score was journaled")
		}
	}
}

// ticking is a clock that goes on with each look at it.
type ticking struct {
	client.SystemClock
	mu   sync.Mutex // guards at
	at   time.Time
	step time.Duration
}

func (c *ticking) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.step)
	return c.at
}

// TestProbeMeasuresReadiness: beside the gate, and only where it was asked for.
func TestProbeMeasuresReadiness(t *testing.T) {
	target, _ := serve(t, &demo.Options{})
	for name, tt := range map[string]struct {
		kinds    []string
		standard *app.StandardOptions
		want     bool
	}{
		"asked for":     {nil, &app.StandardOptions{}, true},
		"not asked for": {nil, nil, false},
		"of one kind":   {[]string{"discovery-cost"}, &app.StandardOptions{}, false},
	} {
		probed, err := app.Probe(t.Context(), &app.ProbeOptions{
			Server: "demo", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Kinds: tt.kinds, Standard: tt.standard,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := probed.Document.Readiness != nil; got != tt.want || probed.Document.ReadinessError != "" {
			t.Errorf("%s: readiness %v %q", name, got, probed.Document.ReadinessError)
		}
	}
	_, err := app.Probe(t.Context(), &app.ProbeOptions{
		Server: "demo", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Standard: &app.StandardOptions{Skip: []string{"no_such"}},
	})
	if _, ok := errors.AsType[*app.InputError](err); !ok {
		t.Errorf("error %v", err)
	}
}
