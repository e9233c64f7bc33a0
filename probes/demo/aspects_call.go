package demo

import (
	"slices"
	"time"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// largest is the longest argument, in bytes, that the payload aspects bear.
const largest = 64 << 10

// callAspects spoil how tools answer.
func callAspects() []Aspect {
	return []Aspect{{
		Name: "tool-fails", Text: "every tool call fails with isError",
		Effects: effects(reason.UnexpectedOutcome, "schema-guessability", "degradation-over-n", "instruction-fidelity", "latency-budget",
			"output-schema", "cancellation", "sampling", "elicitation", "resource-subscription", "workflow"),
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			return x.toolResult(c, failure("the station is out of order"), true), true
		}},
	}, {
		Name: "wears-out", Text: "from the fourth call of a tool on, it fails",
		Effects: effects(reason.UnexpectedOutcome, "degradation-over-n"),
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			if c.nth <= 3 {
				return reply{}, false
			}
			return x.toolResult(c, failure("no connections are left"), true), true
		}},
	}, {
		Name: "flaky", Text: "every third tool call fails with an error that says it can be retried",
		Effects: effects(reason.UnexpectedOutcome, "degradation-over-n"),
		hooks: hooks{handle: func(_ *exchange, c *toolCall) (reply, bool) {
			return reply{failure: outage()}, c.number%3 == 0
		}},
	}, {
		Name: "field-missing", Text: "get_weather returns no conditions, as its schema says",
		Effects: effects(reason.MissingField, "instruction-fidelity", "workflow"),
		hooks: hooks{
			change: onChange("get_weather", func(r object) { delete(r, "conditions") }),
			tools: onListing("get_weather", func(l *listing) {
				if s, ok := l.OutputSchema.(*schema); ok {
					delete(s.Properties, "conditions")
					s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "conditions" })
				}
			}),
		},
	}, {
		Name: "value-mismatch", Text: "get_weather returns temperatures that are one degree off",
		Effects: effects(reason.ValueMismatch, "instruction-fidelity", "workflow"),
		hooks: hooks{change: onChange("get_weather", func(r object) {
			if t, ok := r["temperature"].(float64); ok {
				r["temperature"] = t + 1
			}
		})},
	}, {
		Name: "error-code-changed", Text: "a closed station is error 500 instead of 410",
		Effects: effects(reason.ErrorCodeMismatch, "instruction-fidelity-error", "workflow"),
		hooks: hooks{handle: onStation("closed", func(*exchange, *toolCall) reply {
			f := closed()
			f.Code = 500
			return reply{failure: f}
		})},
	}, {
		Name: "is-error-non-boolean", Text: "isError is the string \"true\" or \"false\"",
		hooks: hooks{result: func(_ *toolCall, r object) {
			if r["isError"] == true {
				r["isError"] = "true"
			} else {
				r["isError"] = "false"
			}
		}},
	}, {
		Name: "slow", Text: "every tool call takes two seconds",
		Effects: effects(reason.LatencyBudgetExceeded, "latency-budget"),
		hooks:   hooks{delay: 2 * time.Second},
	}, {
		Name: "contended-lock", Text: "a tool call fails while another client's call is running",
		Effects: effects(reason.ContendedClientFailed, "contention"),
		hooks:   hooks{lock: true},
	}, {
		Name: "payload-refused", Text: "arguments over 64 KiB are refused",
		Effects: effects(reason.PayloadUnhandled, "payload-bounds"),
		hooks: hooks{handle: onLarge(func(x *exchange, c *toolCall) reply {
			return x.toolResult(c, failure("the arguments are too long"), true)
		})},
	}, {
		Name: "payload-exit", Text: "arguments over 64 KiB end the server",
		Effects: effects(reason.TransportClosed, "payload-bounds", "payload-bounds-refusal"),
		hooks:   hooks{handle: onLarge(func(*exchange, *toolCall) reply { return death() })},
	}, {
		Name: "payload-hang", Text: "calls with arguments over 64 KiB are never answered",
		Effects: effects(reason.TransportTimeout, "payload-bounds", "payload-bounds-refusal"),
		hooks:   hooks{handle: onLarge(func(*exchange, *toolCall) reply { return silence() })},
	}, {
		Name: "output-missing", Text: "results have no structuredContent although schemas promise it",
		Effects: effects(reason.OutputSchemaMissing, "output-schema"),
		hooks:   hooks{result: func(_ *toolCall, r object) { delete(r, "structuredContent") }},
	}, {
		Name: "output-field-missing", Text: "get_weather returns no conditions although its schema requires them",
		Effects: effects(reason.OutputSchemaFieldMissing, "output-schema"),
		hooks:   hooks{change: onChange("get_weather", func(r object) { delete(r, "conditions") })},
	}, {
		Name: "output-invalid", Text: "get_weather returns null for conditions, which are a string",
		Effects: effects(reason.OutputSchemaInvalid, "output-schema"),
		hooks:   hooks{change: onChange("get_weather", func(r object) { r["conditions"] = nil })},
	}}
}

// onLarge makes a hook that answers instead of calls with large arguments.
func onLarge(f func(x *exchange, c *toolCall) reply) func(*exchange, *toolCall) (reply, bool) {
	return func(x *exchange, c *toolCall) (reply, bool) {
		if len(c.key) <= largest {
			return reply{}, false
		}
		return f(x, c), true
	}
}

// onStation makes a hook that answers instead of get_forecast for a station
// that is played to be as told.
func onStation(station string, f func(x *exchange, c *toolCall) reply) func(*exchange, *toolCall) (reply, bool) {
	return func(x *exchange, c *toolCall) (reply, bool) {
		if c.name != "get_forecast" || c.args["station"] != station {
			return reply{}, false
		}
		return f(x, c), true
	}
}

// onListing makes a hook that changes one entry of the catalog.
func onListing(name string, f func(l *listing)) func([]*listing) []*listing {
	return func(list []*listing) []*listing {
		for _, l := range list {
			if l.Name == name {
				f(l)
			}
		}
		return list
	}
}
