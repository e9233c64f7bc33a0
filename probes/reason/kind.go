package reason

import "slices"

// Kind is a kind of probe, as it stands in a manifest.
type Kind string

// The kinds. The first five are the headline dimensions.
const (
	DiscoveryCost        Kind = "discovery-cost"
	SchemaGuessability   Kind = "schema-guessability"
	ErrorHonesty         Kind = "error-honesty"
	StateRecovery        Kind = "state-recovery"
	Contention           Kind = "contention"
	TokenCost            Kind = "token-cost"
	DegradationOverN     Kind = "degradation-over-n"
	InstructionFidelity  Kind = "instruction-fidelity"
	LatencyBudget        Kind = "latency-budget"
	Pagination           Kind = "pagination"
	PayloadBounds        Kind = "payload-bounds"
	SurfaceListing       Kind = "surface-listing"
	OutputSchema         Kind = "output-schema"
	Cancellation         Kind = "cancellation"
	ProtocolNegotiation  Kind = "protocol-negotiation"
	Sampling             Kind = "sampling"
	Elicitation          Kind = "elicitation"
	ResourceSubscription Kind = "resource-subscription"
	Completion           Kind = "completion"
	Workflow             Kind = "workflow"
)

// Kinds are all kinds, the headline dimensions first.
func Kinds() []Kind {
	return []Kind{
		DiscoveryCost, SchemaGuessability, ErrorHonesty, StateRecovery, Contention,
		TokenCost, DegradationOverN, InstructionFidelity, LatencyBudget, Pagination,
		PayloadBounds, SurfaceListing, OutputSchema, Cancellation, ProtocolNegotiation,
		Sampling, Elicitation, ResourceSubscription, Completion, Workflow,
	}
}

// Known reports whether k is one of Kinds.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// Headline reports whether k is one of the five headline dimensions.
func (k Kind) Headline() bool { return slices.Contains(Kinds()[:5], k) }
