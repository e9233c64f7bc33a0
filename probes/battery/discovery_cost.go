package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// discoveryCost bounds the number of tools and the bytes of their entries.
type discoveryCost struct{ *manifest.DiscoveryCost }

func (p discoveryCost) run(_ context.Context, e *env) (verdict, error) {
	e.attempts = 1
	tools, bytes := len(e.catalog.Entries), e.catalog.Bytes
	e.count(report.Tools, tools)
	e.count(report.CatalogBytes, bytes)
	switch {
	case tools > p.MaxTools:
		return over(reason.DiscoveryLimitExceeded, report.MaxTools, p.MaxTools, tools), nil
	case bytes > p.MaxSchemaBytes:
		return over(reason.DiscoveryLimitExceeded, report.MaxSchemaBytes, p.MaxSchemaBytes, bytes), nil
	}
	return verdict{}, nil
}
