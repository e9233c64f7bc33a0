package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// outputSchema holds the result of a call against the schema that the tool
// declares for it. Errors are exempt: they only show that the call is no use
// here.
type outputSchema struct{ *manifest.OutputSchema }

func (p outputSchema) run(ctx context.Context, e *env) (verdict, error) {
	if e.revision < client.Revision2025b {
		return because(reason.NotInRevision), nil
	}
	tool := e.catalog.Tool(p.Tool)
	declared, ok := tool.Get("outputSchema")
	if !tool.IsZero() && !ok {
		return because(reason.CapabilityAbsent), nil
	}
	var s *schema.Schema
	if ok {
		var problem schemaProblem
		if s, problem = e.compile(declared); problem.broken() {
			return because(reason.InvalidSchema), nil
		}
	}
	if _, err := e.common(ctx); err != nil {
		return verdict{}, err
	}
	a, err := e.call(ctx, p.Call)
	switch {
	case err != nil:
		return verdict{}, err
	case !a.ok:
		return e.failed(reason.UnexpectedOutcome), nil
	case !ok: // a tool that is not listed, and yet can be called
		return because(reason.CapabilityAbsent), nil
	}
	structured, ok := a.Result.Get("structuredContent")
	if !ok {
		return e.failed(reason.OutputSchemaMissing), nil
	}
	if s == nil {
		return verdict{}, nil // what our limits keep from being judged counts for the server
	}
	found, err := s.Validate(structured)
	if err != nil || found.Valid() {
		return verdict{}, nil
	}
	for _, v := range found.Violations {
		if v.Keyword != "required" {
			return e.failed(reason.OutputSchemaInvalid), nil
		}
	}
	return e.failed(reason.OutputSchemaFieldMissing), nil
}
