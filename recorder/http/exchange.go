package httpshim

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// firstStateless is the first revision in which a client cancels a request by
// leaving.
const firstStateless = "2026-07-28"

// sessionKey stands for an Mcp-Session-Id, which may be long. The zero key
// stands for having none.
type sessionKey [sha256.Size]byte

func keyOf(h http.Header) sessionKey {
	id := h.Get("Mcp-Session-Id")
	if id == "" {
		return sessionKey{}
	}
	return sha256.Sum256([]byte(id))
}

// exchange is one request and its response, as the proxy tells them to the
// queue. It belongs to one handler; the scribe reads what does not change.
type exchange struct {
	queue *queue
	now   func() time.Time

	// These do not change.
	number   uint64 // also the channel of its ids when it has no session
	method   string
	path     string
	endpoint bool // it is for the MCP endpoint itself
	session  sessionKey
	modern   bool // by its header, of a revision without sessions
	coding   coding

	muted bool            // it could not be begun
	lost  journal.Traffic // inbound, since the last put

	thread thread // the scribe's
}

// head is what the head of a response tells.
type head struct {
	status  int
	session sessionKey
	form    form
	coding  coding
}

// why is how an exchange ended.
type why uint8

const (
	finished    why = iota // the response came to its end
	interrupted            // by the end of the shim, or by upstream
	clientGone             // the client did not wait for the rest
	unreachable            // upstream could not be reached, or broke off before it answered
	overBound              // the response was too long to pass
)

// end is how an exchange ended, and the length of the response body.
type end struct {
	why   why
	bytes int64
}

func isModern(revision string) bool {
	return len(revision) == len(firstStateless) && revision[0] >= '0' && revision[0] <= '9' && revision >= firstStateless
}

// begin says that the request has been read and is about to be passed on. It
// MUST come first, and end has to follow.
func (x *exchange) begin(body []byte, readAt time.Time) {
	it := item{kind: begun, x: x, at: readAt, data: body, self: x.now().Sub(readAt)}
	if x.queue.put(it) {
		return
	}
	lost := journal.Traffic{Bytes: int64(len(body))}
	if len(body) > 0 {
		lost.Frames = 1
	}
	it.data, it.lost = nil, lost
	if !x.queue.put(it) {
		x.muted = true
		x.queue.lose(x.session, loss{outbound: lost})
	}
}

// refuse says that the request has more than maxBody bytes. It stands in for
// begin.
func (x *exchange) refuse(bytes int64, at time.Time) {
	it := item{kind: tooLarge, x: x, at: at, end: end{bytes: bytes}}
	if !x.queue.put(it) {
		x.muted = true
		x.queue.lose(x.session, loss{outbound: journal.Traffic{Frames: 1, Bytes: bytes}})
	}
}

// answer says that the head of the response came.
func (x *exchange) answer(h head, at time.Time) {
	if !x.muted {
		x.queue.put(item{kind: answered, x: x, at: at, head: h})
	}
}

// body says that a whole body came. It is kept as it is.
func (x *exchange) body(b []byte, readAt time.Time) {
	it := item{kind: whole, x: x, at: readAt, data: b, self: x.now().Sub(readAt)}
	if x.muted || !x.queue.put(it) {
		x.lose(1, len(b))
	}
}

// piece says that a piece of a streaming body came, which completes so many
// events.
func (x *exchange) piece(p []byte, events int, readAt time.Time) {
	if x.muted {
		x.lose(events, len(p))
		return
	}
	it := item{kind: chunk, x: x, at: readAt, data: bytes.Clone(p), lost: x.lost}
	it.self = x.now().Sub(readAt) // the copy is part of what the shim adds
	if !x.queue.put(it) {
		x.lose(events, len(p))
		return
	}
	x.lost = journal.Traffic{}
}

func (x *exchange) lose(frames, bytes int) {
	n := journal.Traffic{Frames: int64(frames), Bytes: int64(bytes)}
	if x.muted {
		x.queue.lose(x.session, loss{inbound: n})
		return
	}
	add(&x.lost, n)
}

// finish says that nothing more will come.
func (x *exchange) finish(e end) {
	if !x.muted {
		x.queue.put(item{kind: ended, x: x, at: x.now(), end: e, lost: x.lost})
	}
}
