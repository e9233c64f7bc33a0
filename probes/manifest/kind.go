package manifest

import "slices"

// Kind is a kind of probe.
type Kind string

// The kinds. The first five are the headline dimensions.
const (
	KindDiscoveryCost        Kind = "discovery-cost"
	KindSchemaGuessability   Kind = "schema-guessability"
	KindErrorHonesty         Kind = "error-honesty"
	KindStateRecovery        Kind = "state-recovery"
	KindContention           Kind = "contention"
	KindTokenCost            Kind = "token-cost"
	KindDegradationOverN     Kind = "degradation-over-n"
	KindInstructionFidelity  Kind = "instruction-fidelity"
	KindLatencyBudget        Kind = "latency-budget"
	KindPagination           Kind = "pagination"
	KindPayloadBounds        Kind = "payload-bounds"
	KindSurfaceListing       Kind = "surface-listing"
	KindOutputSchema         Kind = "output-schema"
	KindCancellation         Kind = "cancellation"
	KindProtocolNegotiation  Kind = "protocol-negotiation"
	KindSampling             Kind = "sampling"
	KindElicitation          Kind = "elicitation"
	KindResourceSubscription Kind = "resource-subscription"
	KindCompletion           Kind = "completion"
	KindWorkflow             Kind = "workflow"
)

// Kinds lists the kinds in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		KindDiscoveryCost, KindSchemaGuessability, KindErrorHonesty, KindStateRecovery, KindContention, KindTokenCost,
		KindDegradationOverN, KindInstructionFidelity, KindLatencyBudget, KindPagination, KindPayloadBounds,
		KindSurfaceListing, KindOutputSchema, KindCancellation, KindProtocolNegotiation, KindSampling, KindElicitation,
		KindResourceSubscription, KindCompletion, KindWorkflow,
	}
}

// Known reports whether k is a kind.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// Headline reports whether k is one of the five headline dimensions.
func (k Kind) Headline() bool { return slices.Index(Kinds(), k) <= 4 && k.Known() }

// New is an empty case of the kind, with Probe set, or nil for an unknown kind.
func New(k Kind) Case {
	var c Case
	switch k {
	case KindDiscoveryCost:
		c = &DiscoveryCost{}
	case KindSchemaGuessability:
		c = &SchemaGuessability{}
	case KindErrorHonesty:
		c = &ErrorHonesty{}
	case KindStateRecovery:
		c = &StateRecovery{}
	case KindContention:
		c = &Contention{}
	case KindTokenCost:
		c = &TokenCost{}
	case KindDegradationOverN:
		c = &DegradationOverN{}
	case KindInstructionFidelity:
		c = &InstructionFidelity{}
	case KindLatencyBudget:
		c = &LatencyBudget{}
	case KindPagination:
		c = &Pagination{}
	case KindPayloadBounds:
		c = &PayloadBounds{}
	case KindSurfaceListing:
		c = &SurfaceListing{}
	case KindOutputSchema:
		c = &OutputSchema{}
	case KindCancellation:
		c = &Cancellation{}
	case KindProtocolNegotiation:
		c = &ProtocolNegotiation{}
	case KindSampling:
		c = &Sampling{}
	case KindElicitation:
		c = &Elicitation{}
	case KindResourceSubscription:
		c = &ResourceSubscription{}
	case KindCompletion:
		c = &Completion{}
	case KindWorkflow:
		c = &Workflow{}
	default:
		return nil
	}
	c.Base().Probe = k
	return c
}
