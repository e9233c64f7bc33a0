package demo

import (
	"context"
	"strconv"
	"sync"
)

// session is what the server remembers of one client: of a connection over
// stdio, of an Mcp-Session-Id over HTTP, or of all clients of 2026-07-28 over
// HTTP together, which has no sessions.
type session struct {
	id     string // over HTTP
	number int    // for observers, from 0 for the stateless one
	ctx    context.Context
	end    context.CancelFunc

	mu         sync.Mutex // guards the fields below
	revision   string     // of initialize
	client     members    // the capabilities of initialize
	calls      int        // tools/call requests so far
	perTool    map[string]int
	outages    map[string]int // failures so far, by arguments
	calibrated map[string]bool
	saved      map[string]string                  // notes by notebook
	refused    map[string]bool                    // tools that refused arguments
	running    map[string]context.CancelCauseFunc // by request ID
	asked      map[string]chan *answered          // by ID of our request
	lastAsked  int
	subscribed map[string]bool
	outbox     chan []byte // HTTP: messages for the GET stream
	streaming  bool        // there is one
	deliver    func(line []byte)
}

// outboxSize is how many messages wait for a GET stream; more are dropped.
const outboxSize = 64

func (s *Server) newSession() *session {
	n := &session{
		perTool: make(map[string]int), outages: make(map[string]int), calibrated: make(map[string]bool),
		saved: make(map[string]string), refused: make(map[string]bool),
		running: make(map[string]context.CancelCauseFunc), asked: make(map[string]chan *answered),
		subscribed: make(map[string]bool), outbox: make(chan []byte, outboxSize),
		revision: revision2025c,
	}
	if known := s.stateful(); len(known) > 0 {
		n.revision = known[0]
	}
	n.ctx, n.end = context.WithCancel(s.closed)
	n.deliver = func(line []byte) {
		select {
		case n.outbox <- line:
		default:
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n.number = s.count
	s.count++
	s.sessions[n] = true
	return n
}

func (s *Server) endSession(n *session) {
	n.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, n)
}

// findSession is the session over HTTP with that ID, or nil.
func (s *Server) findSession(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.sessions {
		if id != "" && n.id == id {
			return n
		}
	}
	return nil
}

// forget drops what every client over HTTP had, as a restart does.
func (s *Server) forget() {
	s.mu.Lock()
	old := s.sessions
	s.sessions = make(map[*session]bool)
	s.mu.Unlock()
	for n := range old {
		n.end()
	}
	fresh := s.newSession()
	s.mu.Lock()
	fresh.number = 0
	s.stateless = fresh
	s.mu.Unlock()
}

// count numbers a call of tools/call in the session, and for its tool.
func (n *session) count(tool string) (call, ofTool int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	n.perTool[tool]++
	return n.calls, n.perTool[tool]
}

// begin makes a context that a cancellation of the request ends. done must be
// called when the request has been answered.
func (n *session) begin(ctx context.Context, id string) (running context.Context, done func()) {
	running, cancel := context.WithCancelCause(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.running[id] = cancel
	return running, func() {
		cancel(nil)
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.running, id)
	}
}

// cancel ends a running request and tells whether there was one.
func (n *session) cancel(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	cancel := n.running[id]
	if cancel != nil {
		cancel(errCancelled)
	}
	return cancel != nil
}

// expect makes a number for a request to the client and the channel on which
// its answer comes.
func (n *session) expect() (id int, answer chan *answered) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastAsked++
	answer = make(chan *answered, 1)
	n.asked[strconv.Itoa(n.lastAsked)] = answer
	return n.lastAsked, answer
}

// take hands an answer of the client to who waits for it; others are ignored.
func (n *session) take(a *answered) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if waiting := n.asked[a.id]; waiting != nil {
		delete(n.asked, a.id)
		waiting <- a
	}
}

// subscribe notes that updates of a resource are wanted, or not any more.
func (n *session) subscribe(uri string, wanted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if wanted {
		n.subscribed[uri] = true
	} else {
		delete(n.subscribed, uri)
	}
}

// outage counts the failures of one call; after two it starts over and tells
// that the outage is past.
func (n *session) outage(key string) (past bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.outages[key] >= 2 {
		delete(n.outages, key)
		return true
	}
	n.outages[key]++
	return false
}

// calibrate notes that a sensor may be read once.
func (n *session) calibrate(sensor string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calibrated[sensor] = true
}

// read tells whether a sensor may be read, and uses that up.
func (n *session) read(sensor string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	ok := n.calibrated[sensor]
	delete(n.calibrated, sensor)
	return ok
}

// refuse notes that a tool refused arguments.
func (n *session) refuse(tool string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused[tool] = true
}

func (n *session) hasRefused(tool string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refused[tool]
}

// save writes a note into a notebook.
func (n *session) save(notebook, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.saved[notebook] = text
}

// hello notes what initialize settled.
func (n *session) hello(revision string, client members) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.revision, n.client = revision, client
}

func (n *session) settled() (revision string, client members) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.revision, n.client
}
