package recorder

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// closeAnswered records the call of a request whose response came.
func (c *Correlator) closeAnswered(q *request, r Read, p part, v verdict) {
	call := c.callOf(q, v.outcome)
	call.LatencyUS = max(0, r.At.Sub(q.at).Microseconds())
	call.ResponseBytes = p.bytes
	call.Task = v.task
	call.Error = v.err
	call.Truncated = q.truncated || p.truncated
	call.AmbiguousKeys += int64(p.m.AmbiguousKeys)
	call.ShimSelfUS = (q.self + r.Self).Microseconds()
	id := c.emit(r.At, call)

	if p.m.HasResult && !p.m.HasError {
		c.counts.established = c.counts.established || q.role != initialize && q.role != discover
		if q.role == toolsList {
			c.tools.catalog.Learn(p.m.Result.Tools, q.firstPage)
		}
		c.shakeHands(q, r.At, &p.m.Result)
	}
	if v.outcome == journal.OutcomeInputRequired {
		c.legs.interim(q, id, &p.m.Result)
	}
	c.tokens.close(q, v.task)
	c.requests.answer(q)
}

// closeSilent records the call of a request whose response never came, and
// forgets it.
func (c *Correlator) closeSilent(q *request, at time.Time, outcome journal.Outcome) {
	call := c.callOf(q, outcome)
	call.Truncated = q.truncated
	call.ShimSelfUS = q.self.Microseconds()
	c.emit(at, call)
	c.tokens.close(q, false)
	c.requests.forget(q)
}

func (c *Correlator) closeUnknown(q *request, at time.Time) {
	c.closeSilent(q, at, journal.OutcomeUnknown)
}

// callOf fills the scratch call with what the request alone tells.
func (c *Correlator) callOf(q *request, outcome journal.Outcome) *journal.Call {
	c.call = journal.Call{
		Origin:        q.key.by,
		Method:        q.method,
		Tool:          q.tool,
		Args:          q.args,
		LatencyUS:     -1,
		RequestBytes:  q.bytes,
		ResponseBytes: -1,
		Outcome:       outcome,
		Cancelled:     q.cancelled,
		LegOf:         q.legOf,
		Pending:       q.pending,
		AmbiguousKeys: q.ambiguous,
	}
	return &c.call
}
