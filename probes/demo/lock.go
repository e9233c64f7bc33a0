package demo

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"
)

// lockTime is how long a call that keeps others out waits for one to come.
const lockTime = time.Second

// lock keeps other callers out while a call runs, those of other processes with
// a loopback port. The caller that holds it waits until another one was refused,
// so that two calls made together always meet.
type lock struct {
	port int // 0: this process only

	mu      sync.Mutex // guards the fields below
	held    bool
	refused chan struct{} // closed when a caller was refused
}

// hold takes the lock for a call; false means that another call has it.
func (l *lock) hold(ctx context.Context, after func(time.Duration) <-chan time.Time) bool {
	l.mu.Lock()
	if l.held {
		select {
		case <-l.refused:
		default:
			close(l.refused)
		}
		l.mu.Unlock()
		return false
	}
	met := make(chan struct{})
	l.held, l.refused = true, met
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = false
	}()
	if l.port == 0 {
		waitFor(ctx, met, nil, after)
		return true
	}
	return l.holdPort(ctx, met, after)
}

// holdPort keeps other processes out, too. A process that cannot have the port
// calls the one that has it, which then need not wait any longer.
func (l *lock) holdPort(ctx context.Context, met chan struct{}, after func(time.Duration) <-chan time.Time) bool {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		if c, err := net.DialTimeout("tcp", address, lockTime); err == nil {
			_ = c.Close() // the connection itself was the message
		}
		return false
	}
	called := make(chan struct{})
	go func() {
		defer close(called)
		if c, err := listener.Accept(); err == nil {
			_ = c.Close()
		}
	}()
	waitFor(ctx, met, called, after)
	_ = listener.Close()
	<-called
	return true
}

func waitFor(ctx context.Context, met, called chan struct{}, after func(time.Duration) <-chan time.Time) {
	select {
	case <-met:
	case <-called:
	case <-ctx.Done():
	case <-after(lockTime):
	}
}
