package recorder

import (
	"slices"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// subject is what a retry has in common with the request before it.
type subject struct {
	method uint64
	name   uint64 // of the tool or prompt, or the resource's URI
	args   uint64
	vague  bool // the frame was too large for its arguments to be kept
}

// leg is an interim result that a retry may answer.
type leg struct {
	first   uuid.UUID // event of the operation's first leg
	subject subject
	state   uint64 // of requestState; 0 for none
	asked   []uint64
	linked  bool // a retry came
}

// legs links the legs of multi-round-trip operations. It holds keyed hashes
// only. The newest maxLegs interim results are remembered.
type legs struct {
	digest digest
	ring   []leg
	next   int
}

func newLegs() legs { return legs{digest: newDigest()} }

// linkLeg finds the operation that q goes on with, if it is a retry.
func (c *Correlator) linkLeg(q *request, m *wire.Message) {
	if q.key.by != journal.FromClient || c.hands.lifecycle() == journal.Stateful {
		return
	}
	p, d := &m.Params, &c.legs.digest
	q.subject = subject{
		method: d.bytes(m.Method),
		name:   d.value(p.Name) ^ d.value(p.URI),
		args:   d.value(p.Arguments),
		vague:  q.truncated && p.Arguments.IsZero(),
	}
	if !p.RequestState.IsZero() || !p.InputResponses.IsZero() {
		q.legOf = c.legs.resume(q.subject, d.value(p.RequestState), p.InputResponses)
	}
}

// interim remembers an input_required result. id is its call's event.
func (l *legs) interim(q *request, id uuid.UUID, r *wire.Result) {
	first := q.legOf
	if first == uuid.Nil {
		first = id
	}
	if first == uuid.Nil {
		return
	}
	next := leg{first: first, subject: q.subject, state: l.digest.value(r.RequestState)}
	for key := range r.InputRequests.Members() {
		if len(next.asked) == maxAsked {
			break
		}
		next.asked = append(next.asked, l.digest.key(key))
	}
	if len(l.ring) < maxLegs {
		l.ring = append(l.ring, next)
		return
	}
	l.ring[l.next] = next
	l.next = (l.next + 1) % maxLegs
}

// resume returns the first leg of the one operation that a retry can belong
// to, or uuid.Nil. A retry echoes the state it was given, so that equal state
// decides; one without state must ask for the same and answer what was asked.
// Where more than one operation fits, none is chosen: a missing link is a
// smaller fault than a wrong one.
func (l *legs) resume(s subject, state uint64, responses rawjson.Value) uuid.UUID {
	same := func(g *leg) bool {
		return g.state == state && g.subject.method == s.method && g.subject.name == s.name
	}
	sameArgs := func(g *leg) bool {
		return same(g) && g.subject == s && !s.vague
	}
	if state == 0 {
		return l.only(func(g *leg) bool {
			return !g.linked && sameArgs(g) && l.answers(g, responses)
		})
	}
	for _, fits := range []func(*leg) bool{
		func(g *leg) bool { return !g.linked && same(g) },
		func(g *leg) bool { return !g.linked && sameArgs(g) },
		same, // sent again, its answer having been lost
	} {
		if first := l.only(fits); first != uuid.Nil {
			return first
		}
	}
	return uuid.Nil
}

// only marks the legs that fit as linked when all belong to one operation.
func (l *legs) only(fits func(*leg) bool) (first uuid.UUID) {
	for i := range l.ring {
		g := &l.ring[i]
		if !fits(g) {
			continue
		}
		if first != uuid.Nil && first != g.first {
			return uuid.Nil
		}
		first = g.first
	}
	if first == uuid.Nil {
		return first
	}
	for i := range l.ring {
		if g := &l.ring[i]; fits(g) {
			g.linked = true
		}
	}
	return first
}

func (l *legs) answers(g *leg, responses rawjson.Value) bool {
	for key := range responses.Members() {
		if slices.Contains(g.asked, l.digest.key(key)) {
			return true
		}
	}
	return false
}
