package recorder

import (
	"sync/atomic"
	"time"
)

// syncer makes a log durable about every second while it grows, on its own
// goroutine: an fsync may take long, and recording goes on meanwhile. A nil
// syncer does nothing.
type syncer struct {
	dirty   atomic.Bool
	failure atomic.Pointer[error]
	quit    chan struct{}
	done    chan struct{}
}

// startSyncer starts a syncer that calls sync. It has to be stopped.
func startSyncer(sync func() error) *syncer {
	s := &syncer{quit: make(chan struct{}), done: make(chan struct{})}
	go s.run(sync)
	return s
}

func (s *syncer) run(sync func() error) {
	defer close(s.done)
	ticker := time.NewTicker(syncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-ticker.C:
		}
		if !s.dirty.Swap(false) {
			continue
		}
		if err := sync(); err != nil {
			s.failure.CompareAndSwap(nil, &err)
			return
		}
	}
}

// wake says that there is something to sync.
func (s *syncer) wake() { s.dirty.Store(true) }

// stop ends the goroutine and waits for it.
func (s *syncer) stop() error {
	if s == nil {
		return nil
	}
	close(s.quit)
	<-s.done
	return s.err()
}

// err is the error that ended syncing, if any.
func (s *syncer) err() error {
	if s == nil {
		return nil
	}
	if p := s.failure.Load(); p != nil {
		return *p
	}
	return nil
}
