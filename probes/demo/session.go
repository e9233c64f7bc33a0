package demo

import (
	"encoding/json"
	"strings"
)

// The keys of _meta that carry what a handshake would in 2026-07-28.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// session is what one run of the server remembers. Only the goroutine that
// reads messages uses it.
type session struct {
	aspect   Aspect
	revision string // of initialize; the newest with a handshake until then
	calls    int    // tools/call requests so far
}

// reply is what to do about one request.
type reply struct {
	response *response // nil: nothing is ever answered
	noise    string    // written before the response
	slow     bool      // the aspect's delay applies
	exit     bool      // the server ends without answering
}

// handle answers one request; a notification gets none.
func (s *session) handle(r *request) reply {
	if r.id == nil {
		return reply{}
	}
	meta := child(r.params, "_meta")
	if meta[metaVersion] != nil {
		return s.modern(r, meta)
	}
	switch r.method {
	case "initialize":
		s.revision = negotiate(text(r.params, "protocolVersion"))
		return reply{response: answer(r.id, struct {
			ProtocolVersion string         `json:"protocolVersion"`
			Capabilities    capabilities   `json:"capabilities"`
			ServerInfo      implementation `json:"serverInfo"`
			Instructions    string         `json:"instructions"`
		}{s.revision, capabilities{}, serverInfo(s.revision), instructions})}
	case "ping":
		return reply{response: answer(r.id, struct{}{})}
	case "tools/list":
		return reply{response: s.list(r, s.revision, nil)}
	case "tools/call":
		return s.call(r, s.revision, nil)
	case "server/discover":
		return reply{response: refuse(r.id, codeInvalidParams, "server/discover needs _meta with "+metaVersion+" and "+metaCapabilities)}
	}
	return reply{response: refuse(r.id, codeUnknownMethod, "Method not found")}
}

// envelope is what 2026-07-28 adds to every result.
type envelope struct {
	ResultType string         `json:"resultType"`
	TTL        *int           `json:"ttlMs,omitempty"`
	CacheScope string         `json:"cacheScope,omitempty"`
	Meta       map[string]any `json:"_meta"`
}

// modern answers a request of 2026-07-28.
func (s *session) modern(r *request, meta map[string]json.RawMessage) reply {
	if asked := text(meta, metaVersion); asked != revisionModern {
		return reply{response: refuseWith(r.id, &failed{
			Code:    codeUnsupported,
			Message: "Unsupported protocol version",
			Data:    map[string]any{"supported": revisions(), "requested": asked},
		})}
	}
	if child(meta, metaCapabilities) == nil {
		return reply{response: refuse(r.id, codeInvalidParams, "_meta lacks "+metaCapabilities)}
	}
	e := &envelope{ResultType: "complete", Meta: map[string]any{metaServerInfo: serverInfo(revisionModern)}}
	ttl := 3_600_000
	switch r.method {
	case "server/discover":
		e.TTL, e.CacheScope = &ttl, "public"
		return reply{response: answer(r.id, struct {
			*envelope
			SupportedVersions []string     `json:"supportedVersions"`
			Capabilities      capabilities `json:"capabilities"`
			Instructions      string       `json:"instructions"`
		}{e, revisions(), capabilities{}, instructions})}
	case "tools/list":
		e.TTL, e.CacheScope = &ttl, "public"
		return reply{response: s.list(r, revisionModern, e)}
	case "tools/call":
		return s.call(r, revisionModern, e)
	}
	return reply{response: refuse(r.id, codeUnknownMethod, "Method not found")}
}

// list answers tools/list. There is one page, so that no cursor is valid.
func (s *session) list(r *request, revision string, e *envelope) *response {
	if r.params["cursor"] != nil {
		return refuse(r.id, codeInvalidParams, "unknown cursor; the list has one page")
	}
	return answer(r.id, struct {
		*envelope
		Tools []listing `json:"tools"`
	}{e, catalog(revision)})
}

// call answers tools/call, the aspect's way where it has one.
func (s *session) call(r *request, revision string, e *envelope) reply {
	s.calls++
	a := &s.aspect
	name := text(r.params, "name")
	out := reply{slow: a.delay > 0, exit: a.exit != nil && a.exit(s.calls)}
	if a.noise != nil {
		out.noise = a.noise(s.calls)
	}
	if a.hang != nil && a.hang(name) {
		return out
	}
	if a.fail != nil {
		if f := a.fail(s.calls, name); f != nil {
			out.response = refuseWith(r.id, f)
			return out
		}
	}
	if name == "" {
		out.response = refuse(r.id, codeInvalidParams, "tools/call needs the name of a tool")
		return out
	}
	for _, t := range tools() {
		if t.name == name {
			out.response = answer(r.id, s.run(t, r.params["arguments"], revision, e))
			return out
		}
	}
	if a.unknownTool {
		out.response = answer(r.id, s.result(nil, "Unknown tool", false, revision, e))
		return out
	}
	out.response = refuse(r.id, codeInvalidParams, "Unknown tool; tools/list names them all")
	return out
}

// result is the result of tools/call.
type result struct {
	*envelope
	Content    []content `json:"content"`
	Structured any       `json:"structuredContent,omitempty"`
	IsError    any       `json:"isError,omitempty"` // a bool, but for one aspect
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// run calls a tool with arguments that its schema accepts, or says what is
// wrong with them.
func (s *session) run(t tool, raw json.RawMessage, revision string, e *envelope) *result {
	args, ok := arguments(raw)
	if !ok {
		return s.result(nil, "arguments cannot be read", true, revision, e)
	}
	if wrong := t.input.check("arguments", args); wrong != "" {
		return s.result(nil, wrong, true, revision, e)
	}
	members, _ := args.(map[string]any)
	structured, failure := t.run(members)
	return s.result(structured, failure, failure != "", revision, e)
}

func (s *session) result(structured any, message string, failed bool, revision string, e *envelope) *result {
	if structured != nil {
		var b strings.Builder
		if encode(&b, structured) == nil {
			message = strings.TrimSuffix(b.String(), "\n")
		}
	}
	out := &result{envelope: e, Content: []content{{"text", message}}}
	if revision >= revision2025b {
		out.Structured = structured
	}
	switch {
	case s.aspect.isError != nil:
		out.IsError = s.aspect.isError(failed)
	case failed:
		out.IsError = true
	}
	return out
}
