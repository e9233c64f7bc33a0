package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// degradationOverN repeats a call in a session of its own until it fails.
type degradationOverN struct{ *manifest.DegradationOverN }

func (p degradationOverN) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.fresh(ctx, nil); err != nil {
		return verdict{}, err
	}
	for n := range p.MaxAttempts {
		e.count(report.Successes, n)
		a, err := e.call(ctx, p.Call)
		if err != nil {
			return verdict{}, err
		}
		if !a.ok {
			return e.failed(reason.UnexpectedOutcome), nil
		}
	}
	e.count(report.Successes, p.MaxAttempts)
	return verdict{}, nil
}
