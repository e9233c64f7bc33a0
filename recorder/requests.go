package recorder

import (
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// idKey addresses a request: ids live in one space per channel and requesting
// side.
type idKey struct {
	channel uint64
	by      journal.Origin
	id      wire.ID
}

// request is one request, open or recently answered. It holds nothing raw but
// its id.
type request struct {
	key        idKey
	prev, next *request
	list       *list // nil when in none

	exchange  uint64
	at        time.Time // when its last byte was read
	self      time.Duration
	role      role
	method    sanitize.Method
	tool      sanitize.Tool
	args      sanitize.Shape
	bytes     int64
	ambiguous int64

	cancelled bool // its sender gave it up
	truncated bool
	firstPage bool // tools/list without a cursor
	wantsTask bool
	lossy     bool // open when a gap began

	hasPending bool
	pending    uuid.UUID
	legOf      uuid.UUID
	subject    subject // what a retry must agree in
	hello      *hello  // what a request that may open a session declares
	token      idKey   // of its progress; no id when it asked for none
}

// list is an intrusive list of requests, oldest first.
type list struct {
	head, tail *request
	n          int
}

func (l *list) push(r *request) {
	r.list, r.prev, r.next = l, l.tail, nil
	if l.tail == nil {
		l.head = r
	} else {
		l.tail.next = r
	}
	l.tail = r
	l.n++
}

func (l *list) remove(r *request) {
	if r.prev == nil {
		l.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.list, r.prev, r.next = nil, nil, nil
	l.n--
}

// table holds the open requests, and the newest answered ones so that a second
// response is not taken for an orphan.
type table struct {
	byKey    map[idKey]*request
	open     list
	answered list
	young    *request // the oldest open request that Tick has not aged yet
	free     list
}

func newTable() table { return table{byKey: make(map[idKey]*request)} }

// find is the request with this id, open or answered, or nil.
func (t *table) find(k idKey) *request { return t.byKey[k] }

func (t *table) isOpen(r *request) bool { return r != nil && r.list == &t.open }

// add opens a request. An older one with the same key must have been closed or
// be an answered one, which is forgotten.
func (t *table) add(k idKey) *request {
	if old := t.byKey[k]; old != nil {
		t.forget(old)
	}
	r := t.free.head
	if r != nil {
		t.free.remove(r)
	} else {
		r = new(request)
	}
	r.key = k
	t.byKey[k] = r
	t.open.push(r)
	if t.young == nil {
		t.young = r
	}
	return r
}

// answer moves an open request to the answered ones.
func (t *table) answer(r *request) {
	t.leaveOpen(r)
	t.answered.push(r)
	if t.answered.n > maxAnswered {
		t.forget(t.answered.head)
	}
}

// forget removes a request for good.
func (t *table) forget(r *request) {
	if t.isOpen(r) {
		t.leaveOpen(r)
	} else {
		t.answered.remove(r)
	}
	delete(t.byKey, r.key)
	*r = request{}
	t.free.push(r)
}

func (t *table) leaveOpen(r *request) {
	if t.young == r {
		t.young = r.next
	}
	t.open.remove(r)
}
