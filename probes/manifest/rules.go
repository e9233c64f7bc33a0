package manifest

import "strconv"

// The rules over several fields, which no tag can hold:
//
//   - ids are unique;
//   - a read-only case names no sandbox, and a workflow is read-only;
//   - trigger_arguments come with a trigger_tool;
//   - an expectation of ok has no error_code, one of error nothing but it.
//
// Whether a mutating case names a declared sandbox is a matter of Refusals.

// checkCase holds one case against the rules. at is its path.
func checkCase(c Case, at string) *Error {
	head := c.Base()
	if head.Access == ReadOnly && head.Sandbox != "" {
		return &Error{Path: at + ".sandbox", Problem: NotAllowed}
	}
	switch c := c.(type) {
	case *Workflow:
		if c.Access != ReadOnly {
			return &Error{Path: at + ".access", Problem: NotAllowed}
		}
		for i := range c.Steps {
			if err := checkExpect(&c.Steps[i].Expect, at+".steps["+strconv.Itoa(i)+"].expect"); err != nil {
				return err
			}
		}
	case *InstructionFidelity:
		return checkExpect(&c.Expect, at+".expect")
	case *ResourceSubscription:
		if c.TriggerTool == "" && c.TriggerArguments != nil {
			return &Error{Path: at + ".trigger_arguments", Problem: NotAllowed}
		}
	}
	return nil
}

func checkExpect(e *Expect, at string) *Error {
	forOK := []struct {
		name string
		set  bool
	}{
		{"required_result_fields", e.RequiredResultFields != nil},
		{"equals", e.Equals != nil},
		{"required_result_paths", e.RequiredResultPaths != nil},
		{"equals_paths", e.EqualsPaths != nil},
	}
	if e.Outcome == "ok" {
		if e.ErrorCode != nil {
			return &Error{Path: at + ".error_code", Problem: NotAllowed}
		}
		return nil
	}
	for _, f := range forOK {
		if f.set {
			return &Error{Path: at + "." + f.name, Problem: NotAllowed}
		}
	}
	return nil
}

// Refusal is a case that may not run, and why.
type Refusal struct {
	ID     string
	Reason Reason
}

// Reason says why a mutating case may not run. Its text is fixed.
type Reason string

// The reasons.
const (
	NoSandbox         Reason = "names no sandbox"
	UndeclaredSandbox Reason = "names a sandbox that the manifest does not declare"
	MutationNotGiven  Reason = "needs --allow-mutation"
)

// Refusals lists every mutating case among the given ones that may not run, in
// their order. It is empty when the run may begin. Both gates have to be open:
// the manifest's sandbox and the caller's flag.
func (m *Manifest) Refusals(cases []Case, allowMutation bool) []Refusal {
	var list []Refusal
	for _, c := range cases {
		head := c.Base()
		if head.Access == ReadOnly {
			continue
		}
		_, declared := m.Sandboxes[head.Sandbox]
		switch {
		case head.Sandbox == "":
			list = append(list, Refusal{head.ID, NoSandbox})
		case !declared:
			list = append(list, Refusal{head.ID, UndeclaredSandbox})
		case !allowMutation:
			list = append(list, Refusal{head.ID, MutationNotGiven})
		}
	}
	return list
}
