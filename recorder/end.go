package recorder

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// counts become the end event.
type counts struct {
	outbound, inbound         journal.Traffic
	strayBefore, straySession int64
	orphans, duplicates, late int64
	progress, direction       int64

	established bool // a handshake, or without one the first result
}

func (n *counts) saw(d journal.Direction, bytes int64) {
	t := &n.outbound
	if d == journal.Inbound {
		t = &n.inbound
	}
	t.Frames++
	t.Bytes += bytes
}

func (n *counts) stray() {
	if n.established {
		n.straySession++
	} else {
		n.strayBefore++
	}
}

// Exit is how the server's process ended.
type Exit struct {
	Code   int // -1 when it did not exit by itself, or there is none
	Signal int // that ended it; 0 for none
	Killed bool
}

// NoExit is the Exit of a recorder that has no process.
var NoExit = Exit{Code: -1}

// Ending is why no response to a request will come.
type Ending uint8

// The endings of an exchange.
const (
	Lost      Ending = iota // the connection ended first
	Withdrawn               // its client ended it, which from 2026-07-28 on cancels the request
	Unread                  // the response passed, but could not be read
)

// CloseExchange records the calls of the requests that an exchange brought and
// that nothing will answer any more. r's direction is of no account.
func (c *Correlator) CloseExchange(r Read, why Ending) {
	c.eachOpen(r, func(q *request) { c.closeOpen(q, r.At, why) })
}

// CloseChannel does the same for everything open on a channel.
func (c *Correlator) CloseChannel(channel uint64, at time.Time, why Ending) {
	for q := c.requests.open.head; q != nil; {
		next := q.next
		if q.key.channel == channel {
			c.closeOpen(q, at, why)
		}
		q = next
	}
}

// FailExchange records the calls of the requests that an exchange brought as
// errors of the transport: an HTTP status other than 2xx with a body of bytes
// that is no JSON-RPC.
func (c *Correlator) FailExchange(r Read, status int, bytes int64) {
	failure := journal.CallError{Code: sanitize.HTTPCode(status), Layer: sanitize.LayerTransport}
	c.eachOpen(r, func(q *request) {
		call := c.callOf(q, journal.OutcomeError)
		c.callErr = failure
		call.Error = &c.callErr
		call.LatencyUS = max(0, r.At.Sub(q.at).Microseconds())
		call.ResponseBytes = bytes
		call.Truncated = q.truncated
		call.ShimSelfUS = (q.self + r.Self).Microseconds()
		c.emit(r.At, call)
		c.tokens.close(q, false)
		c.requests.answer(q)
	})
}

func (c *Correlator) eachOpen(r Read, do func(*request)) {
	for q := c.requests.open.head; q != nil; {
		next := q.next
		if q.key.channel == r.Channel && q.exchange == r.Exchange {
			do(q)
		}
		q = next
	}
}

// closeOpen records the call of a request that nothing will answer.
func (c *Correlator) closeOpen(q *request, at time.Time, why Ending) {
	switch {
	case q.lossy || why == Unread:
		c.closeUnknown(q, at)
	case q.cancelled || why == Withdrawn:
		q.cancelled = true
		c.closeSilent(q, at, journal.OutcomeCancelled)
	default:
		c.closeSilent(q, at, journal.OutcomeUnanswered)
	}
}

// End records what still waits, in the order it came, and then the end event.
// Nothing may be given to the Correlator after it.
func (c *Correlator) End(at time.Time, exit Exit) {
	for q := c.requests.open.head; q != nil && c.err == nil; q = c.requests.open.head {
		c.closeOpen(q, at, Lost)
	}
	n := &c.counts
	c.emit(at, &journal.End{ // the sink counts the events
		Outbound:     n.outbound,
		Inbound:      n.inbound,
		StrayBefore:  n.strayBefore,
		StraySession: n.straySession,
		Orphans:      n.orphans,
		Duplicates:   n.duplicates,
		Late:         n.late,
		Progress:     n.progress,
		Direction:    n.direction,
		ExitCode:     int64(exit.Code),
		Signal:       int64(exit.Signal),
		Killed:       exit.Killed,
	})
}
