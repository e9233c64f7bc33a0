package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

var compareIDs = cmp.Comparer(func(a, b report.CaseID) bool { return a == b })

func ids(names ...string) (list []report.CaseID) {
	for _, s := range names {
		list = append(list, caseID(s))
	}
	return list
}

func TestJudge(t *testing.T) {
	var (
		good   = pass("good", manifest.KindTokenCost)
		bad    = fail("bad", manifest.KindTokenCost, reason.TokenBudgetExceeded)
		late   = fail("late", manifest.KindLatencyBudget, reason.TransportTimeout)
		spent  = fail("spent", manifest.KindLatencyBudget, reason.EvaluationBudgetExceeded)
		absent = other("absent", manifest.KindCompletion, reason.CapabilityAbsent)
		idle   = other("idle", manifest.KindTokenCost, reason.ServerNotStarted)
	)
	tests := []struct {
		name  string
		cases []report.Case
		rules report.Rules
		want  report.Outcome
	}{
		{"all pass", []report.Case{good}, report.Rules{}, report.Outcome{Gate: report.Gate{Passed: 1, Total: 1}, Passed: true}},
		{"one fails", []report.Case{good, bad}, report.Rules{}, report.Outcome{Gate: report.Gate{Passed: 1, Failed: 1, Total: 2}, Exit: 1}},
		{"one does not apply", []report.Case{good, absent}, report.Rules{}, report.Outcome{Gate: report.Gate{Passed: 1, NotApplicable: 1, Total: 2}, Passed: true}},
		{"none applies", []report.Case{absent}, report.Rules{}, report.Outcome{Gate: report.Gate{NotApplicable: 1, Total: 1}, Exit: 1, Empty: true}},
		{"none applies, allowed", []report.Case{absent}, report.Rules{AllowEmpty: true}, report.Outcome{Gate: report.Gate{NotApplicable: 1, Total: 1}, Passed: true, Empty: true}},
		{"no case", nil, report.Rules{}, report.Outcome{Exit: 1, Empty: true}},
		{"allow-empty hides no failure", []report.Case{bad, absent}, report.Rules{AllowEmpty: true}, report.Outcome{Gate: report.Gate{Failed: 1, NotApplicable: 1, Total: 2}, Exit: 1}},
		{"a fault wins over a failure", []report.Case{bad, late}, report.Rules{}, report.Outcome{Gate: report.Gate{Failed: 2, Total: 2}, Exit: 3, Incomplete: true}},
		{"the budget is spent", []report.Case{good, spent}, report.Rules{}, report.Outcome{Gate: report.Gate{Passed: 1, Failed: 1, Total: 2}, Exit: 3, Incomplete: true}},
		{"the server never started", []report.Case{idle}, report.Rules{AllowEmpty: true}, report.Outcome{Gate: report.Gate{NotRun: 1, Total: 1}, Exit: 3, Incomplete: true, Empty: true}},
		{"known failure", []report.Case{good, bad}, report.Rules{Known: ids("bad")}, report.Outcome{Gate: report.Gate{Passed: 1, Failed: 1, Total: 2}, Passed: true, Excused: ids("bad")}},
		{"stale", []report.Case{good, bad}, report.Rules{Known: ids("bad", "good")}, report.Outcome{Gate: report.Gate{Passed: 1, Failed: 1, Total: 2}, Exit: 1, Excused: ids("bad"), Stale: ids("good")}},
		{"stale: no such case", []report.Case{good}, report.Rules{Known: ids("gone")}, report.Outcome{Gate: report.Gate{Passed: 1, Total: 1}, Exit: 1, Stale: ids("gone")}},
		{"known but not selected", []report.Case{good}, report.Rules{Known: ids("gone"), Declared: ids("good", "gone")}, report.Outcome{Gate: report.Gate{Passed: 1, Total: 1}, Passed: true}},
		{"known and not applicable", []report.Case{good, absent}, report.Rules{Known: ids("absent")}, report.Outcome{Gate: report.Gate{Passed: 1, NotApplicable: 1, Total: 2}, Passed: true}},
		{"a fault is never excused", []report.Case{good, late}, report.Rules{Known: ids("late")}, report.Outcome{Gate: report.Gate{Passed: 1, Failed: 1, Total: 2}, Exit: 3, Incomplete: true}},
		{"known and not run", []report.Case{idle}, report.Rules{Known: ids("idle")}, report.Outcome{Gate: report.Gate{NotRun: 1, Total: 1}, Exit: 3, Incomplete: true, Empty: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, report.Judge(tt.cases, tt.rules), compareIDs); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGateAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDocument.Draw(t, "document")
		g := report.Count(d.Cases)
		if g.Passed+g.Failed+g.NotApplicable+g.NotRun != g.Total || g.Total != int64(len(d.Cases)) {
			t.Fatalf("%+v", g)
		}
		var every []report.CaseID
		for _, c := range d.Cases {
			every = append(every, c.ID)
		}
		o := report.Judge(d.Cases, report.Rules{Known: every})
		if o.Passed && int64(len(o.Excused)) != g.Failed || o.Passed != (o.Exit == 0) {
			t.Fatalf("%+v", o)
		}
	})
}

func TestParseKnown(t *testing.T) {
	tests := []struct {
		name, text, want string // want is the error's path
		ids              []report.CaseID
	}{
		{"empty", "", "", nil},
		{"lines", "a\nb.c\n", "", ids("a", "b.c")},
		{"comments and blanks", "# why\n\n a # because\r\n\tb\r\n", "", ids("a", "b")},
		{"no last newline", "a", "", ids("a")},
		{"byte order mark", "\ufeffa\n", "", ids("a")},
		{"not an id", "a\n1b\n", "known failures, line 2", nil},
		{"two on a line", "hunter2 secret\n", "known failures, line 1", nil},
		{"twice", "a\nb\na\n", "known failures, line 3", nil},
		{"not UTF-8", "a\xff\n", "known failures", nil},
		{"too large", string(make([]byte, 1<<20+1)), "known failures", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := report.ParseKnown([]byte(tt.text))
			e, _ := err.(*report.Error)
			if (err == nil) != (tt.want == "") || e != nil && e.Path != tt.want {
				t.Fatalf("error %v, want one at %q", err, tt.want)
			}
			if diff := cmp.Diff(tt.ids, got, compareIDs); diff != "" {
				t.Error(diff)
			}
		})
	}
}
