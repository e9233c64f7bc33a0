package demo

import "slices"

// The keys of _meta that carry what a handshake would in 2026-07-28.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

const instructions = "Weather that never changes and three notes, for trying out mcpeval. Every tool but save_note only reads."

// serverInfo names the server.
func serverInfo(revision string) object {
	info := object{"name": "mcpeval-demo", "version": "1.0"}
	if revision >= revision2025b {
		info["title"] = "mcpeval demo server"
	}
	return info
}

// capabilities says what the server offers in a revision.
func (s *Server) capabilities(revision string) object {
	c := object{"tools": object{}, "prompts": object{}, "resources": object{"subscribe": true}}
	if revision >= revision2025a {
		c["completions"] = object{}
	}
	if s.aspect.capabilities != nil {
		s.aspect.capabilities(c)
	}
	return c
}

// stateless tells whether the request is one of 2026-07-28: its _meta names a
// revision.
func (q *request) stateless() bool {
	return child(q.params, "_meta")[metaVersion] != nil
}

// settle finds out in which revision a request is to be answered, and what its
// client can do. A request that cannot be answered gets the refusal.
func (s *Server) settle(x *exchange) *reply {
	if s.aspect.early != nil && x.request.id != nil {
		if r, ok := s.aspect.early(x); ok {
			return &r
		}
	}
	r := s.settleRevision(x)
	if r == nil && x.request.id != nil && x.request.method == "tools/call" {
		x.call, x.ofTool = x.session.count(text(x.request.params, "name"))
	}
	return r
}

func (s *Server) settleRevision(x *exchange) *reply {
	meta := child(x.request.params, "_meta")
	if !s.speaksModern() || meta[metaVersion] == nil {
		return s.settleStateful(x)
	}
	x.revision, x.client = revisionModern, child(meta, metaCapabilities)
	asked := text(meta, metaVersion)
	if asked != revisionModern && !(s.aspect.anyVersion && !slices.Contains(revisions(), asked)) {
		r := x.unsupported(asked)
		return &r
	}
	if x.client == nil {
		r := refusal(codeInvalidParams, "_meta lacks "+metaCapabilities)
		return &r
	}
	return nil
}

func (s *Server) settleStateful(x *exchange) *reply {
	if len(s.stateful()) == 0 {
		r := refusal(codeInvalidParams, "every request needs _meta with "+metaVersion+" and "+metaCapabilities)
		if x.request.method == "initialize" {
			r = x.unsupported(text(x.request.params, "protocolVersion"))
		}
		return &r
	}
	x.revision, x.client = x.session.settled()
	if x.request.method == "server/discover" && s.speaksModern() {
		r := refusal(codeInvalidParams, "server/discover needs _meta with "+metaVersion+" and "+metaCapabilities)
		return &r
	}
	return nil
}
