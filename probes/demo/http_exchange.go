package demo

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
)

// httpExchange is one POST. Its answer is JSON or, from the first message on
// that is sent before the answer, an event stream.
type httpExchange struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request

	mu        sync.Mutex // guards the fields below and writes to w
	streaming bool
	over      bool
}

// request answers one request, or takes a notification.
func (e *httpExchange) request(q *request, seen Received) {
	s := e.server
	x := &exchange{server: s, request: q, send: e.send, gone: e.r.Context().Done()}
	stateless := s.speaksModern() && (q.stateless() || e.r.Header.Get(headerVersion) == revisionModern || len(s.stateful()) == 0)
	fresh := false
	var wrong *reply
	if stateless {
		s.mu.Lock()
		x.session = s.stateless
		s.mu.Unlock()
		wrong = s.checkStateless(x, e.r.Header)
		seen.Revision = x.revision
		s.see(seen, q)
	} else {
		fresh = q.method == "initialize"
		if fresh {
			x.session = s.newSession()
			x.session.id = s.newID()
			seen.Session = x.session.number
		}
		if n := s.findSession(e.r.Header.Get(headerSession)); n != nil && !fresh {
			seen.Revision, _ = n.settled()
		}
		s.see(seen, q)
		if !fresh {
			if x.session = e.session(); x.session == nil {
				return
			}
		}
		wrong = s.settle(x)
	}
	e.answer(x, wrong, fresh)
}

func (e *httpExchange) answer(x *exchange, wrong *reply, fresh bool) {
	s, q := e.server, x.request
	if q.id == nil {
		switch x.note() {
		case startExits:
			s.drop(e.w)
		case startSilent:
			s.silence()
			e.w.WriteHeader(http.StatusAccepted)
		default:
			e.w.WriteHeader(http.StatusAccepted)
		}
		return
	}
	if s.silenced() {
		s.waitOut(e.r)
		return
	}
	if wrong == nil && s.aspect.expire != nil && x.call > 0 && !x.modern() && s.aspect.expire(x.call) {
		s.endSession(x.session)
		writeJSON(e.w, http.StatusNotFound, line(refuse(nil, codeNoSession, "Session not found")))
		return
	}
	if wrong == nil && s.aspect.respond != nil && s.aspect.respond(e, x) {
		return
	}
	r := e.run(x, wrong)
	switch {
	case r.exit:
		s.drop(e.w)
	case r.silent:
		s.waitOut(e.r)
	default:
		if fresh && r.failure == nil {
			e.w.Header().Set(headerSession, x.session.id)
		}
		e.finish(status(x, r.failure), x.bytes(&r))
	}
	if fresh && r.failure != nil {
		s.endSession(x.session)
	}
}

// run makes the reply to a request, to its end.
func (e *httpExchange) run(x *exchange, wrong *reply) reply {
	if wrong != nil {
		return *wrong
	}
	r := x.open()
	if r.later == nil {
		return r
	}
	ctx, cancel := x.base(e.r)
	defer cancel()
	if !x.modern() {
		// In 2026-07-28 clients share what is remembered, and may use the same IDs.
		running, done := x.session.begin(ctx, string(x.request.id))
		defer done()
		ctx = running
	}
	return r.later(ctx)
}

// batch answers an array of messages, which 2025-03-26 allows.
func (e *httpExchange) batch(body []byte) {
	s := e.server
	seen := Received{Verb: e.r.Method, Method: "invalid", Session: s.sessionNumber(e.r), Headers: headerNames(e.r.Header)}
	session := e.session()
	if session == nil {
		s.see(seen, nil)
		return
	}
	var messages []json.RawMessage
	revision, _ := session.settled()
	if revision != revision2025a || json.Unmarshal(body, &messages) != nil || len(messages) == 0 {
		s.see(seen, nil)
		writeJSON(e.w, http.StatusBadRequest, line(refuse(nil, codeInvalidRequest, "batches are not part of this revision")))
		return
	}
	var answers [][]byte
	for _, raw := range messages {
		if a := e.member(session, raw, seen); len(a) > 0 {
			answers = append(answers, bytes.TrimSuffix(a, []byte("\n")))
		}
	}
	if len(answers) == 0 {
		e.w.WriteHeader(http.StatusAccepted)
		return
	}
	e.finish(http.StatusOK, append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), "]\n"...))
}

// member answers one message of a batch; there is nothing for a notification.
func (e *httpExchange) member(n *session, raw []byte, seen Received) []byte {
	m := decode(raw)
	if m.request == nil {
		e.server.see(seen, nil)
		if m.answer != nil {
			n.take(m.answer)
		}
		if m.wrong != nil {
			return line(m.wrong)
		}
		return nil
	}
	x := &exchange{server: e.server, session: n, request: m.request, send: e.send, gone: e.r.Context().Done()}
	wrong := e.server.settle(x)
	seen.Revision = x.revision
	e.server.see(seen, m.request)
	if m.request.id == nil {
		x.note()
		return nil
	}
	r := e.run(x, wrong)
	if r.silent || r.exit {
		return nil
	}
	return x.bytes(&r)
}

// status is the HTTP status of an answer.
func status(x *exchange, f *failed) int {
	switch {
	case f == nil:
	case x.modern() && f.Code == codeUnknownMethod:
		return http.StatusNotFound
	case x.modern() && (f.Code == codeHeader || f.Code == codeUnsupported || f.Code == codeInvalidParams || f.Code == codeInvalidRequest):
		return http.StatusBadRequest
	case f.Code == codeUnsupported:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
