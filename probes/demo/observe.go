package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// Received is one message or HTTP request that came in. It holds names that
// this package or HTTP knows and numbers, never values: a method or tool that
// is not known reads "other".
type Received struct {
	// Verb is the HTTP method, or "stdio".
	Verb string `json:"verb"`
	// Method is the MCP method; "" for an answer to the server, "invalid" for what
	// is no message, and "" too for an HTTP request without a body.
	Method string `json:"method,omitempty"`
	// Tool is the tool of a tools/call.
	Tool string `json:"tool,omitempty"`
	// Revision is the one in which the message is answered; "" when there is none.
	Revision string `json:"revision,omitempty"`
	// Session numbers the connections over stdio and the sessions over HTTP from
	// 1; 0 is none.
	Session int `json:"session"`
	// Headers are the names of the HTTP headers, sorted and in canonical form.
	Headers []string `json:"headers,omitempty"`
}

// Trace is an Observe that writes each Received as a line of JSON. failed is
// told of the first error of w; after it nothing is written.
func Trace(w io.Writer, failed func(error)) func(Received) {
	var (
		mu     sync.Mutex
		broken bool
	)
	return func(r Received) {
		b, err := json.Marshal(r)
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return
		}
		if err == nil {
			_, err = w.Write(append(b, '\n'))
		}
		if err != nil {
			broken = true
			failed(fmt.Errorf("write trace: %w", err))
		}
	}
}

// see tells the observer of a message. q is nil for what is no request.
func (s *Server) see(r Received, q *request) {
	if s.observe == nil {
		return
	}
	if q != nil {
		r.Method = knownMethod(q.method)
		if name := text(q.params, "name"); q.method == "tools/call" {
			r.Tool = "other"
			if s.findTool(name) != nil {
				r.Tool = name
			}
		}
	}
	s.observing.Lock()
	defer s.observing.Unlock()
	s.observe(r)
}

func headerNames(h http.Header) []string {
	return slices.Sorted(maps.Keys(h))
}

func knownMethod(method string) string {
	known := []string{
		"initialize", "ping", "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"subscriptions/listen", "completion/complete", "logging/setLevel", "roots/list",
		"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
	}
	if slices.Contains(known, method) {
		return method
	}
	return "other"
}
