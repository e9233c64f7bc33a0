package demo

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// The bounds of clients that answers are made to meet or to pass.
const (
	httpBound  = 8 << 20
	stdioBound = 16 << 20
)

// transportAspects spoil the messages themselves, from the first call on.
func transportAspects() []Aspect {
	const any = "schema-guessability"
	wire := func(name, text string, f func(answer []byte) []byte) Aspect {
		return Aspect{Name: name, Text: text, Effects: effects(reason.TransportError, any), hooks: hooks{wire: onCalls(f)}}
	}
	return []Aspect{
		{
			Name: "exit-mid-call", Text: "the process ends in the middle of the third tool call",
			Effects: effects(reason.TransportClosed, "degradation-over-n"),
			hooks:   hooks{handle: func(_ *exchange, c *toolCall) (reply, bool) { return death(), c.number == 3 }},
		}, {
			Name: "exit-at-call", Text: "the process ends in the middle of every tool call",
			Effects: effects(reason.TransportClosed, any),
			hooks:   hooks{handle: func(*exchange, *toolCall) (reply, bool) { return death(), true }},
		}, {
			Name: "hung-call", Text: "calls of search_notes are never answered",
			Effects: effects(reason.TransportTimeout, "workflow"),
			hooks:   hooks{handle: onTool("search_notes", func(*exchange, *toolCall) reply { return silence() })},
		}, {
			Name: "hung-calls", Text: "no tool call is ever answered",
			Effects: effects(reason.TransportTimeout, any),
			hooks:   hooks{handle: func(*exchange, *toolCall) (reply, bool) { return silence(), true }},
		},
		wire("answer-malformed", "the answer to a tool call ends in the middle", func(a []byte) []byte {
			return append(bytes.Clone(a[:len(a)/2]), '\n')
		}),
		wire("answer-both", "the answer to a tool call has a result and an error", func(a []byte) []byte {
			return addMembers(a, `"error":{"code":-32603,"message":"Internal error"},"result":{"content":[]}`)
		}),
		wire("answer-neither", "the answer to a tool call has neither a result nor an error", func(a []byte) []byte {
			return addMembers(a, "")
		}),
		wire("id-mismatch", "the answer to a tool call has an ID that was never sent", func(a []byte) []byte {
			return changeID(a, func([]byte) []byte { return []byte(`"another"`) })
		}),
		wire("id-to-text", "the answer to a tool call has its numeric ID as a string", func(a []byte) []byte {
			return changeID(a, func(id []byte) []byte { return fmt.Appendf(nil, `"%s"`, bytes.Trim(id, `"`)) })
		}),
		{
			Name: "id-to-number", Text: "answers to requests with a string as their ID have the number 0 instead",
			hooks: hooks{wire: func(_ string, a []byte) []byte {
				return changeID(a, func(id []byte) []byte {
					if id[0] == '"' {
						return []byte("0")
					}
					return id
				})
			}},
		},
		wire("answer-huge", "the answer to a tool call takes 17 MiB", func(a []byte) []byte { return pad(a, stdioBound+1<<20) }),
		{
			Name: "answer-8-mib", Text: "the answer to a tool call takes 8 MiB as JSON, which is as much as clients read", Legal: true,
			hooks: hooks{wire: onCalls(func(a []byte) []byte { return pad(a, httpBound) })},
		}, {
			Name: "answer-over-8-mib", Text: "the answer to a tool call takes one byte more than 8 MiB as JSON",
			Effects: effects(reason.TransportError, any), Hidden: only(HTTP),
			hooks: hooks{wire: onCalls(func(a []byte) []byte { return pad(a, httpBound+1) })},
		},
	}
}

// onCalls makes a hook that changes the answers to tools/call.
func onCalls(f func(answer []byte) []byte) func(string, []byte) []byte {
	return func(method string, answer []byte) []byte {
		if method != "tools/call" {
			return answer
		}
		return f(answer)
	}
}

// splitID cuts an answer around its ID, which is the second member.
func splitID(answer []byte) (before, id, after []byte) {
	const start = `{"jsonrpc":"2.0","id":`
	rest := answer[len(start):]
	end := bytes.IndexAny(rest, ",}")
	if rest[0] == '"' {
		end = 1
		for rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end++
	}
	return answer[:len(start)], rest[:end], rest[end:]
}

func changeID(answer []byte, f func(id []byte) []byte) []byte {
	before, id, after := splitID(answer)
	return append(append(bytes.Clone(before), f(id)...), after...)
}

// addMembers puts members in place of result and error.
func addMembers(answer []byte, members string) []byte {
	before, id, _ := splitID(answer)
	out := append(bytes.Clone(before), id...)
	if members != "" {
		out = append(out, ',')
	}
	return append(append(out, members...), "}\n"...)
}

// pad makes an answer size bytes long, with blanks inside of it.
func pad(answer []byte, size int) []byte {
	blanks := bytes.Repeat([]byte{' '}, max(0, size-len(answer)))
	return append(append([]byte{answer[0]}, blanks...), answer[1:]...)
}

// httpAspects spoil the answers to calls over HTTP.
func httpAspects() []Aspect {
	const any = "schema-guessability"
	on := func(name, text string, label reason.Label, f func(e *httpExchange)) Aspect {
		return Aspect{Name: name, Text: text, Effects: effects(label, any), Hidden: only(HTTP), hooks: hooks{
			respond: func(e *httpExchange, x *exchange) bool {
				if x.call > 0 {
					f(e)
				}
				return x.call > 0
			},
		}}
	}
	list := []Aspect{
		on("http-500", "a tool call is answered with status 500", reason.TransportError, func(e *httpExchange) {
			http.Error(e.w, "internal error", http.StatusInternalServerError)
		}),
		on("http-html", "a tool call is answered with a web page", reason.TransportError, func(e *httpExchange) {
			e.w.Header().Set("Content-Type", "text/html")
			_, _ = e.w.Write([]byte("<p>Welcome</p>\n")) // a client that is gone needs no answer
		}),
		on("http-empty", "a tool call is answered with status 202 and nothing else", reason.TransportError, func(e *httpExchange) {
			e.w.WriteHeader(http.StatusAccepted)
		}),
		on("stream-without-answer", "the event stream of a tool call ends without the answer", reason.TransportClosed, func(e *httpExchange) {
			openStream(e.w)
			_, _ = e.w.Write([]byte(": bye\n\n")) // as above
		}),
		on("body-cut", "the connection ends in the middle of the answer to a tool call", reason.TransportClosed, func(e *httpExchange) {
			h := e.w.Header()
			h.Set("Content-Type", "application/json")
			h.Set("Content-Length", "100")
			_, _ = e.w.Write([]byte(`{"jsonrpc":"2.0",`)) // as above
			_ = http.NewResponseController(e.w).Flush()
			e.server.drop(e.w)
		}),
		{
			Name: "session-expires", Text: "every third tool call of a session finds the session gone", Hidden: []Where{Stdio, Modern}, Legal: true,
			hooks: hooks{expire: func(call int) bool { return call == 3 }},
		}, {
			Name: "session-lost", Text: "every tool call finds its session gone", Hidden: []Where{Stdio, Modern},
			Effects: effects(reason.TransportError, any),
			hooks:   hooks{expire: func(int) bool { return true }},
		},
	}
	for _, status := range []int{301, 302, 307, 308} {
		list = append(list, on(fmt.Sprintf("http-redirect-%d", status), fmt.Sprintf("a tool call is answered with a redirect, status %d", status),
			reason.TransportError, func(e *httpExchange) { http.Redirect(e.w, e.r, "/moved", status) }))
	}
	return list
}
