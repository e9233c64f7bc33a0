package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

// instructionFidelity compares what a call returns with what it should.
type instructionFidelity struct{ *manifest.InstructionFidelity }

func (p instructionFidelity) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.common(ctx); err != nil {
		return verdict{}, err
	}
	a, err := e.call(ctx, p.Call)
	if err != nil {
		return verdict{}, err
	}
	if l := unmet(&p.Expect, a); l != "" {
		return e.failed(l), nil
	}
	return verdict{}, nil
}
