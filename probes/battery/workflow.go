package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/report"
)

// workflow runs steps in order, all in one fresh session, and stops at the first
// that is not as expected.
type workflow struct{ *manifest.Workflow }

func (p workflow) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.fresh(ctx, nil); err != nil {
		return verdict{}, err
	}
	e.count(report.StepsPassed, 0)
	for range p.Repetitions {
		for i := range p.Steps {
			step := &p.Steps[i]
			a, err := e.call(ctx, step.Call)
			if err != nil {
				return verdict{}, err
			}
			if l := unmet(&step.Expect, a); l != "" {
				return e.failed(l), nil
			}
			e.count(report.StepsPassed, e.attempts)
		}
	}
	return verdict{}, nil
}
