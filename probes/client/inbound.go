package client

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// inbound takes a frame that the server sent. from is the call whose exchange
// carried it, or nil. frame stays unchanged from here on.
func (c *Conn) inbound(frame []byte, at time.Time, from *call) {
	c.tap(journal.Inbound, frame, at)
	v, err := rawjson.Parse(frame)
	if err != nil {
		c.unreadable(frame, from)
		return
	}
	if v.Kind() != rawjson.Array {
		c.take(v, len(frame), at, from)
		return
	}
	any := false
	for member := range v.Elements() {
		any = c.take(member, len(member.Raw()), at, from) || any
	}
	if any {
		c.count(func(n *Counts) { n.Batches++ })
		c.note(NoteBatch)
	}
}

// unreadable counts a frame that is no JSON. An answer that only its encoding
// spoils ends its call at once; what else looks like a message may have been the
// answer to any call that then gets none.
func (c *Conn) unreadable(frame []byte, from *call) {
	if utf8.Valid(frame) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counts.BannerLines++
		if !bytes.Contains(frame, []byte(`"jsonrpc"`)) {
			return
		}
		for _, k := range c.pending {
			if from == nil || k == from {
				k.torn++
			}
		}
		return
	}
	c.count(func(n *Counts) { n.InvalidUTF8++ })
	v, err := rawjson.Parse(bytes.ToValidUTF8(frame, []byte("?")))
	if err != nil {
		return
	}
	if m, ok := readMessage(v); ok && m.kind == wire.Response {
		c.mu.Lock()
		defer c.mu.Unlock()
		if k := c.pending[m.id]; k != nil {
			k.settle(nil, fault(TransportError, InvalidUTF8))
		}
	}
}

// take takes one message and reports whether it is one.
func (c *Conn) take(v rawjson.Value, size int, at time.Time, from *call) bool {
	m, ok := readMessage(v)
	if !ok || !m.isRPC {
		c.notRPC(m, ok)
		return false
	}
	switch m.kind {
	case wire.Response:
		c.response(m, size, at, from)
	case wire.Notification:
		c.notification(m)
	case wire.Request:
		c.serve(m, from)
	}
	return true
}

// notRPC counts JSON that is no JSON-RPC. An object that would answer a call but
// for its jsonrpc member ends that call.
func (c *Conn) notRPC(m message, isMessage bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.OtherJSON++
	if k := c.pending[m.id]; isMessage && k != nil && m.kind == wire.Response && (m.hasResult || m.hasError) {
		k.settle(nil, fault(TransportError, MalformedAnswer))
	}
}

func (c *Conn) response(m message, size int, at time.Time, from *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = true
	k := c.pending[m.id]
	if m.id.IsZero() || k == nil {
		c.unmatched(m, from)
		return
	}
	if k.over {
		c.counts.Duplicates++
		return
	}
	r := &Response{
		ExactID: bytes.Equal(m.rawID.Raw(), k.rawID),
		Status:  k.status,
		Bytes:   size,
		Asked:   k.asked,
		Latency: max(0, at.Sub(k.written)),
	}
	if k.written.IsZero() {
		r.Latency = 0
	}
	if !r.ExactID {
		c.counts.InexactIDs++
	}
	switch {
	case m.hasResult && !m.hasError:
		r.Result = m.result
	case m.hasError && !m.hasResult:
		e, ok := readError(m.err)
		if !ok {
			k.settle(nil, fault(TransportError, MalformedAnswer))
			return
		}
		r.Error = e
	default:
		k.settle(nil, fault(TransportError, MalformedAnswer))
		return
	}
	k.settle(r, nil)
}

// unmatched counts a response that no call waits for. It requires mu.
func (c *Conn) unmatched(m message, from *call) {
	if answered, known := c.closed[m.id]; known && !m.id.IsZero() {
		if answered {
			c.counts.Duplicates++
		} else {
			c.counts.Late++
		}
		if from != nil {
			from.strays++ // it cannot be the answer that this exchange owes
		}
		return
	}
	if from == nil || !m.id.IsZero() {
		c.counts.Orphans++ // else the exchange tells what it answers
	}
	e, _ := readError(m.err)
	for _, k := range c.pending {
		if from != nil && k != from {
			continue
		}
		k.strays++
		if e != nil && m.id.IsZero() {
			k.orphan = e
		}
		if k.request.anyID {
			k.settle(nil, &Fault{Kind: TransportError, Detail: MismatchedID, Status: k.status, RPC: e})
		}
	}
}

func (c *Conn) notification(m message) {
	c.mu.Lock()
	if c.counts.Notifications == nil {
		c.counts.Notifications = make(map[string]int)
	}
	if _, known := c.counts.Notifications[m.method]; known || len(c.counts.Notifications) < maxNotificationNames {
		c.counts.Notifications[m.method]++
	}
	c.mu.Unlock()
	if c.o.OnNotification != nil {
		c.o.OnNotification(m.method, m.params)
	}
}
