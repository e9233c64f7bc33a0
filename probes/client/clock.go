package client

import "time"

// Clock is the time that timeouts and the budget go by.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine when d has passed. stop keeps that
	// from happening and reports whether it did.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// SystemClock is the real time.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (SystemClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// await waits for ch, but no longer than d, and reports whether it came.
func await(clock Clock, ch <-chan struct{}, d time.Duration) bool {
	select {
	case <-ch:
		return true
	default:
	}
	over := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-ch:
		return true
	case <-over:
		return false
	}
}
