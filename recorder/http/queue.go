package httpshim

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// kind is a kind of item.
type kind uint8

const (
	begun    kind = iota + 1 // the request was read to its end; data is its body
	tooLarge                 // the request was refused for its size and went nowhere
	answered                 // the head of the response came; see head
	chunk                    // a piece of a response body that streams
	whole                    // a whole response body
	ended                    // last of its exchange, and always put after begun or tooLarge; see end
	leaving                  // of no exchange: the shim was told to end
)

// item is one thing that happened, on its way to the scribe.
type item struct {
	kind kind
	x    *exchange
	at   time.Time
	self time.Duration // what the shim added to its way
	data []byte
	head head
	end  end
	lost journal.Traffic // in the direction of this item, right before it
}

// queue takes items from many exchanges to the one scribe. Putting never waits:
// what does not fit is counted, and becomes a gap.
type queue struct {
	maxBytes int64
	bytes    atomic.Int64 // put and not yet recorded
	count    atomic.Int64 // likewise, items
	bell     chan struct{}

	mu    sync.Mutex // guards what follows
	items []item
	lost  map[sessionKey]*loss // of exchanges that could not be begun
}

// loss is what was forwarded without a record.
type loss struct{ outbound, inbound journal.Traffic }

func newQueue(maxBytes int64) *queue {
	return &queue{maxBytes: maxBytes, bell: make(chan struct{}, 1), lost: make(map[sessionKey]*loss)}
}

// put adds an item whose data stays as it is. It reports false, and adds
// nothing, when there is no room. Items without data that end what was begun
// always have room: there are no more of them than exchanges.
func (q *queue) put(it item) bool {
	if n := int64(len(it.data)); n > 0 && q.bytes.Add(n) > q.maxBytes {
		q.bytes.Add(-n)
		return false
	}
	if n := q.count.Add(1); n > maxBacklog && (it.kind == begun || it.kind == tooLarge || it.kind == chunk) {
		q.count.Add(-1)
		q.bytes.Add(-int64(len(it.data)))
		return false
	}
	q.mu.Lock()
	q.items = append(q.items, it)
	q.mu.Unlock()
	q.ring()
	return true
}

// lose counts what an exchange that could not be begun has forwarded. When too
// many sessions lose something, the rest is counted for those without one.
func (q *queue) lose(key sessionKey, n loss) {
	if n == (loss{}) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lost[key]
	if l == nil {
		if len(q.lost) >= maxCaptures {
			key = sessionKey{}
		}
		if l = q.lost[key]; l == nil {
			l = new(loss)
			q.lost[key] = l
		}
	}
	add(&l.outbound, n.outbound)
	add(&l.inbound, n.inbound)
}

func add(t *journal.Traffic, n journal.Traffic) {
	t.Frames += n.Frames
	t.Bytes += n.Bytes
}

// take gives the scribe all there is: items in their order, and what was lost
// before or among them. spare is a slice to use again.
func (q *queue) take(spare []item) ([]item, map[sessionKey]*loss) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, lost := q.items, q.lost
	q.items = spare[:0]
	if len(lost) > 0 {
		q.lost = make(map[sessionKey]*loss)
	}
	return items, lost
}

// done gives back the room of an item.
func (q *queue) done(it *item) {
	q.bytes.Add(-int64(len(it.data)))
	q.count.Add(-1)
}

func (q *queue) ring() {
	select {
	case q.bell <- struct{}{}:
	default:
	}
}
