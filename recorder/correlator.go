package recorder

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Sink takes the events a Correlator makes. It MUST NOT keep b or anything b
// points to: the Correlator uses it again for the next event.
type Sink interface {
	Add(ts time.Time, b journal.Body) (uuid.UUID, error)
}

var _ Sink = (*journal.Writer)(nil)

// Read says where and when a frame was read.
type Read struct {
	// Channel is the space its ids live in: 0 for stdio, else one number for
	// each session or, without sessions, each exchange.
	Channel uint64

	// Exchange is what carried it, for CloseExchange. 0 for stdio.
	Exchange uint64

	Direction journal.Direction
	At        time.Time     // when its last byte was read; monotonic
	Self      time.Duration // what the recorder has added to its way
}

// Correlator pairs requests with their responses and makes events of them. It
// is not safe for concurrent use.
type Correlator struct {
	sink  Sink
	san   *sanitize.Sanitizer
	tools tools

	requests table
	tokens   tokens
	legs     legs
	hands    hands
	counts   counts
	err      error

	// scratch, used again for every event
	call     journal.Call
	callErr  journal.CallError
	note     journal.Notification
	unparsed journal.Unparsed
	pending  journal.Pending
	text     []byte
}

// NewCorrelator returns a Correlator that sends its events to sink.
func NewCorrelator(sink Sink, san *sanitize.Sanitizer) *Correlator {
	return &Correlator{
		sink:     sink,
		san:      san,
		requests: newTable(),
		tokens:   newTokens(),
		legs:     newLegs(),
	}
}

// Err is the sink's first error. After it nothing more is recorded.
func (c *Correlator) Err() error { return c.err }

// Frame takes the next frame. It keeps nothing of f.
func (c *Correlator) Frame(r Read, f *wire.Frame) {
	if f.Class == wire.Blank || c.err != nil {
		return
	}
	c.counts.saw(r.Direction, f.Bytes)
	if f.Class != wire.RPC || len(f.Messages)+f.Unparsed == 0 {
		c.stray(r)
		return
	}
	for i := range f.Messages {
		m := &f.Messages[i]
		p := part{m: m, bytes: f.Bytes, truncated: f.Truncated, batch: f.Batch}
		if f.Batch {
			p.bytes = m.Bytes
		}
		switch m.Kind {
		case wire.Request:
			c.request(r, p)
		case wire.Notification:
			c.notification(r, p)
		case wire.Response:
			c.response(r, p)
		}
	}
	for range f.Unparsed {
		c.unparsedEvent(r)
	}
	if f.Dropped > 0 {
		lost := journal.Traffic{Frames: int64(f.Dropped)}
		if r.Direction == journal.Outbound {
			c.Gap(r.At, lost, journal.Traffic{})
		} else {
			c.Gap(r.At, journal.Traffic{}, lost)
		}
	}
}

// part is one message of a frame.
type part struct {
	m         *wire.Message
	bytes     int64
	truncated bool
	batch     bool
}

func (c *Correlator) request(r Read, p part) {
	m, who := p.m, r.Direction.Origin()
	method := sanitize.MethodOf(m.Method)
	role, allowed := methodTraits(method.String())
	if c.misdirected(who, role, allowed, false) {
		c.counts.direction++
	}

	k := idKey{r.Channel, who, m.ID}
	if old := c.requests.find(k); c.requests.isOpen(old) {
		c.closeUnknown(old, r.At)
	}
	q := c.requests.add(k)
	q.exchange, q.at, q.self = r.Exchange, r.At, r.Self
	q.role, q.method, q.bytes = role, method, p.bytes
	q.ambiguous, q.truncated = int64(m.AmbiguousKeys), p.truncated
	q.wantsTask = !m.Params.Task.IsZero()
	switch role {
	case toolsCall:
		c.describeTool(q, &m.Params)
	case toolsList:
		q.firstPage = isAbsent(m.Params.Cursor)
	}
	meta := readMeta(m.Params.Meta)
	c.hands.asked(q, m, meta)
	c.tokens.open(q, meta.progressToken)
	c.linkLeg(q, m)

	if m.ID.IsZero() { // too large to keep: its response cannot be told
		c.closeUnknown(q, r.At)
	}
	if c.requests.open.n > maxWaiting {
		c.closeUnknown(c.requests.open.head, r.At)
	}
}

func (c *Correlator) notification(r Read, p part) {
	m, who := p.m, r.Direction.Origin()
	method := sanitize.MethodOf(m.Method)
	role, allowed := methodTraits(method.String())
	if c.misdirected(who, role, allowed, true) {
		c.counts.direction++
	}
	c.note = journal.Notification{Origin: who, Method: method}
	c.emit(r.At, &c.note)
	switch role {
	case cancelledNote:
		c.cancel(r, p)
	case progressNote:
		if !c.tokens.known(r, m.Params.ProgressToken) {
			c.counts.progress++
		}
	}
}

func (c *Correlator) response(r Read, p part) {
	m := p.m
	if r.Direction == journal.Outbound && c.hands.lifecycle() == journal.Stateless {
		c.counts.direction++
	}
	var q *request
	if !m.ID.IsZero() {
		q = c.requests.find(idKey{r.Channel, r.Direction.Opposite().Origin(), m.ID})
	}
	if !c.requests.isOpen(q) {
		c.unmatched(r, p, q)
		return
	}
	if q.cancelled {
		c.counts.late++
	}
	v := c.judge(q, p)
	c.closeAnswered(q, r, p, v)
}

// unmatched counts a response that no open request waits for. q is the
// answered request with its id, or nil.
func (c *Correlator) unmatched(r Read, p part, q *request) {
	switch {
	case p.m.HasResult == p.m.HasError: // no response either
		if p.batch {
			c.unparsedEvent(r)
		} else {
			c.stray(r)
		}
	case q != nil:
		c.counts.duplicates++
	default:
		c.counts.orphans++
	}
}

// stray records a frame that is no JSON-RPC; on the server's side it is a
// stray line.
func (c *Correlator) stray(r Read) {
	if r.Direction == journal.Inbound {
		c.counts.stray()
	}
	c.unparsedEvent(r)
}

func (c *Correlator) unparsedEvent(r Read) {
	c.unparsed = journal.Unparsed{Direction: r.Direction}
	c.emit(r.At, &c.unparsed)
}

// emit sends an event to the sink. A line that the journal refuses for its
// length is lost alone; any other error ends the recording.
func (c *Correlator) emit(at time.Time, b journal.Body) uuid.UUID {
	if c.err != nil {
		return uuid.Nil
	}
	id, err := c.sink.Add(at, b)
	if err != nil && !errors.Is(err, journal.ErrTooLong) {
		c.err = err
	}
	return id
}
