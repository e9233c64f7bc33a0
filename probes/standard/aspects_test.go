package standard_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// clean is what the clean demo server loses: its catalog is too large for one
// thing only.
const clean = "context.catalog-tokens"

// lostBy lists the lost checks that the clean server does not lose, in short form:
// the check, its reason, and its tool when it is one, else the number of tools.
func lostBy(checks []report.Check) []string {
	var list []string
	tools := map[string]int{}
	for _, c := range checks {
		if c.ID == clean {
			continue
		}
		key := fmt.Sprintf("%s %s", c.ID, c.Reason)
		if tools[key] == 0 {
			list = append(list, key)
		}
		tools[key]++
	}
	for i, key := range list {
		if n := tools[key]; n > 1 {
			list[i] = fmt.Sprintf("%s x%d", key, n)
		}
	}
	return list
}

func areasOf(r *report.Readiness) string {
	a := r.Areas
	return strings.Join([]string{
		a.Protocol.String(), a.Catalog.String(), a.Context.String(), a.Reliability.String(), a.ErrorHonesty.String(), a.Coverage.String(),
	}, " ")
}

// given are valid arguments of the demo's tools, for schemas that do not tell them.
const given = `{"get_weather":{"city":"oslo"},"convert_temperature":{"value":1,"to":"celsius"},"search_notes":{"query":"train"},
	"get_note":{"id":"note-1"},"get_forecast":{"city":"oslo"},"read_sensor":{"sensor":"indoor"},"calibrate_sensor":{"sensor":"indoor"},
	"refresh_station":{"city":"oslo"},"summarize_note":{"id":"note-1"},"plan_trip":{"city":"oslo"},"count_characters":{"text":"a"},
	"wait_for_tide":{"milliseconds":1}}`

type aspectTest struct {
	aspect, spoken string
	confirm        bool
	arguments      string
	timeout        time.Duration
	areas          string // protocol catalog context reliability error-honesty coverage
	lost           []string
}

// aspectTests has an aspect for every check. The demo has 14 tools, 13 of which
// only read, and 2733 tokens, so that it has 92.18 points of context: 75% of
// 100*ln(40000/2733)/ln(20), and 25% of 100.
func aspectTests() []aspectTest {
	const clean = "100 100 92.18 100 100 100"
	return []aspectTest{
		{areas: clean},
		{spoken: "legacy", areas: clean},
		{spoken: "2025-03-26", areas: "100 80.24 100 100 100 100", lost: []string{"catalog.output-schema output-schema-undeclared x14"}},

		// One check of six is 16.67 points of protocol.
		{aspect: "unknown-method-success", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.unknown-method unknown-method-accepted"}},
		{aspect: "ping-fails", spoken: "legacy", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.liveness no-sign-of-life"}},
		{aspect: "unknown-tool-success", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.unknown-tool unknown-tool-accepted"}},
		{aspect: "page-duplicate", areas: "83.33 100 90.24 100 100 100", lost: []string{"protocol.pagination pagination-duplicate-tool"}},
		{aspect: "prompts-fail", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.surfaces surface-invalid-envelope"}},
		{aspect: "resources-stalled", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.surfaces surface-stalled-cursor"}},
		{aspect: "version-echoed", areas: "83.33 100 92.18 100 100 100", lost: []string{"protocol.negotiation negotiation-echoed-unknown"}},

		// One check of a reader is a fifth of its entry, of the writer a sixth.
		{aspect: "description-missing", areas: "100 80.24 96.14 100 100 100", lost: []string{"catalog.description description-too-short x14"}},
		{aspect: "description-short", areas: "100 80.24 95.24 100 100 100", lost: []string{"catalog.description description-too-short x14"}},
		{aspect: "property-undescribed", areas: "100 81.67 94.43 100 100 100", lost: []string{"catalog.property-descriptions property-undescribed x13"}},
		{aspect: "property-untyped", arguments: given, areas: "100 81.67 93.75 100 100 100", lost: []string{"catalog.property-types property-untyped x13"}},
		{aspect: "read-only-hint-missing", confirm: true, areas: "100 80.24 92.84 100 100 100", lost: []string{"catalog.read-only-hint read-only-hint-missing x14"}},
		{aspect: "destructive-hint-missing", areas: "100 98.81 92.96 100 100 100", lost: []string{"catalog.destructive-hint destructive-hint-missing"}},
		{aspect: "output-schema-undeclared", areas: "100 80.24 100 100 100 100", lost: []string{"catalog.output-schema output-schema-undeclared x14"}},

		{aspect: "many-tools", areas: "100 100 50.89 100 100 100"},
		{aspect: "heavy-tool", areas: "100 100 28.67 100 100 100", lost: []string{"context.heaviest-tool tool-too-heavy"}},

		// One tool of 13 is 80/13 = 6.15 points of reliability, and a third of that
		// for its results; contention and payload are 10 each.
		{aspect: "valid-calls-fail", areas: "100 100 92.18 93.85 100 100", lost: []string{"reliability.success call-failed"}},
		{aspect: "forecast-alternates", areas: "100 100 92.18 96.58 100 100", lost: []string{"reliability.success call-failed", "reliability.consistency outcome-inconsistent"}},
		{aspect: "output-invalid", areas: "100 100 92.18 97.95 100 100", lost: []string{"reliability.output-schema output-schema-invalid-result"}},
		{aspect: "output-field-missing", areas: "100 100 92.18 97.95 100 100", lost: []string{"reliability.output-schema output-schema-field-missing"}},
		{aspect: "output-missing", areas: "100 100 92.18 73.33 100 100", lost: []string{"reliability.output-schema output-schema-declared-but-missing x13"}},
		{aspect: "contended-lock", areas: "100 100 92.18 90 100 100", lost: []string{"reliability.contention contended-client-failed"}},
		{aspect: "payload-exit", areas: "100 100 92.18 90 100 100", lost: []string{"reliability.payload transport-closed"}},
		{aspect: "payload-refused", areas: clean},
		{aspect: "tool-fails", areas: "100 100 92.18 0 100 100", lost: []string{"reliability.success call-failed x13", "reliability.contention no-reliable-tool", "reliability.payload no-reliable-tool"}},

		{aspect: "arguments-unchecked", areas: "100 100 92.18 100 0 100", lost: []string{"error-honesty.refusal invalid-arguments-accepted x13"}},
		{aspect: "refusal-without-text", areas: "100 100 92.18 100 0 100", lost: []string{"error-honesty.refusal refusal-unclear x13"}},
		{aspect: "refusal-internal", areas: "100 100 92.18 100 0 100", lost: []string{"error-honesty.refusal refusal-unclear x13"}},
		{aspect: "refusal-then-hang", timeout: 4 * time.Second, spoken: "legacy", areas: "100 100 92.18 100 92.31 100", lost: []string{"error-honesty.recovery transport-timeout"}},

		// A tool that is not called costs in all three areas.
		{aspect: "hung-call", timeout: 4 * time.Second, areas: "100 100 92.18 93.85 92.31 92.31", lost: []string{
			"reliability.success transport-timeout", "error-honesty.refusal transport-timeout", "coverage.exercised transport-timeout"}},
		{aspect: "input-schema-no-object", areas: "100 100 92.87 93.85 100 92.31", lost: []string{
			"reliability.success arguments-unbuildable", "coverage.exercised arguments-unbuildable"}},
		{aspect: "read-only-hint-missing", areas: "100 80.24 92.84 0 0 0", lost: []string{
			"catalog.read-only-hint read-only-hint-missing x14", "reliability.success tool-unannotated x13", "reliability.contention no-reliable-tool",
			"reliability.payload no-reliable-tool", "error-honesty.refusal tool-unannotated x13", "coverage.exercised tool-unannotated x13"}},

		// What is odd and yet correct costs nothing.
		{aspect: "tools-only", areas: clean}, {aspect: "error-with-content", areas: clean}, {aspect: "empty-cursor", areas: clean},
		{aspect: "sse-odd-events", areas: clean}, {aspect: "sse-crlf", areas: clean},
	}
}

// TestAspects: each aspect costs exactly the checks it breaks, by the points that
// docs/standard.md gives for them.
func TestAspects(t *testing.T) {
	for _, tt := range aspectTests() {
		name := strings.Trim(tt.aspect+" "+tt.spoken+" "+fmt.Sprint(tt.confirm), " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var target client.Target
			switch tt.aspect {
			case "payload-exit", "hung-call", "refusal-then-hang", "output-missing": // over stdio
				target = self(t, tt.aspect, tt.spoken)
			default:
				o := &demo.Options{Broken: tt.aspect, Protocol: tt.spoken}
				if tt.aspect == "contended-lock" { // which takes a second a call
					o.After = func(d time.Duration) <-chan time.Time { return time.After(d / 10) }
				}
				target = demoHTTP(t, o)
			}
			c := config(target)
			c.ConfirmReadOnly = tt.confirm
			if tt.timeout > 0 {
				c.CallTimeout = tt.timeout
			}
			if tt.arguments != "" {
				var err error
				if c.Arguments, err = synth.ParseFile([]byte(tt.arguments)); err != nil {
					t.Fatal(err)
				}
			}
			r := run(t, c)
			if r.Readiness == nil {
				t.Fatal(r.Problem)
			}
			if diff := cmp.Diff(tt.lost, lostBy(r.Readiness.LostChecks)); diff != "" {
				t.Error(diff)
			}
			if got := areasOf(r.Readiness); got != tt.areas {
				t.Errorf("areas %s, want %s", got, tt.areas)
			}
		})
	}
}

// TestEveryCheckIsTested: no check is without an aspect, but latency, which has a
// test of its own.
func TestEveryCheckIsTested(t *testing.T) {
	tested := map[report.CheckID]bool{report.CheckLatency: true, report.CheckCatalogTokens: true}
	for _, tt := range aspectTests() {
		for _, lost := range tt.lost {
			id, _, _ := strings.Cut(lost, " ")
			tested[report.CheckID(id)] = true
		}
	}
	for _, id := range report.CheckIDs() {
		if !tested[id] {
			t.Errorf("no aspect costs %s", id)
		}
	}
}

// TestUnmeasured: what cannot be measured has no score, and says why.
func TestUnmeasured(t *testing.T) {
	for aspect, want := range map[string]reason.Label{
		"no-start": reason.ServerNotStarted, "page-two-fails": reason.DiscoveryIncomplete, "page-no-array": reason.DiscoveryIncomplete,
		"cursor-repeated": reason.DiscoveryIncomplete, "cursor-endless": reason.DiscoveryIncomplete, "twenty-one-pages": reason.DiscoveryIncomplete,
	} {
		t.Run(aspect, func(t *testing.T) {
			t.Parallel()
			r := run(t, config(self(t, aspect, "both")))
			if r.Problem != want || r.Readiness != nil {
				t.Errorf("%v %q", r.Readiness, r.Problem)
			}
		})
	}
	t.Run("twenty pages are read", func(t *testing.T) {
		t.Parallel()
		if r := run(t, config(demoHTTP(t, &demo.Options{Broken: "twenty-pages"}))); r.Readiness == nil {
			t.Error(r.Problem)
		}
	})
	t.Run("the budget", func(t *testing.T) {
		t.Parallel()
		c := config(demoHTTP(t, nil))
		// A clock on which each look takes a second: five minutes are over soon.
		c.Clock = &ticking{step: 5 * time.Second, at: time.Unix(1_700_000_000, 0)}
		if r := run(t, c); r.Problem != reason.EvaluationBudgetExceeded {
			t.Errorf("%v %q", r.Readiness, r.Problem)
		}
	})
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

// TestLatencyAlone: a slower run loses points of the latency bands and nothing
// else, so that both have one digest.
func TestLatencyAlone(t *testing.T) {
	target := demoHTTP(t, nil)
	quick := run(t, config(target))
	c := config(target)
	c.Clock = &ticking{step: 110 * time.Millisecond, at: time.Unix(1_700_000_000, 0)}
	slow := run(t, c)
	if quick.Readiness == nil || slow.Readiness == nil {
		t.Fatal(quick.Problem, slow.Problem)
	}
	if diff := cmp.Diff([]string{"reliability.latency latency-too-high x13"}, lostBy(slow.Readiness.LostChecks)); diff != "" {
		t.Error(diff)
	}
	for _, k := range slow.Readiness.LostChecks {
		if k.ID == report.CheckLatency && !k.Observed.IsZero() {
			t.Errorf("%s shows %s", k.Tool, k.Observed)
		}
	}
	if slow.Readiness.Total >= quick.Readiness.Total {
		t.Errorf("slow %s, quick %s", slow.Readiness.Total, quick.Readiness.Total)
	}
	var sums []report.SHA256
	for _, r := range []*standard.Result{quick, slow} {
		sum, err := report.NewScore(label("1"), label("demo"), r.Readiness, "").Digest()
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] {
		t.Errorf("digests %s and %s", sums[0], sums[1])
	}
}
