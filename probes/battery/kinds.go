package battery

import "github.com/mcpeval/mcpeval/probes/manifest"

// probeOf makes a case of a manifest one that can be run.
func probeOf(c manifest.Case) probe {
	switch c := c.(type) {
	case *manifest.DiscoveryCost:
		return discoveryCost{c}
	case *manifest.SchemaGuessability:
		return schemaGuessability{c}
	case *manifest.ErrorHonesty:
		return errorHonesty{c}
	case *manifest.StateRecovery:
		return stateRecovery{c}
	case *manifest.Contention:
		return contention{c}
	case *manifest.TokenCost:
		return tokenCost{c}
	case *manifest.DegradationOverN:
		return degradationOverN{c}
	case *manifest.InstructionFidelity:
		return instructionFidelity{c}
	case *manifest.LatencyBudget:
		return latencyBudget{c}
	case *manifest.Pagination:
		return pagination{c}
	case *manifest.PayloadBounds:
		return payloadBounds{c}
	case *manifest.SurfaceListing:
		return surfaceListing{c}
	case *manifest.OutputSchema:
		return outputSchema{c}
	case *manifest.Cancellation:
		return cancellation{c}
	case *manifest.ProtocolNegotiation:
		return protocolNegotiation{c}
	case *manifest.Sampling:
		return sampling{c}
	case *manifest.Elicitation:
		return elicitation{c}
	case *manifest.ResourceSubscription:
		return resourceSubscription{c}
	case *manifest.Completion:
		return completion{c}
	case *manifest.Workflow:
		return workflow{c}
	}
	return nil
}
