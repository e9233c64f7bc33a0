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
	d time.Duration
	f func()
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
	t := &manualTimer{d, f}
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

// running counts the timers of exactly d.
func (c *manualClock) running(d time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, t := range c.timers {
		if t.d == d {
			n++
		}
	}
	return n
}

// advance moves the time without letting timers go off.
func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
