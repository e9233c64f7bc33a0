package client

import (
	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// The requests that a server may make.
const (
	ping   = "ping"
	sample = "sampling/createMessage"
	elicit = "elicitation/create"
	roots  = "roots/list"
)

// serve answers a request of the server's: as the caller wants it when the
// capability was declared, else by declining. A call during which more come than
// its limit ends; outside of calls they are left unanswered.
func (c *Conn) serve(m message, from *call) {
	if c.stateless() {
		// Such a server must not ask, and a client must not answer.
		c.count(func(n *Counts) { n.Unanswered++ })
		c.note(NoteStatelessRequest)
		return
	}
	if !c.allow(from) {
		return
	}
	answer, handled := c.answer(m.method, m.params)
	var member member
	switch {
	case answer != nil:
		member.name, member.value = "result", appendCompact(nil, answer)
	case m.method == ping:
		member.name, member.value = "result", []byte("{}")
	case m.method == elicit:
		member.name, member.value = "result", declineElicitation()
	case m.method == sample:
		member.name, member.value = "error", rpcError(-1, "Sampling was declined")
	default:
		member.name, member.value = "error", rpcError(-32601, "Method not found")
	}
	c.count(func(n *Counts) {
		if handled || m.method == ping {
			n.Answered++
		} else {
			n.Declined++
		}
	})
	frame := append([]byte(`{"jsonrpc":"2.0","id":`), m.rawID.Raw()...)
	frame = append(appendString(append(frame, ','), member.name), ':')
	c.transport().reply(append(append(frame, member.value...), '}'))
}

// allow counts a request against the call it came with. Over stdio that is the
// one open call; of several, each.
func (c *Conn) allow(from *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	charged, allowed := 0, true
	for _, k := range c.pending {
		if from != nil && k != from {
			continue
		}
		charged++
		k.asked++
		if k.asked > k.request.limit() {
			k.settle(nil, fault(TransportError, RequestFlood))
			allowed = false
		}
	}
	if charged == 0 {
		c.idle++
		allowed = c.idle <= MaxServerRequests
		if !allowed {
			c.noteLocked(NoteIdleRequests)
		}
	}
	if !allowed {
		c.counts.Unanswered++
	}
	return allowed
}

// answer is the caller's answer, nil when it declines or was not asked to.
func (c *Conn) answer(method string, params rawjson.Value) (result []byte, handled bool) {
	var f func(rawjson.Value) []byte
	switch method {
	case sample:
		f = c.o.Sampling
	case elicit:
		f = c.o.Elicitation
	case roots:
		f = c.o.Roots
	}
	if f == nil {
		return nil, false
	}
	result = f(params)
	return result, result != nil
}

func declineElicitation() []byte { return []byte(`{"action":"decline"}`) }

func rpcError(code int64, text string) []byte {
	return merge(rawjson.Value{}, []member{{"code", numberID(code)}, {"message", quoted(text)}})
}
