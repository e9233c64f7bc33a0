package demo

import (
	"fmt"
	"slices"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// negotiationAspects spoil what is said about versions.
func negotiationAspects() []Aspect {
	return []Aspect{{
		Name: "version-echoed", Text: "every version that is asked for is accepted, those that do not exist, too",
		Effects: effects(reason.NegotiationEchoedUnknown, "protocol-negotiation"),
		hooks: hooks{anyVersion: true, hello: func(asked string, result object) {
			result["protocolVersion"] = asked
		}},
	}, {
		Name: "version-undated", Text: "the version in place of an unknown one, or a listed one, is latest",
		Effects: effects(reason.NegotiationInvalid, "protocol-negotiation"),
		hooks: hooks{
			hello: onUnknown(func(result object) { result["protocolVersion"] = "latest" }),
			discovered: func(result object) {
				if list, ok := result["supportedVersions"].([]string); ok {
					result["supportedVersions"] = append(slices.Clone(list), "latest")
				}
			},
		},
	}, {
		Name: "version-not-granted", Text: "the version in place of an unknown one is refused when it is asked for",
		Effects: effects(reason.NegotiationInconsistent, "protocol-negotiation"),
		hooks: hooks{
			hello: func(asked string, result object) {
				switch {
				case !slices.Contains(revisions(), asked):
					result["protocolVersion"] = revision2025b
				case asked == revision2025b:
					result["protocolVersion"] = revision2025a
				}
			},
			unsupported: func(data object) { data["supported"] = []string{revision2025b} },
		},
	}}
}

func onUnknown(f func(result object)) func(string, object) {
	return func(asked string, result object) {
		if !slices.Contains(revisions(), asked) {
			f(result)
		}
	}
}

// askAspects spoil what tools ask of the client.
func askAspects() []Aspect {
	on := func(capability string, f func(a *asking)) func(*asking) {
		return func(a *asking) {
			if a.capability == capability {
				f(a)
			}
		}
	}
	row := func(name, text, capability string, label reason.Label, f func(a *asking)) Aspect {
		return Aspect{Name: name, Text: text, Effects: effects(label, capability), hooks: hooks{asking: on(capability, f)}}
	}
	const sampling, elicitation = "sampling", "elicitation"
	return []Aspect{
		row("sampling-invalid", "sampling requests have no messages", sampling, reason.SamplingInvalidRequest,
			func(a *asking) { delete(a.params, "messages") }),
		row("sampling-no-tokens", "sampling requests have a maxTokens of 0", sampling, reason.SamplingInvalidRequest,
			func(a *asking) { a.params["maxTokens"] = 0 }),
		row("sampling-flood", "a call makes twenty sampling requests", sampling, reason.SamplingRequestFlood,
			func(a *asking) { a.times = 20 }),
		row("sampling-stalled", "a call is never answered after its sampling request was", sampling, reason.SamplingStalledCall,
			func(a *asking) { a.stalls = true }),
		row("elicitation-no-message", "elicitation requests have no message", elicitation, reason.ElicitationInvalidRequest,
			func(a *asking) { delete(a.params, "message") }),
		row("elicitation-nested", "the form of an elicitation has a nested object", elicitation, reason.ElicitationInvalidRequest,
			func(a *asking) {
				a.params["requestedSchema"] = object{"type": "object", "properties": object{
					"days": object{"type": "object", "properties": object{"first": object{"type": "integer"}}},
				}}
			}),
		row("elicitation-undeclared", "plan_trip asks clients that do not declare elicitation, too", elicitation, reason.ElicitationInvalidRequest,
			func(a *asking) { a.always = true }),
		row("elicitation-flood", "a call makes twenty elicitation requests", elicitation, reason.ElicitationRequestFlood,
			func(a *asking) { a.times = 20 }),
		row("elicitation-stalled", "a call is never answered after its elicitation was", elicitation, reason.ElicitationStalledCall,
			func(a *asking) { a.stalls = true }),
	}
}

// cancelAspects spoil cancellation. Over HTTP in 2026-07-28 nothing of it can be
// seen from outside.
func cancelAspects() []Aspect {
	unseen := []Where{HTTP | Modern}
	return []Aspect{{
		Name: "cancel-ignored", Text: "a cancelled call goes on to its end and is answered",
		Effects: effects(reason.CancellationIgnored, "cancellation"), Hidden: unseen,
		hooks: hooks{deaf: true},
	}, {
		Name: "cancel-error", Text: "a cancelled call is answered with an internal error",
		Effects: effects(reason.CancellationErrored, "cancellation"), Hidden: unseen,
		hooks: hooks{cancel: func(*exchange) reply { return refusal(codeInternal, "Internal error") }},
	}, {
		Name: "cancel-exit", Text: "a cancellation ends the server",
		Effects: effects(reason.CancellationErrored, "cancellation"), Hidden: unseen,
		hooks: hooks{afterCancel: startExits},
	}, {
		Name: "cancel-hang", Text: "after a cancellation nothing is answered any more",
		Effects: effects(reason.CancellationErrored, "cancellation"), Hidden: unseen,
		hooks: hooks{afterCancel: startSilent},
	}}
}

// resourceAspects spoil subscriptions.
func resourceAspects() []Aspect {
	return []Aspect{{
		Name: "resource-unreadable", Text: "resources/read is an internal error",
		Effects: effects(reason.ResourceUnreadable, "resource-subscription"),
		hooks:   hooks{method: onMethod(func(*exchange) reply { return refusal(codeInternal, "Internal error") }, "resources/read")},
	}, {
		Name: "subscribe-undefined", Text: "subscribing is an unknown method although it is declared",
		Effects: effects(reason.SubscriptionRejected, "resource-subscription"),
		hooks: hooks{method: onMethod(func(*exchange) reply {
			return refusal(codeUnknownMethod, "Method not found")
		}, "resources/subscribe", "subscriptions/listen")},
	}, {
		Name: "unsubscribe-fails", Text: "resources/unsubscribe is an internal error",
		Effects: effects(reason.SubscriptionRejected, "resource-subscription"), Hidden: only(Legacy),
		hooks: hooks{method: onMethod(func(*exchange) reply { return refusal(codeInternal, "Internal error") }, "resources/unsubscribe")},
	}, {
		Name: "listen-not-honoured", Text: "subscriptions/listen acknowledges none of the resources",
		Effects: effects(reason.SubscriptionRejected, "resource-subscription"), Hidden: only(Modern),
		hooks: hooks{listening: func(l *listener) { l.uris = nil }},
	}, {
		Name: "update-missing", Text: "no updates of subscribed resources are sent",
		Effects: effects(reason.SubscriptionMissing, "resource-subscription"),
		hooks:   hooks{updated: func(string) []string { return nil }},
	}, {
		Name: "update-elsewhere", Text: "updates are sent for another resource",
		Effects: effects(reason.SubscriptionMissing, "resource-subscription"),
		hooks:   hooks{updated: func(string) []string { return []string{stationURI("tokyo")} }},
	}}
}

// completionAspects spoil completion/complete, which is as old as its
// capability here: 2025-03-26.
func completionAspects() []Aspect {
	const both, template = "completion", "completion-template"
	return []Aspect{{
		Name: "completion-numbers", Text: "completion values are numbers",
		Effects: effects(reason.CompletionInvalidRequest, both, template),
		hooks:   hooks{completed: func(c *completed) { c.values = []int{1, 2} }},
	}, {
		Name: "completion-fails", Text: "completion/complete is an internal error",
		Effects: effects(reason.CompletionInvalidRequest, both, template),
		hooks:   hooks{method: onMethod(func(*exchange) reply { return refusal(codeInternal, "Internal error") }, "completion/complete")},
	}, {
		Name: "completion-flood", Text: "completion/complete answers with 120 values",
		Effects: effects(reason.CompletionValueFlood, both, template),
		hooks: hooks{completed: func(c *completed) {
			var values []string
			for i := range 120 {
				values = append(values, fmt.Sprintf("s-%03d", i+1))
			}
			c.values, c.total = values, len(values)
		}},
	}, {
		Name: "completion-unknown", Text: "completion/complete knows none of the declared arguments",
		Effects: effects(reason.CompletionArgumentUnknown, both, template),
		hooks: hooks{method: onMethod(func(*exchange) reply {
			return refusal(codeInvalidParams, "there is no such reference or argument to complete")
		}, "completion/complete")},
	}, {
		Name: "completion-hang", Text: "completion/complete is never answered",
		Effects: effects(reason.CompletionStalledRequest, both, template),
		hooks:   hooks{method: onMethod(func(*exchange) reply { return silence() }, "completion/complete")},
	}}
}
