package recorder

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestSyncer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		var failing atomic.Bool
		failure := errors.New("disk")
		s := startSyncer(func() error {
			calls.Add(1)
			if failing.Load() {
				return failure
			}
			return nil
		})
		wait := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		step := func(name string, d time.Duration, want int64) {
			wait(d)
			if got := calls.Load(); got != want {
				t.Errorf("%s: %d syncs, want %d", name, got, want)
			}
		}
		step("nothing to sync", 10*syncEvery, 0)
		for range 100 {
			s.wake()
		}
		step("not at once", syncEvery/2, 0)
		step("within a second", syncEvery, 1)
		step("nothing new", 10*syncEvery, 1)

		failing.Store(true)
		s.wake()
		step("the failing one", 2*syncEvery, 2)
		s.wake()
		if err := s.err(); !errors.Is(err, failure) {
			t.Errorf("the error is %v", err)
		}
		step("none after a failure", 10*syncEvery, 2)
		if err := s.stop(); !errors.Is(err, failure) {
			t.Errorf("stop gives %v", err)
		}
	})
}

// A recorder that syncs every write has no syncer.
func TestNoSyncer(t *testing.T) {
	var s *syncer
	if s.err() != nil || s.stop() != nil {
		t.Error("a nil syncer fails")
	}
}
