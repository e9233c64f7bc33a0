package reason_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// The labels are API and are spelled here once more: none is renamed by accident.
var want = map[reason.Class][]reason.Label{
	reason.Failure: {
		"unexpected-outcome", "missing-field", "value-mismatch", "error-code-mismatch",
		"discovery-limit-exceeded", "token-budget-exceeded", "invalid-schema", "missing-required-argument",
		"expected-error", "unstable-error-code", "retryability-mismatch", "retry-did-not-recover",
		"failure-not-observed", "recovery-failed", "validation-failed", "contended-client-failed",
		"latency-budget-exceeded", "pagination-invalid-entry", "pagination-duplicate-tool",
		"pagination-stalled-cursor", "pagination-limit-exceeded", "payload-unhandled",
		"surface-invalid-envelope", "surface-stalled-cursor", "output-schema-declared-but-missing",
		"output-schema-field-missing", "output-schema-invalid-result", "cancellation-ignored",
		"cancellation-errored", "negotiation-echoed-unknown", "negotiation-invalid-version",
		"negotiation-inconsistent-support", "sampling-invalid-request", "sampling-request-flood",
		"sampling-stalled-call", "elicitation-invalid-request", "elicitation-request-flood",
		"elicitation-stalled-call", "resource-unreadable", "subscription-rejected",
		"subscription-notification-missing", "completion-invalid-request", "completion-value-flood",
		"completion-argument-unknown", "completion-stalled-request",
	},
	reason.Fault:         {"transport-timeout", "transport-closed", "transport-error", "evaluation-budget-exceeded"},
	reason.NotRun:        {"server-not-started"},
	reason.NotApplicable: {"capability_absent", "not_in_revision", "unobservable"},
	reason.Unmeasured:    {"discovery-incomplete"},
	reason.Gate:          {"stale-known-failure"},
	reason.Points: {
		"unknown-method-accepted", "no-sign-of-life", "unknown-tool-accepted", "description-too-short", "property-undescribed",
		"property-untyped", "read-only-hint-missing", "destructive-hint-missing", "output-schema-undeclared", "catalog-too-heavy",
		"tool-too-heavy", "call-failed", "outcome-inconsistent", "latency-too-high", "invalid-arguments-accepted", "refusal-unclear",
		"nothing-to-refuse", "no-reliable-tool", "tool-unannotated", "tool-skipped", "arguments-unbuildable", "no-tools-listed",
		"no-tool-to-call",
	},
}

func TestLabels(t *testing.T) {
	got := map[reason.Class][]reason.Label{}
	for _, r := range reason.All() {
		got[r.Class] = append(got[r.Class], r.Label)
	}
	for _, m := range []map[reason.Class][]reason.Label{want, got} {
		for class := range m {
			m[class] = slices.Sorted(slices.Values(m[class]))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRows(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+([-_][a-z]+)*$`)
	seen := map[reason.Label]bool{}
	for _, r := range reason.All() {
		if seen[r.Label] {
			t.Errorf("%s is there twice", r.Label)
		}
		seen[r.Label] = true
		if !form.MatchString(string(r.Label)) {
			t.Errorf("%q is no label", r.Label)
		}
		if strings.Contains(string(r.Label), "_") && r.Class != reason.NotApplicable {
			t.Errorf("%s: only reasons of cases that do not apply have underscores", r.Label)
		}
		for name, line := range map[string]string{"meaning": r.Meaning, "fix": r.Fix} {
			if line == "" || len(line) > 160 || strings.ContainsAny(line, "\n|<>`") || strings.HasSuffix(line, ".") {
				t.Errorf("%s: %s is no short line: %q", r.Label, name, line)
			}
		}
		if len(r.Explain) < 40 || !strings.HasSuffix(r.Explain, ".") || strings.Contains(r.Explain, "\n") {
			t.Errorf("%s: explanation %q", r.Label, r.Explain)
		}
		perCase := r.Class != reason.Unmeasured && r.Class != reason.Gate && r.Class != reason.Points
		if perCase != (len(r.Kinds) > 0) {
			t.Errorf("%s: kinds %v", r.Label, r.Kinds)
		}
		for _, k := range r.Kinds {
			if !k.Known() || !r.Gives(k) {
				t.Errorf("%s: unknown kind %s", r.Label, k)
			}
		}
		if of, ok := reason.Of(r.Label); !ok || of.Meaning != r.Meaning || reason.Fix(r.Label) != r.Fix {
			t.Errorf("%s is not found", r.Label)
		}
	}
}

func TestEveryKindCanFailAndFault(t *testing.T) {
	if n := len(reason.Kinds()); n != 20 {
		t.Fatalf("%d kinds", n)
	}
	for i, k := range reason.Kinds() {
		if k.Headline() != (i < 5) {
			t.Errorf("%s: headline is %v", k, k.Headline())
		}
		count := map[reason.Class]int{}
		for _, r := range reason.All() {
			if r.Gives(k) {
				count[r.Class]++
			}
		}
		if count[reason.Failure] == 0 || count[reason.Fault] != 4 || count[reason.NotRun] != 1 {
			t.Errorf("%s: %v", k, count)
		}
	}
	if reason.Kind("discovery_cost").Known() || reason.Kind("").Headline() {
		t.Error("an unknown kind is known")
	}
}

func TestLabelJSON(t *testing.T) {
	tests := []struct {
		label reason.Label
		want  string
	}{
		{"", "null"},
		{reason.TransportTimeout, `"transport-timeout"`},
		{"hunter2\"", "null"},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.label)
		if err != nil || string(got) != tt.want {
			t.Errorf("%q: %s, %v", tt.label, got, err)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := map[string]reason.Label{
		"timeout":            reason.TransportTimeout,
		"transport_closed":   reason.TransportClosed,
		"stale":              reason.StaleKnownFailure,
		"latency-budget":     reason.LatencyBudgetExceeded,
		"capability-absent":  reason.CapabilityAbsent,
		"zzz":                "",
		"":                   "",
		"unexpected-outcome": reason.UnexpectedOutcome,
	}
	for text, want := range tests {
		if got := reason.Nearest(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, r := range reason.All() {
		text := r.Text()
		for line := range strings.SplitSeq(text, "\n") {
			if len(line) > 80 || strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %q", r.Label, line)
			}
		}
		words := strings.Join(strings.Fields(text), " ")
		for _, part := range []string{string(r.Label), r.Meaning[1:], r.Fix[1:], r.Explain} {
			if !strings.Contains(words, part) {
				t.Errorf("%s: %q is missing", r.Label, part)
			}
		}
	}
	timeout, _ := reason.Of(reason.TransportTimeout)
	if text := timeout.Text(); !strings.Contains(text, "timeout_ms") || !strings.Contains(text, "probes: all") {
		t.Errorf("how to wait longer is not told:\n%s", text)
	}
	table := reason.Table()
	for _, l := range reason.Labels() {
		if !strings.Contains(table, "  "+string(l)+" ") {
			t.Errorf("%s is not in the table", l)
		}
	}
}

func TestTableCannotBeChanged(t *testing.T) {
	r, _ := reason.Of(reason.ValueMismatch)
	r.Kinds[0] = "hunter2"
	reason.All()[0].Kinds[0] = "hunter2"
	if again, _ := reason.Of(reason.ValueMismatch); slices.Contains(again.Kinds, "hunter2") || slices.Contains(reason.All()[0].Kinds, "hunter2") {
		t.Error("a caller changed the table")
	}
	if reason.ClassOf(reason.TransportClosed) != reason.Fault || reason.ClassOf("hunter2") != 0 {
		t.Error("wrong class")
	}
}
