package recorder

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// cancel marks the request that notifications/cancelled names. It stays open:
// a result may come anyway. Unknown and answered ids are a race that both sides
// ignore.
func (c *Correlator) cancel(r Read, p part) {
	id := wire.IDOf(p.m.Params.RequestID)
	if id.IsZero() {
		return
	}
	who := r.Direction.Origin()
	if q := c.requests.find(idKey{r.Channel, who, id}); c.requests.isOpen(q) {
		q.cancelled = true
		return
	}
	if who != journal.FromServer {
		return
	}
	// From 2026-07-28 on a server ends a stream of the client's that way. The
	// notification stands in for the response.
	q := c.requests.find(idKey{r.Channel, journal.FromClient, id})
	if c.requests.isOpen(q) && q.role == listen {
		c.closeAnswered(q, r, p, verdict{outcome: journal.OutcomeOK})
	}
}

// Codes by which peers say that they gave a request up on demand.
const (
	codeRequestCancelled = -32800
	codeServerCancelled  = -32802
)

// isCancelReply reports whether an error is the reply to a cancellation. No
// code is agreed upon, and some SDKs answer with code 0, so that the text
// counts too.
func (c *Correlator) isCancelReply(e *wire.Error) bool {
	if code, ok := e.Code.Int(); ok && (code == codeRequestCancelled || code == codeServerCancelled) {
		return true
	}
	c.text = e.Message.AppendText(c.text[:0])
	return bytes.Contains(bytes.ToLower(c.text), []byte("cancel"))
}
