package demo

import (
	"context"
	"errors"
	"slices"
)

// errCancelled is why a request ends that its client cancelled.
var errCancelled = errors.New("the client cancelled the request")

// exchange is one request that is being answered.
type exchange struct {
	server   *Server
	session  *session
	request  *request
	revision string
	client   members // the capabilities that the client declares
	call     int     // the number of a tools/call in its session, else 0
	ofTool   int     // its number among those of the same tool

	// send writes a message that belongs to the request, before its answer.
	send func(line []byte)
	// gone ends when the client can no longer be reached.
	gone <-chan struct{}
}

func (x *exchange) modern() bool { return x.revision == revisionModern }

// reply is what to do about one request.
type reply struct {
	result  object
	failure *failed // in place of result
	silent  bool    // nothing is ever answered
	exit    bool    // the server ends without answering

	// later is set when the answer takes time; it is then called once, may run
	// beside other requests, and ends early with its context.
	later func(ctx context.Context) reply
}

// response is the reply as the answer to a request.
func (r *reply) response(q *request) *response {
	if r.failure != nil {
		return refuseWith(q.id, r.failure)
	}
	return &response{Version: "2.0", ID: q.id, Result: r.result}
}

// bytes is the answer to a request as it goes out, newline included.
func (x *exchange) bytes(r *reply) []byte {
	out := line(r.response(x.request))
	if x.server.aspect.wire != nil {
		out = x.server.aspect.wire(x.request.method, out)
	}
	return out
}

// note handles a notification. It tells what becomes of the server.
func (x *exchange) note() start {
	if x.request.method != "notifications/cancelled" {
		return startServes
	}
	if x.session.cancel(string(x.request.params["requestId"])) {
		return x.server.aspect.afterCancel
	}
	return startServes
}

// open begins to answer a request. What it does happens in the order in which
// requests came; only reply.later may run beside others.
func (x *exchange) open() reply {
	if hook := x.server.aspect.method; hook != nil {
		if r, ok := hook(x); ok {
			return r
		}
	}
	if x.modern() {
		return x.openModern()
	}
	switch x.request.method {
	case "initialize":
		return x.initialize()
	case "ping":
		return reply{result: object{}}
	case "resources/subscribe", "resources/unsubscribe":
		return x.subscribe()
	case "completion/complete":
		if x.revision < revision2025a {
			break // declared by no capability yet, so that nobody is surprised
		}
		return x.complete()
	}
	return x.shared()
}

// openModern answers a request of 2026-07-28.
func (x *exchange) openModern() reply {
	switch x.request.method {
	case "server/discover":
		return x.discover()
	case "subscriptions/listen":
		return x.listen()
	case "completion/complete":
		return x.complete()
	}
	return x.shared()
}

// shared answers the methods of every revision.
func (x *exchange) shared() reply {
	switch x.request.method {
	case "tools/list":
		return x.listTools()
	case "tools/call":
		return x.callTool()
	case "prompts/list":
		return x.list("prompts", prompts(x.revision))
	case "prompts/get":
		return x.getPrompt()
	case "resources/list":
		return x.list("resources", resources(x.revision))
	case "resources/templates/list":
		return x.list("resourceTemplates", templates(x.revision))
	case "resources/read":
		return x.readResource()
	}
	return refusal(codeUnknownMethod, "Method not found")
}

// done is a result with what 2026-07-28 adds to every result.
func (x *exchange) done(result object) reply {
	if x.modern() {
		result["resultType"] = "complete"
		result["_meta"] = object{metaServerInfo: serverInfo(x.revision)}
	}
	return reply{result: result}
}

// cacheable is a result that 2026-07-28 lets clients keep for an hour.
func (x *exchange) cacheable(result object) reply {
	if x.modern() {
		result["ttlMs"], result["cacheScope"] = 3_600_000, "public"
	}
	return x.done(result)
}

// list answers a listing that has one page, so that no cursor is valid.
func (x *exchange) list(key string, entries any) reply {
	if x.request.params["cursor"] != nil {
		return refusal(codeInvalidParams, "unknown cursor; the list has one page")
	}
	return x.cacheable(object{key: entries})
}

func (x *exchange) initialize() reply {
	asked := text(x.request.params, "protocolVersion")
	revision := x.server.negotiate(asked)
	if revision == "" {
		return x.unsupported(asked)
	}
	x.session.hello(revision, child(x.request.params, "capabilities"))
	r := reply{result: object{
		"protocolVersion": revision, "capabilities": x.server.capabilities(revision),
		"serverInfo": serverInfo(revision), "instructions": instructions,
	}}
	if hook := x.server.aspect.hello; hook != nil {
		hook(asked, r.result)
	}
	return r
}

func (x *exchange) discover() reply {
	r := x.cacheable(object{
		"supportedVersions": slices.Clone(x.server.spoken),
		"capabilities":      x.server.capabilities(x.revision), "instructions": instructions,
	})
	if hook := x.server.aspect.discovered; hook != nil {
		hook(r.result)
	}
	return r
}

// unsupported refuses a revision that is not spoken.
func (x *exchange) unsupported(asked string) reply {
	data := object{"supported": slices.Clone(x.server.spoken), "requested": asked}
	if hook := x.server.aspect.unsupported; hook != nil {
		hook(data)
	}
	return reply{failure: &failed{Code: codeUnsupported, Message: "Unsupported protocol version", Data: data}}
}
