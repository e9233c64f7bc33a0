package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// The causes for which an evaluation ends early, and the error of one that did
// not begin.
var (
	errBusy      = errors.New("another evaluation is running: retry after it finishes")
	errCancelled = errors.New("the evaluation was cancelled")
	errGone      = errors.New("the client is gone")
	errStopping  = errors.New("mcpeval serve is ending")
)

// origin is the HTTP request that a call came with.
type origin struct {
	session string
	ids     []wire.ID // of its requests; several in a batch
	gone    context.Context
}

type originKey struct{}

// evaluations lets one evaluation run at a time and ends it when nobody waits
// for it any more.
type evaluations struct {
	mu      sync.Mutex // guards what follows
	running *evaluation
	ending  bool
}

type evaluation struct {
	origin *origin // nil over stdio, where the SDK's context is enough
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// begin starts an evaluation: its context is over when the client is gone, has
// cancelled it, or the endpoint ends, and then has one of the errors above as its
// cause. finish must be called once no process of it is left.
func (s *evaluations) begin(ctx context.Context) (_ context.Context, finish func(), _ error) {
	from, _ := ctx.Value(originKey{}).(*origin)
	ctx, cancel := context.WithCancelCause(ctx)
	e := &evaluation{origin: from, cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ending:
		cancel(errStopping)
		return nil, nil, errStopping
	case s.running != nil:
		cancel(errBusy)
		return nil, nil, errBusy
	}
	s.running = e
	release := func() bool { return true }
	if from != nil {
		release = context.AfterFunc(from.gone, func() { cancel(errGone) })
	}
	return ctx, func() {
		release()
		cancel(errCancelled)
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		close(e.done)
	}, nil
}

// cancel ends the running evaluation if it is the one that this session asked for
// with this id. Requests without a session are nobody's.
func (s *evaluations) cancel(session string, id wire.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.running.origin == nil || session == "" || session != s.running.origin.session {
		return
	}
	for _, own := range s.running.origin.ids {
		if own == id {
			s.running.cancel(errCancelled)
		}
	}
}

// end ends the running evaluation and lets no other begin. done is closed once
// none runs.
func (s *evaluations) end() (done <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	if s.running == nil {
		none := make(chan struct{})
		close(none)
		return none
	}
	s.running.cancel(errStopping)
	return s.running.done
}
