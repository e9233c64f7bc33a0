package demo

import (
	"fmt"
	"strconv"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// startAspects spoil the beginning.
func startAspects() []Aspect {
	discover := func(r reply) func(*exchange) (reply, bool) {
		return onMethod(func(*exchange) reply { return r }, "server/discover")
	}
	return []Aspect{{
		Name: "no-start", Text: "the server ends at once, with a status that is not 0",
		Effects: effects(reason.ServerNotStarted, ""), Hidden: only(Stdio),
		hooks: hooks{start: startExits},
	}, {
		Name: "silent-start", Text: "the server reads and never answers anything",
		Effects: effects(reason.ServerNotStarted, ""),
		hooks:   hooks{start: startSilent},
	}, {
		Name: "discover-exit", Text: "server/discover ends the server, which then needs initialize", Hidden: []Where{HTTP, Modern}, Legal: true,
		hooks: hooks{early: discover(death())},
	}, {
		Name: "discover-hang", Text: "server/discover is never answered, so that the server needs initialize", Hidden: only(Legacy), Legal: true,
		hooks: hooks{early: discover(silence())},
	}, {
		Name: "banner", Text: "a banner stands on stdout before the first message", Hidden: only(Stdio), Legal: true,
		hooks: hooks{banner: "Demo server 1.0 is ready\n"},
	}, {
		Name: "stdout-noise", Text: "log lines stand between the messages on stdout, a banner before the first", Hidden: only(Stdio), Legal: true,
		hooks: hooks{
			banner: "Demo server 1.0 is ready\n",
			noise:  func(call int) string { return fmt.Sprintf("[info] answering call %d\n", call) },
		},
	}}
}

// legalAspects are odd and yet correct, so that no case may fail.
func legalAspects() []Aspect {
	input := func(s any) hooks {
		return hooks{tools: onListing("list_cities", func(l *listing) { l.InputSchema = s })}
	}
	node := object{"type": "object", "properties": object{"children": object{"type": "array", "items": object{"$ref": "#/$defs/Node"}}}}
	list := []Aspect{{
		Name: "input-schema-recursive", Text: "the input schema of list_cities refers to itself",
		hooks: input(object{"type": "object", "properties": object{"tree": object{"$ref": "#/$defs/Node"}}, "$defs": object{"Node": node}}),
	}, {
		Name: "input-schema-bare", Text: "the input schema of list_cities has nothing but its type",
		hooks: input(object{"type": "object"}),
	}, {
		Name: "input-schema-pattern", Text: "a pattern in the input schema of list_cities looks ahead",
		hooks: input(object{"type": "object", "properties": object{"city": object{"type": "string", "pattern": "^(?=[a-z]).*(?<!x)$"}}}),
	}, {
		Name: "dotted-names", Text: "one more tool has dots in its name",
		hooks: hooks{extra: func() []tool {
			t := manyTools()[0]
			t.name = "admin.stations.list"
			return []tool{t}
		}},
	}, {
		Name: "error-with-content", Text: "isError results have structuredContent that no schema describes",
		hooks: hooks{result: func(_ *toolCall, r object) {
			if r["isError"] == true {
				r["structuredContent"] = object{"code": "refused", "retryable": false}
			}
		}},
	}, {
		Name: "tools-only", Text: "tools are all that is declared, and all that is there",
		hooks: hooks{
			capabilities: func(c object) {
				for _, name := range []string{"prompts", "resources", "completions"} {
					delete(c, name)
				}
			},
			method: onMethod(func(*exchange) reply { return refusal(codeUnknownMethod, "Method not found") },
				"prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
				"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "completion/complete"),
		},
	}, {
		Name: "empty-cursor", Text: "a cursor is the empty string: a page more in 2026-07-28, the end before",
		hooks: hooks{paging: func(x *exchange, list []*listing, cursor string) (page, *failed) {
			half := len(list) / 2
			switch {
			case cursor == firstPage && x.modern():
				return page{list[:half], ""}, nil
			case cursor == firstPage:
				return page{list, ""}, nil
			case cursor == "" && x.modern():
				return page{list[half:], nil}, nil
			}
			return page{}, unknownCursor()
		}},
	}, {
		Name: "null-cursor", Text: "nextCursor is null on the last page",
		hooks: hooks{paging: func(_ *exchange, list []*listing, cursor string) (page, *failed) {
			if cursor != firstPage {
				return page{}, unknownCursor()
			}
			return page{list, (*string)(nil)}, nil
		}},
	}, {
		Name: "sse-odd-events", Text: "comments, a priming event, pings and empty data come before each answer", Hidden: only(HTTP),
		hooks: hooks{events: ": hello\n\nid: 1\nretry: 1000\ndata:\n\nevent: ping\ndata: x\n\ndata\n\n: keep-alive\n\n"},
	}, {
		Name: "sse-crlf", Text: "the lines of events end with CR LF", Hidden: only(HTTP),
		hooks: hooks{lineEnd: "\r\n"},
	}, {
		Name: "sse-many-lines", Text: "each message takes several data lines", Hidden: only(HTTP),
		hooks: hooks{wire: func(_ string, a []byte) []byte {
			before, id, after := splitID(a)
			return []byte(string(before) + string(id) + "\n" + string(after))
		}},
	}}
	for i := range list {
		list[i].Legal = true
	}
	return list
}

// readinessAspects are worse only in what readiness measures.
func readinessAspects() []Aspect {
	every := func(f func(l *listing)) hooks {
		return hooks{tools: func(list []*listing) []*listing {
			for _, l := range list {
				f(l)
			}
			return list
		}}
	}
	property := func(f func(s *schema)) hooks {
		return every(func(l *listing) {
			if s, ok := l.InputSchema.(*schema); ok {
				for _, p := range s.Properties {
					f(p)
				}
			}
		})
	}
	hint := func(f func(a *annotations)) hooks {
		return every(func(l *listing) {
			if l.Annotations != nil {
				f(l.Annotations)
			}
		})
	}
	return []Aspect{{
		Name: "description-missing", Text: "no tool has a description",
		hooks: every(func(l *listing) { l.Description = "" }),
	}, {
		Name: "description-short", Text: "every description is one word",
		hooks: every(func(l *listing) { l.Description = "Weather." }),
	}, {
		Name: "property-undescribed", Text: "no property has a description",
		hooks: property(func(s *schema) { s.Description = "" }),
	}, {
		Name: "property-untyped", Text: "no property has a type",
		hooks: property(func(s *schema) { s.Type, s.Enum, s.Default = "", nil, nil }),
	}, {
		Name: "read-only-hint-missing", Text: "no tool has a readOnlyHint",
		hooks: hint(func(a *annotations) { a.ReadOnly = nil }),
	}, {
		Name: "destructive-hint-missing", Text: "no tool has a destructiveHint",
		hooks: hint(func(a *annotations) { a.Destructive = nil }),
	}, {
		Name: "annotations-missing", Text: "no tool has annotations",
		hooks: every(func(l *listing) { l.Annotations = nil }),
	}, {
		Name: "output-schema-undeclared", Text: "no tool has an output schema",
		hooks: every(func(l *listing) { l.OutputSchema = nil }),
	}, {
		Name: "unknown-tool-success", Text: "a call of a tool that does not exist looks like a success",
		hooks: hooks{unknownTool: true},
	}, {
		Name: "unknown-method-success", Text: "a method that does not exist looks like a success",
		hooks: hooks{method: func(x *exchange) (reply, bool) {
			return x.done(object{}), knownMethod(x.request.method) == "other"
		}},
	}, {
		Name: "ping-fails", Text: "ping is an internal error", Hidden: only(Legacy),
		hooks: hooks{method: onMethod(func(*exchange) reply { return refusal(codeInternal, "Internal error") }, "ping")},
	}, {
		Name: "arguments-unchecked", Text: "arguments that break a tool's schema look like a success",
		hooks: hooks{misfit: func(x *exchange, c *toolCall, _ string) reply {
			return x.toolResult(c, failure("done"), false)
		}},
	}, {
		Name: "refusal-without-text", Text: "arguments that break a tool's schema are refused without saying why",
		hooks: hooks{misfit: func(x *exchange, c *toolCall, _ string) reply {
			r := x.toolResult(c, outcome{}, true)
			r.result["content"] = []object{}
			return r
		}},
	}, {
		Name: "refusal-internal", Text: "arguments that break a tool's schema are an internal error",
		hooks: hooks{misfit: func(*exchange, *toolCall, string) reply { return refusal(codeInternal, "Internal error") }},
	}, {
		Name: "refusal-then-hang", Text: "get_weather is never answered again once it refused arguments",
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			return silence(), c.name == "get_weather" && x.session.hasRefused(c.name)
		}, misfit: func(x *exchange, c *toolCall, why string) reply {
			x.session.refuse(c.name)
			return x.toolResult(c, failure(why), true)
		}},
	}, {
		Name: "valid-calls-fail", Text: "get_forecast fails with all arguments that its schema allows",
		hooks: hooks{handle: onValid("get_forecast", func(x *exchange, c *toolCall) (reply, bool) {
			return x.toolResult(c, failure("the station has no forecast"), true), true
		})},
	}, {
		Name: "forecast-alternates", Text: "every second call of get_forecast with valid arguments fails",
		hooks: hooks{handle: onValid("get_forecast", func(x *exchange, c *toolCall) (reply, bool) {
			return x.toolResult(c, failure("come back later"), true), c.nth%2 == 0
		})},
	}, {
		Name: "results-alternate", Text: "every second call of a tool fails",
		hooks: hooks{handle: func(x *exchange, c *toolCall) (reply, bool) {
			return x.toolResult(c, failure("come back later, call "+strconv.Itoa(c.nth)), true), c.nth%2 == 0
		}},
	}}
}

// onValid makes a hook that answers instead of one tool where the arguments fit
// its schema.
func onValid(name string, f func(x *exchange, c *toolCall) (reply, bool)) func(*exchange, *toolCall) (reply, bool) {
	return func(x *exchange, c *toolCall) (reply, bool) {
		if c.name != name || x.server.findTool(name).input.check("arguments", any(c.args)) != "" {
			return reply{}, false
		}
		return f(x, c)
	}
}
