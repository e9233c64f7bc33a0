package demo

import (
	"bytes"
	"net/http"
)

// send sends a message before the answer, which makes the answer an event stream.
func (e *httpExchange) send(message []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.begin()
	e.event(message)
}

// finish sends the answer.
func (e *httpExchange) finish(status int, answer []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	if e.streaming || status == http.StatusOK && !e.server.json {
		e.begin()
		e.event(answer)
		return
	}
	writeJSON(e.w, status, answer)
}

// begin makes the answer an event stream. It requires mu.
func (e *httpExchange) begin() {
	if e.streaming {
		return
	}
	e.streaming = true
	openStream(e.w)
	_, _ = e.w.Write([]byte(e.server.aspect.events)) // a client that is gone needs no answer
}

// event writes one event and flushes it. It requires mu.
func (e *httpExchange) event(message []byte) {
	writeEvent(e.w, message, e.server.aspect.lineEnd)
}

func openStream(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// writeEvent writes a message as one event. Its lines end with end, "\n" when
// that is empty; each line of the message becomes a data line.
func writeEvent(w http.ResponseWriter, message []byte, end string) {
	if end == "" {
		end = "\n"
	}
	var b bytes.Buffer
	b.WriteString("event: message" + end)
	for text := range bytes.Lines(bytes.TrimSuffix(message, []byte("\n"))) {
		b.WriteString("data: ")
		b.Write(bytes.TrimSuffix(text, []byte("\n")))
		b.WriteString(end)
	}
	b.WriteString(end)
	_, _ = w.Write(b.Bytes()) // a client that is gone needs no answer
	_ = http.NewResponseController(w).Flush()
}

// stream serves GET, the stream of a session, and DELETE, its end.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if s.speaksModern() && r.Header.Get(headerSession) == "" {
		notAllowed(w, "POST") // 2026-07-28 has neither
		return
	}
	n := (&httpExchange{server: s, w: w, r: r}).session()
	if n == nil {
		return
	}
	if r.Method == http.MethodDelete {
		s.endSession(n)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if !n.attach(true) {
		http.Error(w, "the session has a stream already", http.StatusConflict)
		return
	}
	defer n.attach(false)
	openStream(w)
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case message := <-n.outbox:
			writeEvent(w, message, s.aspect.lineEnd)
		case <-r.Context().Done():
			return
		case <-n.ctx.Done():
			return
		}
	}
}

// attach notes that the session's stream begins or ends; false means that there
// is one already.
func (n *session) attach(begins bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if begins && n.streaming {
		return false
	}
	n.streaming = begins
	return true
}
