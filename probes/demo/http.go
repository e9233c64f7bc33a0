package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The HTTP headers of MCP.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

const codeNoSession = -32001

var _ http.Handler = (*Server)(nil)

// ServeHTTP is the endpoint of Streamable HTTP, at whatever path. It refuses
// hosts and origins that are not this machine.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r.Host) || !localOrigin(r.Header) {
		http.Error(w, "only this machine is served", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodPost {
		s.see(Received{Verb: r.Method, Session: s.sessionNumber(r), Headers: headerNames(r.Header)}, nil)
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodGet, http.MethodDelete:
		s.stream(w, r)
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

func (s *Server) sessionNumber(r *http.Request) int {
	if n := s.findSession(r.Header.Get(headerSession)); n != nil {
		return n.number
	}
	return 0
}

func notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
}

// local tells whether a host, with or without a port, is this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

func localOrigin(h http.Header) bool {
	for _, origin := range h.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || !local(u.Host) {
			return false
		}
	}
	return true
}

// accepts tells whether the Accept headers list both kinds of answer.
func accepts(h http.Header) bool {
	var json, events bool
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		media, _, _ := mime.ParseMediaType(part)
		json = json || media == "*/*" || media == "application/*" || media == "application/json"
		events = events || media == "*/*" || media == "text/*" || media == "text/event-stream"
	}
	return json && events
}

// readBody reads a message; an answer has been written when it is nil.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) []byte {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil || media != "application/json":
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return nil
	case !accepts(r.Header):
		http.Error(w, "Accept must list application/json and text/event-stream", http.StatusNotAcceptable)
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeJSON(w, http.StatusRequestEntityTooLarge, line(refuse(nil, codeInvalidRequest, "the message is too long")))
		return nil
	case err != nil:
		return nil // the client is gone
	case !json.Valid(body):
		s.see(Received{Verb: r.Method, Method: "invalid", Session: s.sessionNumber(r), Headers: headerNames(r.Header)}, nil)
		writeJSON(w, http.StatusBadRequest, line(refuse(nil, codeParse, "Parse error")))
		return nil
	}
	return body
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// post handles one message, or a batch where the session's revision has them.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	body := s.readBody(w, r)
	if body == nil {
		return
	}
	if s.aspect.start == startSilent {
		s.waitOut(r)
		return
	}
	body = []byte(strings.TrimSpace(string(body)))
	e := &httpExchange{server: s, w: w, r: r}
	if body[0] == '[' {
		e.batch(body)
		return
	}
	m := decode(body)
	seen := Received{Verb: r.Method, Session: s.sessionNumber(r), Headers: headerNames(r.Header)}
	switch {
	case m.wrong != nil:
		seen.Method = "invalid"
		s.see(seen, nil)
		writeJSON(w, http.StatusBadRequest, line(m.wrong))
	case m.request == nil:
		s.see(seen, nil)
		if session := e.session(); session != nil {
			if m.answer != nil {
				session.take(m.answer)
			}
			w.WriteHeader(http.StatusAccepted)
		}
	default:
		e.request(m.request, seen)
	}
}

// waitOut holds a request without an answer until the client or the server ends.
func (s *Server) waitOut(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed.Done():
	}
}

// drop ends the connection without an answer, and forgets the sessions, as a
// server does that ends and is started again.
func (s *Server) drop(w http.ResponseWriter) {
	s.forget()
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "the server ended", http.StatusInternalServerError)
		return
	}
	_ = c.Close() // nobody is left to be told
}

// session is the one that the request names; nil after a refusal was written.
func (e *httpExchange) session() *session {
	id, version := e.r.Header.Get(headerSession), e.r.Header.Get(headerVersion)
	switch n := e.server.findSession(id); {
	case version != "" && !slices.Contains(e.server.stateful(), version):
		writeJSON(e.w, http.StatusBadRequest, line(refuse(nil, codeInvalidRequest, "Unsupported protocol version")))
	case id == "":
		writeJSON(e.w, http.StatusBadRequest, line(refuse(nil, codeInvalidRequest, "a session ID is required; initialize first")))
	case n == nil:
		writeJSON(e.w, http.StatusNotFound, line(refuse(nil, codeNoSession, "Session not found")))
	default:
		return n
	}
	return nil
}

// base is the context of what a request starts: of 2026-07-28 that of the HTTP
// request, whose end is its cancellation, else that of the session.
func (x *exchange) base(r *http.Request) (context.Context, context.CancelFunc) {
	if !x.modern() {
		return context.WithCancel(x.session.ctx)
	}
	return context.WithCancel(r.Context())
}
