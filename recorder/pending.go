package recorder

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// Tick records a pending event for each request that has waited ten seconds.
// Streams are left out: waiting is what they are for, and they are no hung
// calls. Ticks may come at any pace; one without news costs nothing.
func (c *Correlator) Tick(now time.Time) {
	for c.err == nil {
		q := c.requests.young
		if q == nil || now.Sub(q.at) < pendingAfter {
			return
		}
		c.requests.young = q.next
		if q.role != listen {
			c.keepEvidence(q, now)
		}
	}
}

// ClientGone records a pending event for each open request, streams included:
// the client's end of file, TERM, HUP or INT came, and what follows may be a
// SIGKILL. It may be called more than once.
func (c *Correlator) ClientGone(now time.Time) {
	for q := c.requests.open.head; q != nil && c.err == nil; q = q.next {
		c.keepEvidence(q, now)
	}
}

func (c *Correlator) keepEvidence(q *request, now time.Time) {
	if q.hasPending {
		return
	}
	q.hasPending = true
	c.pending = journal.Pending{
		Origin:       q.key.by,
		Method:       q.method,
		Tool:         q.tool,
		Args:         q.args,
		RequestBytes: q.bytes,
	}
	q.pending = c.emit(now, &c.pending)
}
