package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// errorHonesty repeats a failing call in a session of its own. Its code must
// stay; an error that can be retried must pass within the bound, and one that
// cannot must not.
type errorHonesty struct{ *manifest.ErrorHonesty }

func (p errorHonesty) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.fresh(ctx, nil); err != nil {
		return verdict{}, err
	}
	var first string
	for n := range p.MaxAttempts {
		a, err := e.call(ctx, p.Call)
		if err != nil {
			return verdict{}, err
		}
		switch {
		case n == 0 && a.ok:
			return e.failed(reason.ExpectedError), nil
		case n == 0:
			first = a.code()
			e.count(report.ErrorCodes, 1)
			e.flag(report.Retryable, a.retryable())
			e.flag(report.Recovered, false)
		case a.ok:
			e.flag(report.Recovered, true)
			if !p.ExpectRetryable {
				return p.mismatch(e), nil
			}
			return verdict{}, nil
		case a.code() != first:
			e.count(report.ErrorCodes, 2)
			return e.failed(reason.UnstableErrorCode), nil
		}
		if a.retryable() != p.ExpectRetryable {
			return p.mismatch(e), nil
		}
	}
	if p.ExpectRetryable {
		v := over(reason.RetryDidNotRecover, report.MaxAttempts, p.MaxAttempts, e.attempts)
		v.first = e.attempts
		return v, nil
	}
	return verdict{}, nil
}

func (p errorHonesty) mismatch(e *env) verdict {
	v := e.failed(reason.RetryabilityMismatch)
	v.detail = report.Unmet(report.ExpectRetry, p.ExpectRetryable)
	return v
}
