package demo

import "github.com/mcpeval/mcpeval/probes/reason"

// errorAspects spoil what errors say.
func errorAspects() []Aspect {
	return []Aspect{{
		Name: "error-as-success", Text: "get_forecast reports failures as a success with a text",
		Effects: effects(reason.ExpectedError, "error-honesty", "error-honesty-permanent"),
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			return x.toolResult(c, failure("Error: the station did not answer"), false), c.name == "get_forecast"
		}},
	}, {
		Name: "error-code-unstable", Text: "the error code of get_forecast is another one each time",
		Effects: effects(reason.UnstableErrorCode, "error-honesty", "error-honesty-permanent"),
		hooks: hooks{handle: func(_ *exchange, c *toolCall) (reply, bool) {
			f := outage()
			if c.args["station"] == "closed" {
				f = closed()
			}
			f.Code = 5000 + c.nth
			return reply{failure: f}, c.name == "get_forecast"
		}},
	}, {
		Name: "retryable-denied", Text: "an outage that passes says that it cannot be retried",
		Effects: effects(reason.RetryabilityMismatch, "error-honesty"),
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			if c.name != "get_forecast" || c.args["station"] != "outage" || x.session.outage(c.key) {
				c.args["station"] = "open"
				return reply{}, false
			}
			f := outage()
			f.Data = object{"retryable": false}
			return reply{failure: f}, true
		}},
	}, {
		Name: "retryable-claimed", Text: "a closed station says that the call can be retried",
		Effects: effects(reason.RetryabilityMismatch, "error-honesty-permanent"),
		hooks: hooks{handle: onStation("closed", func(*exchange, *toolCall) reply {
			f := closed()
			f.Data = object{"retryable": true}
			return reply{failure: f}
		})},
	}, {
		Name: "retry-in-vain", Text: "an outage says that it can be retried and never passes",
		Effects: effects(reason.RetryDidNotRecover, "error-honesty"),
		hooks:   hooks{handle: onStation("outage", func(*exchange, *toolCall) reply { return reply{failure: outage()} })},
	}, {
		Name: "permanent-recovers", Text: "a closed station, which cannot be retried, answers the second time",
		Effects: effects(reason.RetryabilityMismatch, "error-honesty-permanent"),
		hooks: hooks{handle: func(_ *exchange, c *toolCall) (reply, bool) {
			if c.name == "get_forecast" && c.args["station"] == "closed" && c.nth%2 == 0 {
				c.args["station"] = "open"
			}
			return reply{}, false
		}},
	}}
}

// stateAspects spoil what a session remembers.
func stateAspects() []Aspect {
	outdoor := func(tool string, f func(x *exchange, c *toolCall) reply) func(*exchange, *toolCall) (reply, bool) {
		return func(x *exchange, c *toolCall) (reply, bool) {
			if c.name != tool || c.args["sensor"] != "outdoor" {
				return reply{}, false
			}
			return f(x, c), true
		}
	}
	return []Aspect{{
		Name: "failure-absent", Text: "the outdoor sensor can be read without being calibrated",
		Effects: effects(reason.FailureNotObserved, "state-recovery"),
		hooks: hooks{handle: outdoor("read_sensor", func(x *exchange, c *toolCall) reply {
			return x.toolResult(c, ok(sensorValue("outdoor")), false)
		})},
	}, {
		Name: "recovery-fails", Text: "calibrate_sensor fails for the outdoor sensor",
		Effects: effects(reason.RecoveryFailed, "state-recovery"),
		hooks: hooks{handle: outdoor("calibrate_sensor", func(x *exchange, c *toolCall) reply {
			return x.toolResult(c, failure("the sensor cannot be calibrated"), true)
		})},
	}, {
		Name: "recovery-without-effect", Text: "calibrate_sensor succeeds for the outdoor sensor and changes nothing",
		Effects: effects(reason.ValidationFailed, "state-recovery"),
		hooks: hooks{handle: outdoor("calibrate_sensor", func(x *exchange, c *toolCall) reply {
			return x.toolResult(c, ok(object{"sensor": "outdoor", "calibrated": true}), false)
		})},
	}}
}
