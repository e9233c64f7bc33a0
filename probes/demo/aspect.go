package demo

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Aspect is one way in which the server can be broken, or odd and yet correct.
// The zero value is the clean server. A hook that is nil changes nothing; call
// numbers count the tools/call requests of the session from 1.
type Aspect struct {
	// Name is what --broken takes.
	Name string
	// Text says in one line what the server then does.
	Text string
	// Effects are the cases of Manifest that fail with it. It has none when the
	// server stays correct, or is worse only in what readiness measures.
	Effects []Effect
	// Hidden are the transports, lifecycles, or both together, in which it does
	// not show: the server is clean there, or cannot be talked to at all.
	Hidden []Where
	// Legal tells that the server stays correct, so that nothing may fail.
	Legal bool

	hooks
}

// Effect is one case that an aspect makes fail. An aspect that spoils more than
// one thing, such as every call, need not list every case that fails with it.
type Effect struct {
	Case   string // the id in Manifest; "" is every case
	Reason reason.Label
}

// Where is a set of a transport, a lifecycle, or both.
type Where uint8

// The transports and lifecycles.
const (
	Stdio Where = 1 << iota
	HTTP
	Legacy
	Modern
)

// Shows tells whether the aspect shows over the transport and in the lifecycle
// that w names.
func (a *Aspect) Shows(w Where) bool {
	return !slices.ContainsFunc(a.Hidden, func(h Where) bool { return h&w == h })
}

// only hides an aspect everywhere but in w, which is one transport or lifecycle.
func only(w Where) []Where {
	return []Where{map[Where]Where{Stdio: HTTP, HTTP: Stdio, Legacy: Modern, Modern: Legacy}[w]}
}

// hooks are what an aspect changes.
type hooks struct {
	// The server and its messages.
	start       start                                     // what becomes of it before it reads
	afterCancel start                                     // what becomes of it after a cancellation
	banner      string                                    // stdio: written before anything else
	noise       func(call int) string                     // stdio: written before the answer to a call
	wire        func(method string, answer []byte) []byte // changes the bytes of an answer
	respond     func(e *httpExchange, x *exchange) bool   // HTTP: answers instead
	events      string                                    // HTTP: begins every event stream
	lineEnd     string                                    // HTTP: ends the lines of events
	expire      func(call int) bool                       // HTTP: the session is gone

	// Versions and methods.
	early        func(x *exchange) (reply, bool)   // answers before versions are looked at
	method       func(x *exchange) (reply, bool)   // answers instead of a method
	capabilities func(c object)                    // changes what is declared
	hello        func(asked string, result object) // changes the result of initialize
	discovered   func(result object)               // changes the result of server/discover
	unsupported  func(data object)                 // changes what is said about an unknown version
	anyVersion   bool                              // 2026-07-28: unknown versions are served

	// The catalog.
	extra  func() []tool                                                     // more tools
	tools  func(list []*listing) []*listing                                  // changes the entries
	paging func(x *exchange, list []*listing, cursor string) (page, *failed) // cuts it into pages

	// Calls.
	handle      func(x *exchange, c *toolCall) (reply, bool)     // answers instead of a tool
	misfit      func(x *exchange, c *toolCall, why string) reply // answers arguments that break the schema
	change      func(c *toolCall, structured object)             // changes what a tool returns
	result      func(c *toolCall, r object)                      // changes the result of tools/call
	unknownTool bool                                             // an unknown tool looks like success
	delay       time.Duration                                    // before the answer
	lock        bool                                             // a call keeps other callers out
	deaf        bool                                             // cancelled calls go on
	cancel      func(x *exchange) reply                          // answers a call that was cancelled

	// What is asked of the client, and what it asks for.
	asking    func(a *asking)           // changes what is asked
	listening func(l *listener)         // changes what is listened for
	updated   func(uri string) []string // the resources that updates are sent for
	completed func(c *completed)        // changes a completion
}

// start is what becomes of the server before it reads anything.
type start uint8

const (
	startServes start = iota
	startExits        // it ends at once
	startSilent       // it reads and never answers
)

// Aspects are all aspects, by name.
func Aspects() []Aspect {
	var all []Aspect
	for _, group := range [][]Aspect{
		callAspects(), errorAspects(), stateAspects(), catalogAspects(), pageAspects(), surfaceAspects(), negotiationAspects(),
		askAspects(), cancelAspects(), resourceAspects(), completionAspects(), transportAspects(), httpAspects(),
		startAspects(), readinessAspects(), legalAspects(),
	} {
		all = append(all, group...)
	}
	slices.SortFunc(all, func(a, b Aspect) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// FindAspect returns the aspect of that name; "" is the clean server.
func FindAspect(name string) (Aspect, bool) {
	if name == "" {
		return Aspect{}, true
	}
	for _, a := range Aspects() {
		if a.Name == name {
			return a, true
		}
	}
	return Aspect{}, false
}

// AspectNames are the names of all aspects, for messages.
func AspectNames() string {
	var names []string
	for _, a := range Aspects() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// effects are the same reason for several cases.
func effects(label reason.Label, cases ...string) []Effect {
	var list []Effect
	for _, c := range cases {
		list = append(list, Effect{c, label})
	}
	return list
}

// refusal is an answer with an error.
func refusal(code int, message string) reply {
	return reply{failure: &failed{Code: code, Message: message}}
}

// silence is no answer, ever.
func silence() reply { return reply{silent: true} }

// death is the end of the server, or over HTTP of the connection.
func death() reply { return reply{exit: true} }

// onTool makes a hook that answers instead of one tool.
func onTool(name string, f func(x *exchange, c *toolCall) reply) func(*exchange, *toolCall) (reply, bool) {
	return func(x *exchange, c *toolCall) (reply, bool) {
		if c.name != name {
			return reply{}, false
		}
		return f(x, c), true
	}
}

// onMethod makes a hook that answers instead of one method.
func onMethod(f func(x *exchange) reply, names ...string) func(*exchange) (reply, bool) {
	return func(x *exchange) (reply, bool) {
		for _, name := range names {
			if x.request.method == name {
				return f(x), true
			}
		}
		return reply{}, false
	}
}

// onChange makes a hook that changes what one tool returns.
func onChange(name string, f func(structured object)) func(*toolCall, object) {
	return func(c *toolCall, structured object) {
		if c.name == name {
			f(structured)
		}
	}
}

// wait waits for d, or for the end of ctx, which it tells.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.after(d):
		return ctx.Err() == nil
	}
}
