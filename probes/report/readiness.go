package report

import (
	"slices"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Readiness is the result of the standard battery: 0 to 100 points, the weighted
// mean of six areas.
type Readiness struct {
	Standard Standard `json:"standard"`
	Total    Score    `json:"total"`
	Areas    Areas    `json:"areas"`
	// LostChecks are all checks that cost points, in the order of their areas.
	LostChecks []Check `json:"lost_checks"`
}

// Areas are the scores of the areas, each of 100 points.
type Areas struct {
	Protocol     Score `json:"protocol"`
	Catalog      Score `json:"catalog"`
	Context      Score `json:"context"`
	Reliability  Score `json:"reliability"`
	ErrorHonesty Score `json:"error_honesty"`
	Coverage     Score `json:"coverage"`
}

// Check is one check that cost points.
type Check struct {
	ID CheckID `json:"id"`
	// Tool is the tool that was checked; null for a check of the whole server.
	Tool Tool `json:"tool" jsonschema:"nullable"`
	// Score is what the check got, of 100 points.
	Score Score `json:"score"`
	// Observed is what was found. It never holds a measured time.
	Observed Value `json:"observed" jsonschema:"nullable"`
	// Reason is why points were lost.
	Reason reason.Label `json:"reason" jsonschema:"nullable"`
	// Hint is the remedy that belongs to the reason. Encode sets it.
	Hint Hint `json:"hint" jsonschema:"nullable"`
}

// CheckID names a check of the standard battery.
type CheckID string

// The checks, by area.
const (
	CheckUnknownMethod   CheckID = "protocol.unknown-method"
	CheckLiveness        CheckID = "protocol.liveness"
	CheckUnknownTool     CheckID = "protocol.unknown-tool"
	CheckPagination      CheckID = "protocol.pagination"
	CheckSurfaces        CheckID = "protocol.surfaces"
	CheckNegotiation     CheckID = "protocol.negotiation"
	CheckDescription     CheckID = "catalog.description"
	CheckPropertyText    CheckID = "catalog.property-descriptions"
	CheckPropertyType    CheckID = "catalog.property-types"
	CheckReadOnlyHint    CheckID = "catalog.read-only-hint"
	CheckDestructiveHint CheckID = "catalog.destructive-hint"
	CheckOutputSchema    CheckID = "catalog.output-schema"
	CheckCatalogTokens   CheckID = "context.catalog-tokens"
	CheckHeaviestTool    CheckID = "context.heaviest-tool"
	CheckSuccess         CheckID = "reliability.success"
	CheckConsistency     CheckID = "reliability.consistency"
	CheckLatency         CheckID = "reliability.latency"
	CheckConformance     CheckID = "reliability.output-schema"
	CheckContention      CheckID = "reliability.contention"
	CheckPayload         CheckID = "reliability.payload"
	CheckRefusal         CheckID = "error-honesty.refusal"
	CheckRecovery        CheckID = "error-honesty.recovery"
	CheckCoverage        CheckID = "coverage.exercised"
)

// CheckIDs are all checks.
func CheckIDs() []CheckID {
	return []CheckID{
		CheckUnknownMethod, CheckLiveness, CheckUnknownTool, CheckPagination,
		CheckSurfaces, CheckNegotiation, CheckDescription, CheckPropertyText,
		CheckPropertyType, CheckReadOnlyHint, CheckDestructiveHint, CheckOutputSchema,
		CheckCatalogTokens, CheckHeaviestTool, CheckSuccess, CheckConsistency,
		CheckLatency, CheckConformance, CheckContention, CheckPayload, CheckRefusal,
		CheckRecovery, CheckCoverage,
	}
}

// Known reports whether id is one of CheckIDs.
func (id CheckID) Known() bool { return slices.Contains(CheckIDs(), id) }
