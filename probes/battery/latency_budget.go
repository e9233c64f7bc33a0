package battery

import (
	"context"
	"time"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// latencyBudget bounds the slowest of some calls. All of them are made, so that
// only the verdict and latency_ms depend on time.
type latencyBudget struct{ *manifest.LatencyBudget }

func (p latencyBudget) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.common(ctx); err != nil {
		return verdict{}, err
	}
	var slowest time.Duration
	for range p.Attempts {
		a, err := e.call(ctx, p.Call)
		if err != nil {
			return verdict{}, err
		}
		if !a.ok {
			return e.failed(reason.UnexpectedOutcome), nil
		}
		slowest = max(slowest, a.Latency)
	}
	e.measured[report.LatencyMS] = report.Int(int64((slowest + time.Millisecond - 1) / time.Millisecond))
	if slowest > time.Duration(p.MaxLatencyMS)*time.Millisecond {
		return over(reason.LatencyBudgetExceeded, report.MaxLatencyMS, p.MaxLatencyMS, 0), nil
	}
	return verdict{}, nil
}
