package generate

import (
	"fmt"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

// Matches refuses a case that cannot speak for a finding: one that may write, one
// that does not call its tool, or, for a false success, one that would pass on
// it. Its error is a *Refusal.
func Matches(f *Finding, c manifest.Case) error {
	if err := f.callable(); err != nil {
		return err
	}
	head := c.Base()
	if head.Access != manifest.ReadOnly {
		return &Refusal{fmt.Sprintf("case %s is mutating, and a finding is verified by read-only cases only", head.ID), "give a case whose access is read_only"}
	}
	called, asserted := false, false
	for _, call := range manifest.ToolCalls(c) {
		called = called || call.Tool == f.Tool
	}
	if !called {
		return &Refusal{fmt.Sprintf("case %s does not call %s, the tool of %s", head.ID, f.Tool, f.ID), "mcpeval generate --finding " + f.ID + " --output FILE --confirm-read-only writes one that does"}
	}
	switch c := c.(type) {
	case *manifest.InstructionFidelity:
		asserted = asserts(&c.Expect)
	case *manifest.Workflow:
		for i := range c.Steps {
			asserted = asserted || c.Steps[i].Tool == f.Tool && asserts(&c.Steps[i].Expect)
		}
	}
	if f.Class == FalseSuccess && !asserted {
		return &Refusal{
			fmt.Sprintf("case %s does not say what the result should be, so that it would pass on the false success of %s", head.ID, f.ID),
			"give an instruction-fidelity case that expects fields or values; mcpeval generate --expect FILE writes one",
		}
	}
	return nil
}
