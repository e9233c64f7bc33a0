package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

func compared(t testing.TB, base, current *report.Document) *report.Diff {
	t.Helper()
	d, err := report.Compare(report.Generator{Name: label("mcpeval"), Version: version}, base, current)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDiffClasses(t *testing.T) {
	with := func(c report.Case, m report.Metric, n int64) report.Case {
		c.Measurements = report.Measurements{m: report.Int(n)}
		return c
	}
	passes := pass("a", manifest.KindCompletion)
	fails := fail("a", manifest.KindCompletion, reason.CompletionValueFlood)
	faults := fail("a", manifest.KindCompletion, reason.TransportClosed)
	absent := other("a", manifest.KindCompletion, reason.CapabilityAbsent)
	notRun := other("a", manifest.KindCompletion, reason.ServerNotStarted)
	tests := []struct {
		name      string
		base, now report.Case
		want      report.Change
		fields    string
	}{
		{"same pass", passes, passes, report.Unchanged, ""},
		{"same failure", fails, fails, report.Unchanged, ""},
		{"latency", with(passes, report.LatencyMS, 1), with(passes, report.LatencyMS, 900), report.Unchanged, ""},
		{"fails now", passes, fails, report.Regressed, "passed reason"},
		{"cannot be judged now", passes, faults, report.Regressed, "passed reason"},
		{"applies now and fails", absent, fails, report.Regressed, "passed attempts reason"},
		{"the server starts no more", passes, notRun, report.Regressed, "passed attempts reason"},
		{"passes now", fails, passes, report.Fixed, "passed reason"},
		{"judged now and passes", faults, passes, report.Fixed, "passed reason"},
		{"another reason", fails, faults, report.Changed, "reason"},
		{"applies no more", passes, absent, report.Changed, "passed attempts reason"},
		{"failed, applies no more", fails, absent, report.Changed, "passed attempts reason"},
		{"the server starts again, fails", notRun, fails, report.Changed, "passed attempts reason"},
		{"the server starts again, passes", notRun, passes, report.Changed, "passed attempts reason"},
		{"a measurement", with(passes, report.Values, 1), with(passes, report.Values, 2), report.Changed, "measurements"},
		{"another tool", passes, func() report.Case { c := passes; c.Tool = report.ToolOf("x"); return c }(), report.Changed, "tool"},
		{"another kind", passes, pass("a", manifest.KindTokenCost), report.Changed, "probe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := compared(t, document(tt.base), document(tt.now))
			var fields []string
			for _, f := range d.Cases[0].Fields {
				fields = append(fields, string(f))
			}
			if got := strings.Join(fields, " "); d.Cases[0].Change != tt.want || got != tt.fields {
				t.Errorf("%s by %q, want %s by %q", d.Cases[0].Change, got, tt.want, tt.fields)
			}
			regression, change := d.Exit(true, false), d.Exit(false, true)
			if (regression == 1) != (tt.want == report.Regressed) || (change == 1) != (tt.want != report.Unchanged) || d.Exit(false, false) != 0 {
				t.Errorf("exits %d and %d", regression, change)
			}
		})
	}
}

func TestDiffAddedAndRemoved(t *testing.T) {
	base := document(pass("gone", manifest.KindTokenCost), pass("stays", manifest.KindPagination))
	now := document(fail("new", manifest.KindTokenCost, reason.TokenBudgetExceeded), pass("stays", manifest.KindPagination))
	d := compared(t, base, now)
	var got []string
	for _, c := range d.Cases {
		got = append(got, fmt.Sprint(c.ID, " ", c.Change, " ", c.Base != nil, " ", c.Current != nil))
	}
	want := []string{"new added false true", "stays unchanged true true", "gone removed true false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(report.Summary{Added: 1, Removed: 1, Unchanged: 1, Total: 3}, d.Summary); diff != "" {
		t.Error(diff)
	}
	if d.Exit(true, false) != 0 || d.Exit(false, true) != 1 {
		t.Error("an added failure is a change and no regression")
	}
	if _, err := report.Compare(base.Generator, base, &report.Document{}); err == nil {
		t.Error("an invalid document is compared")
	}
}

func TestDiffWithItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDocument.Draw(t, "a"), genDocument.Draw(t, "b")
		d, err := report.Compare(a.Generator, a, a)
		if err != nil || d.Summary.Unchanged != d.Summary.Total || d.Exit(true, true) != 0 {
			t.Fatalf("%v %+v", err, d)
		}
		there, err := report.Compare(a.Generator, a, b)
		if err != nil {
			t.Fatal(err)
		}
		back, err := report.Compare(a.Generator, b, a)
		if err != nil {
			t.Fatal(err)
		}
		s, r := there.Summary, back.Summary
		if s.Added != r.Removed || s.Removed != r.Added || s.Total != r.Total || s.Unchanged != r.Unchanged {
			t.Fatalf("%+v and back %+v", s, r)
		}
	})
}

// A score that is gone is said, in text and Markdown, and gates nothing.
func TestDiffReadinessLost(t *testing.T) {
	generator := report.Generator{Name: label("mcpeval"), Version: version}
	measured := report.NewScore(version, label("demo"), &report.Readiness{Standard: report.NewStandard(3), Total: 9600, LostChecks: []report.Check{}}, "")
	lost := report.NewScore(version, label("demo"), nil, reason.DiscoveryIncomplete)
	const note = "readiness was measured before and could not be now"
	for _, tt := range []struct {
		name      string
		base, now *report.Document
		want      bool
	}{{"lost", measured, lost, true}, {"found", lost, measured, false}, {"still lost", lost, lost, false}, {"kept", measured, measured, false}} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := report.Compare(generator, tt.base, tt.now)
			if err != nil {
				t.Fatal(err)
			}
			text := string(d.Text(false))
			if got := strings.Contains(text, note); got != tt.want {
				t.Errorf("told: %v\n%s", got, text)
			}
			if got := strings.Contains(strings.ToLower(string(d.Markdown())), note); got != tt.want {
				t.Errorf("told in Markdown: %v", got)
			}
			if tt.now == lost && !strings.Contains(text, "readiness not measured: discovery-incomplete") {
				t.Errorf("the side does not say why:\n%s", text)
			}
			if code := d.Exit(true, false); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

func TestSideBySide(t *testing.T) {
	generator := report.Generator{Name: label("mcpeval"), Version: version}
	a, b := document(pass("x", manifest.KindTokenCost)), document(fail("x", manifest.KindTokenCost, reason.TokenBudgetExceeded))
	c := document(fail("x", manifest.KindTokenCost, reason.TransportClosed))
	elsewhere := document(pass("x", manifest.KindTokenCost))
	elsewhere.ManifestSHA256 = report.SHA256Of([]byte("another"))
	tests := []struct {
		name string
		docs []*report.Document
		exit int
		err  string
	}{
		{"one", []*report.Document{a}, 0, "needs two targets"},
		{"both pass", []*report.Document{a, a}, 0, ""},
		{"one fails", []*report.Document{a, b}, 1, ""},
		{"one breaks", []*report.Document{c, a, b}, 3, ""},
		{"another manifest", []*report.Document{a, elsewhere}, 0, "target 2"},
		{"another selection", []*report.Document{a, document(pass("y", manifest.KindTokenCost))}, 0, "target 2"},
		{"fewer cases", []*report.Document{a, document()}, 0, "target 2"},
		{"no gate", []*report.Document{a, report.NewScore(version, server, nil, "")}, 0, "target 2"},
		{"invalid", []*report.Document{a, {}}, 0, "schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := report.SideBySide(generator, tt.docs)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got %v, want %q", err, tt.err)
			}
			if err == nil && got.Exit() != tt.exit {
				t.Errorf("exit %d, want %d", got.Exit(), tt.exit)
			}
		})
	}
}
