package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

// maxMessage is the longest message that is read, in bytes.
const maxMessage = 64 << 20

var (
	// ErrExited is returned when an aspect made the server end. The process should
	// then exit with a status that is not 0.
	ErrExited = errors.New("the server ended in the middle of a call, as asked")
	// ErrNotStarted is returned when an aspect keeps the server from starting. The
	// process should then exit with a status that is not 0.
	ErrNotStarted = errors.New("the server did not start, as asked")
	// ErrAspect is returned for an Options.Broken that names no aspect.
	ErrAspect = errors.New("there is no such aspect")
)

// Options are how a Server differs from the clean one that speaks everything.
type Options struct {
	// Broken is the name of the aspect that is broken; "" is clean.
	Broken string
	// Protocol is "legacy", "modern", "both" (which "" stands for), or the one
	// revision that is spoken.
	Protocol string
	// PageSize is how many tools a page of tools/list has; 0 is all of them.
	PageSize int
	// HTTPJSON answers POST requests with JSON where nothing but the answer is
	// sent; else answers are event streams.
	HTTPJSON bool
	// LockPort is the loopback port with which the aspect contended-lock keeps
	// other processes out; 0 keeps out only the other clients of this Server.
	LockPort int

	// Observe is told of every message and HTTP request that comes in, before it
	// is answered, one at a time; nil tells nobody.
	Observe func(Received)
	// After waits, for slow tools; nil is time.After.
	After func(time.Duration) <-chan time.Time
	// NewID makes session IDs for HTTP; nil makes random ones.
	NewID func() string
}

// Server is one server with all its clients. It is safe for concurrent use.
type Server struct {
	aspect   Aspect
	spoken   []string
	pageSize int
	json     bool
	after    func(time.Duration) <-chan time.Time
	newID    func() string
	observe  func(Received)
	lock     lock

	// closed ends what waits for clients.
	closed context.Context
	close  context.CancelFunc

	mu        sync.Mutex // guards the fields below
	count     int        // sessions so far
	sessions  map[*session]bool
	listeners map[*listener]bool
	stateless *session // of 2026-07-28 over HTTP
	silent    bool     // over HTTP, nothing is answered any more
	observing sync.Mutex
}

// New makes a server. A nil Options is the clean one. Close ends it.
func New(o *Options) (*Server, error) {
	if o == nil {
		o = &Options{}
	}
	aspect, ok := FindAspect(o.Broken)
	if !ok {
		return nil, ErrAspect
	}
	versions, err := spoken(o.Protocol)
	if err != nil {
		return nil, fmt.Errorf("make server: %w", err)
	}
	s := &Server{
		aspect: aspect, spoken: versions, pageSize: o.PageSize, json: o.HTTPJSON,
		after: o.After, newID: o.NewID, observe: o.Observe, lock: lock{port: o.LockPort},
		sessions: make(map[*session]bool), listeners: make(map[*listener]bool),
	}
	if s.after == nil {
		s.after = time.After
	}
	if s.newID == nil {
		s.newID = rand.Text
	}
	s.closed, s.close = context.WithCancel(context.Background())
	s.stateless = s.newSession()
	return s, nil
}

// Close ends sessions, event streams and waiting calls. Requests that come
// later are answered as if nothing had been before.
func (s *Server) Close() {
	s.close()
}

// silence makes the server answer nothing any more over HTTP.
func (s *Server) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
}

func (s *Server) silenced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent
}
