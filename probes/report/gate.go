package report

import "github.com/mcpeval/mcpeval/probes/reason"

// Exit codes of a run that was begun.
const (
	ExitPassed     = 0
	ExitFailed     = 1 // it completed and found something wrong
	ExitIncomplete = 3 // a case could not be judged
)

// Count counts cases by their verdicts.
func Count(cases []Case) Gate {
	var g Gate
	for i := range cases {
		g.Total++
		switch c := &cases[i]; {
		case c.Passed == Pass:
			g.Passed++
		case c.Passed == Fail:
			g.Failed++
		case reason.ClassOf(c.Reason) == reason.NotRun:
			g.NotRun++
		default:
			g.NotApplicable++
		}
	}
	return g
}

// faulted reports whether some case could not be judged to its end.
func faulted(cases []Case) bool {
	for i := range cases {
		switch reason.ClassOf(cases[i].Reason) {
		case reason.Fault, reason.NotRun:
			return true
		}
	}
	return false
}

// Rules are what an invocation asks of its gate. The zero value asks that every
// case that applies passes, and that one does.
type Rules struct {
	// AllowEmpty lets a gate pass in which no case was judged.
	AllowEmpty bool
	// Known are the cases that are expected to fail.
	Known []CaseID
	// Declared are all cases of the manifest, selected or not: a known failure that
	// is not among them is stale. nil means that all were selected.
	Declared []CaseID
}

// Outcome is the verdict of a gate.
type Outcome struct {
	Gate   Gate
	Passed bool
	Exit   int // an Exit constant

	// Incomplete: a case could not be judged to its end.
	Incomplete bool
	// Empty: no case was judged.
	Empty bool
	// Excused are the cases that failed as expected, in their order.
	Excused []CaseID
	// Stale are the known failures that passed or that the manifest does not have,
	// in the order of the rules.
	Stale []CaseID
}

// Judge decides a gate. A fault is never excused: a known failure is a verdict,
// and a case that could not be judged has none. A known failure that does not
// apply to the server is neither excused nor stale.
func Judge(cases []Case, rules Rules) Outcome {
	o := Outcome{Gate: Count(cases), Incomplete: faulted(cases)}
	o.Empty = o.Gate.Passed+o.Gate.Failed == 0

	known := make(map[CaseID]bool, len(rules.Known))
	for _, id := range rules.Known {
		known[id] = true
	}
	selected := make(map[CaseID]*Case, len(cases))
	unexcused := 0
	for i := range cases {
		c := &cases[i]
		selected[c.ID] = c
		switch {
		case c.Passed != Fail:
		case known[c.ID] && reason.ClassOf(c.Reason) == reason.Failure:
			o.Excused = append(o.Excused, c.ID)
		default:
			unexcused++
		}
	}
	declared := make(map[CaseID]bool, len(rules.Declared))
	for _, id := range rules.Declared {
		declared[id] = true
	}
	for _, id := range rules.Known {
		if c, ok := selected[id]; ok && c.Passed == Pass || !ok && !declared[id] {
			o.Stale = append(o.Stale, id)
		}
	}

	switch {
	case o.Incomplete:
		o.Exit = ExitIncomplete
	case unexcused > 0, len(o.Stale) > 0, o.Empty && !rules.AllowEmpty:
		o.Exit = ExitFailed
	}
	o.Passed = o.Exit == ExitPassed
	return o
}
