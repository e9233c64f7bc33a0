package client_test

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// manualClock fires timers when a test says so.
type manualClock struct {
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	timers  []*manualTimer
}

type manualTimer struct {
	d  time.Duration
	at time.Time
	f  func()
}

func newClock() *manualClock {
	c := &manualClock{now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{d, c.now.Add(d), f}
	c.timers = append(c.timers, t)
	c.changed.Broadcast()
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, t)
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

// fire waits until a timer of exactly d runs, and lets it go off.
func (c *manualClock) fire(t testing.TB, d time.Duration) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		i := slices.IndexFunc(c.timers, func(t *manualTimer) bool { return t.d == d })
		if i >= 0 {
			timer := c.timers[i]
			c.timers = slices.Delete(c.timers, i, i+1)
			c.now = c.now.Add(d)
			go timer.f()
			return
		}
		c.changed.Wait()
	}
}

// pass waits until a timer that was started just now runs for exactly d, then
// moves the time by step and lets every timer go off that is due.
func (c *manualClock) pass(t testing.TB, d, step time.Duration) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := func(t *manualTimer) bool { return t.d == d && t.at.Equal(c.now.Add(d)) }
	for !slices.ContainsFunc(c.timers, fresh) {
		c.changed.Wait()
	}
	c.now = c.now.Add(step)
	c.timers = slices.DeleteFunc(c.timers, func(t *manualTimer) bool {
		due := !t.at.After(c.now)
		if due {
			go t.f()
		}
		return due
	})
}
