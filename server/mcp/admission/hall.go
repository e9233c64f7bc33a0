package admission

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// The limits of the service.
const (
	Workers = 4   // requests served at a time
	Waiting = 16  // connections that are read or queued
	Resting = 256 // connections kept between requests

	StandTime   = 250 * time.Millisecond // until one that comes when all places are taken has to speak
	RequestTime = 5 * time.Second
	RestTime    = 30 * time.Second
	WriteTime   = 30 * time.Second
)

// Hall admits connections. Use its Listener, ConnContext and ConnState in one
// http.Server without timeouts of its own, and Serve in its handler.
type Hall struct {
	workers chan struct{} // holds an item for each that is busy

	mu       sync.Mutex // guards what follows
	waiting  int        // connections that are reading or queued
	standing int        // connections that came when Waiting others waited, and were not heard of yet
	silent   []*Conn    // those of them that nothing was heard of yet, the oldest first
	resting  int
}

// NewHall makes an empty hall.
func NewHall() *Hall { return &Hall{workers: make(chan struct{}, Workers)} }

// Listener admits what l accepts.
func (h *Hall) Listener(l net.Listener) net.Listener { return &listener{l, h} }

type listener struct {
	net.Listener
	hall *Hall
}

// Accept returns the next connection that there is room for and closes all
// others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.hall.admit(conn); c != nil {
			return c, nil
		}
		_ = conn.Close() // it is refused
	}
}

// admit is the connection, being read from now on, or nil when too many wait.
func (h *Hall) admit(conn net.Conn) *Conn {
	c := &Conn{Conn: conn, hall: h, state: resting}
	h.mu.Lock()
	h.resting++
	h.mu.Unlock()
	if !c.read(false) {
		c.leave()
		return nil
	}
	return c
}

type connKey struct{}

// ConnContext is that of http.Server: it makes the connection known to Serve.
func (h *Hall) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// ConnState is that of http.Server: it takes note of ends.
func (h *Hall) ConnState(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*Conn)
	if !ok {
		return
	}
	switch state {
	case http.StateIdle:
		c.rest()
	case http.StateClosed, http.StateHijacked:
		c.leave()
	}
}

// Serve waits for a worker for a request all of which was read, and calls serve
// with it. It reports whether it did: the client may lose patience first, or the
// time to read may have been up, and then the connection is closed. The worker is
// held until the response is written.
func (h *Hall) Serve(w http.ResponseWriter, r *http.Request, serve func()) bool {
	c, ok := r.Context().Value(connKey{}).(*Conn)
	if !ok || !c.queue() || !h.take(r.Context(), c) {
		if ok {
			_ = c.Conn.Close() // nothing that is written now may look like an answer
		}
		return false
	}
	if h.crowded() {
		w.Header().Set("Connection", "close")
	}
	serve()
	return true
}

// take takes a worker for c. Connections get them in the order of their requests.
func (h *Hall) take(ctx context.Context, c *Conn) bool {
	select {
	case h.workers <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if !c.serve() {
		<-h.workers
		return false
	}
	return true
}

// room reports whether one that has spoken finds a place among those that wait:
// when there is none, the connection that has waited longest without a word loses
// its own. Clients open connections that they then have no use for, and these may
// not keep requests out. It requires mu.
func (h *Hall) room() bool {
	if h.waiting < Waiting {
		return true
	}
	if len(h.silent) == 0 {
		return false
	}
	c := h.silent[0]
	c.turn(gone)
	_ = c.Conn.Close() // it is refused
	return true
}

// crowded reports whether no more connections should be kept.
func (h *Hall) crowded() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resting >= Resting
}
