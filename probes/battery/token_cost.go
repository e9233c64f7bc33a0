package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// tokenCost bounds what the catalog, and the heaviest tool, cost a model.
type tokenCost struct{ *manifest.TokenCost }

func (p tokenCost) run(_ context.Context, e *env) (verdict, error) {
	e.attempts = 1
	total, heaviest := e.catalog.Tokens, e.catalog.Heaviest
	e.count(report.TotalTokens, total)
	e.count(report.HeaviestToolTokens, heaviest)
	e.count(report.Tools, len(e.catalog.Entries))
	switch {
	case total > p.MaxTotalTokens:
		return over(reason.TokenBudgetExceeded, report.MaxTotalTokens, p.MaxTotalTokens, total), nil
	case p.MaxToolTokens > 0 && heaviest > p.MaxToolTokens:
		return over(reason.TokenBudgetExceeded, report.MaxToolTokens, p.MaxToolTokens, heaviest), nil
	}
	return verdict{}, nil
}
