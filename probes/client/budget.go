package client

import (
	"context"
	"sync/atomic"
	"time"
)

// The budget of one evaluation, over all its connections and concurrent calls.
const (
	BudgetTime     = 5 * time.Minute
	BudgetRequests = 4096
)

// Budget bounds one evaluation. Each JSON-RPC request takes one, handshakes,
// discovery and the rounds of one operation included; notifications and replies
// to the server cost time only. It may be shared by goroutines.
type Budget struct {
	clock    Clock
	deadline time.Time
	used     atomic.Int64
	limit    int64
}

// NewBudget starts a budget. A nil clock is the system's.
func NewBudget(clock Clock) *Budget {
	if clock == nil {
		clock = SystemClock{}
	}
	return &Budget{clock: clock, deadline: clock.Now().Add(BudgetTime), limit: BudgetRequests}
}

// Used is how many requests were taken.
func (b *Budget) Used() int { return int(min(b.used.Load(), b.limit)) }

// Exhausted reports whether the requests or the time are used up.
func (b *Budget) Exhausted() bool {
	return b.used.Load() >= b.limit || !b.clock.Now().Before(b.deadline)
}

// take takes one request.
func (b *Budget) take() *Fault {
	if !b.clock.Now().Before(b.deadline) {
		return &Fault{Kind: BudgetExceeded, Detail: OutOfTime}
	}
	if b.used.Add(1) > b.limit {
		return &Fault{Kind: BudgetExceeded, Detail: OutOfRequests}
	}
	return nil
}

// Context is ctx, cancelled with a Fault as its cause when the time is up.
// cancel must be called.
func (b *Budget) Context(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := b.clock.AfterFunc(b.deadline.Sub(b.clock.Now()), func() {
		cancel(&Fault{Kind: BudgetExceeded, Detail: OutOfTime})
	})
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}
