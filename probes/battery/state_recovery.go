package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// stateRecovery makes three calls in a session of its own: one that fails, one
// that recovers, one that proves it.
type stateRecovery struct{ *manifest.StateRecovery }

func (p stateRecovery) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.fresh(ctx, nil); err != nil {
		return verdict{}, err
	}
	wrong := []reason.Label{reason.FailureNotObserved, reason.RecoveryFailed, reason.ValidationFailed}
	for i, call := range p.Calls() {
		a, err := e.call(ctx, call)
		if err != nil {
			return verdict{}, err
		}
		if a.ok != (i > 0) {
			return e.failed(wrong[i]), nil
		}
	}
	return verdict{}, nil
}
