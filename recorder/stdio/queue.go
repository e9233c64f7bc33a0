package stdio

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// queue is the one recording queue: a ring of bytes, allocated once, with two
// producers (a pump for each direction) and one consumer. Producers never wait.
//
// Positions only grow; the place in the ring is the position modulo its size. A
// producer reserves room by moving head, copies, and then commits its record by
// storing the record's position in the slot that belongs to the place. Records
// are therefore in the order of their reservations. A record does not wrap: when
// it would, the rest of the ring is committed as padding.
//
//	record: | length u32 | kind u8 | direction u8 | 2 unused | a i64 | b i64 | bytes | fill |
//	chunk:  a = read at, b = handed on at, in ns since base
//	gap:    a = frames, b = bytes
type queue struct {
	base time.Time
	ring []byte
	// commits holds, for each place where a record can begin, 1 + the position of
	// the record that was last committed there.
	commits []atomic.Uint64

	// What producers and consumer write is kept on cache lines of its own.
	_    [64]byte
	head atomic.Uint64
	_    [64]byte
	tail atomic.Uint64
	_    [64]byte

	sleep atomic.Uint32 // how the consumer sleeps: awake, dozing or parked
	bell  chan struct{}

	sides [2]side

	// happened holds, for each EventKind, 1 + the time since base, or 0.
	happened [ChildExited + 1]atomic.Int64
}

const (
	slotBytes   = 128 // records begin at multiples of this
	headerBytes = 24
)

// The kinds of a record.
const (
	padding byte = iota
	chunk
	gap
)

// How the consumer sleeps.
const (
	awake  uint32 = iota
	dozing        // for a moment: woken only when the queue fills up
	parked        // until something comes
)

// side is what the queue knows about one direction.
type side struct {
	puts  atomic.Uint64 // records put
	lossy atomic.Bool   // lost is not zero; only the producer sets it

	mu   sync.Mutex
	lost loss // forwarded since the last record of this direction; guarded by mu

	_ [64]byte
}

// loss counts what was forwarded without a record.
type loss struct{ frames, bytes int64 }

// newQueue makes a queue of size bytes, a power of two.
func newQueue(size int, base time.Time) *queue {
	return &queue{
		base:    base,
		ring:    newRing(size),
		commits: make([]atomic.Uint64, size/slotBytes),
		bell:    make(chan struct{}, 1),
	}
}

func (q *queue) side(dir journal.Direction) *side { return &q.sides[dir-journal.Outbound] }

// now is the time since base, by the monotonic clock.
func (q *queue) now() time.Duration { return time.Since(q.base) }

// put records what a pump has read and is about to write on. It never waits:
// without room the bytes are only counted. Each direction has one caller.
func (q *queue) put(dir journal.Direction, data []byte, readAt time.Duration) {
	s := q.side(dir)
	if s.lossy.Load() && !q.resume(dir, s) {
		s.lose(data)
		return
	}
	pos, ok := q.reserve(len(data))
	if !ok {
		s.lose(data)
		return
	}
	rec := q.at(pos)
	copy(rec[headerBytes:], data)
	// The copy is part of what the wrapper adds: the second stamp comes after it.
	writeHeader(rec, chunk, dir, len(data), int64(readAt), int64(q.now()))
	q.commit(pos)
	s.puts.Add(1)
}

// resume ends a gap when half the queue is free again, so that a consumer that
// is a little too slow gets few long gaps instead of one for every other chunk.
func (q *queue) resume(dir journal.Direction, s *side) bool {
	if q.used() > uint64(len(q.ring))/2 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost.bytes > 0 {
		pos, ok := q.reserve(0)
		if !ok {
			return false
		}
		writeHeader(q.at(pos), gap, dir, 0, s.lost.frames, s.lost.bytes)
		q.commit(pos)
		s.puts.Add(1)
		s.lost = loss{}
	}
	s.lossy.Store(false)
	return true
}

func (s *side) lose(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost.frames += int64(bytes.Count(data, []byte{'\n'}))
	s.lost.bytes += int64(len(data))
	s.lossy.Store(true)
}

// takeLoss takes what was lost after the last record of this direction, if the
// consumer has got them all. While there is a loss its producer needs the lock
// to put, so that no record can slip in between.
func (s *side) takeLoss(got uint64) (loss, bool) {
	if !s.lossy.Load() {
		return loss{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost.bytes == 0 || s.puts.Load() != got {
		return loss{}, false
	}
	lost := s.lost
	s.lost = loss{}
	s.lossy.Store(false)
	return lost, true
}

func (q *queue) used() uint64 { return q.head.Load() - q.tail.Load() }

func (q *queue) at(pos uint64) []byte { return q.ring[pos&uint64(len(q.ring)-1):] }

func (q *queue) commitSlot(pos uint64) *atomic.Uint64 {
	return &q.commits[pos&uint64(len(q.ring)-1)/slotBytes]
}

func (q *queue) commit(pos uint64) { q.commitSlot(pos).Store(pos + 1) }

// recordBytes is the room that a record with n bytes takes.
func recordBytes(n int) uint64 {
	return (uint64(n) + headerBytes + slotBytes - 1) &^ (slotBytes - 1)
}

// reserve finds room for a record with n bytes that does not wrap.
func (q *queue) reserve(n int) (pos uint64, ok bool) {
	size, need := uint64(len(q.ring)), recordBytes(n)
	for {
		head := q.head.Load()
		var pad uint64
		if place := head & (size - 1); place+need > size {
			pad = size - place
		}
		if head+pad+need-q.tail.Load() > size {
			return 0, false
		}
		if !q.head.CompareAndSwap(head, head+pad+need) {
			continue
		}
		if pad > 0 {
			writeHeader(q.at(head), padding, 0, int(pad), 0, 0)
			q.commit(head)
		}
		return head + pad, true
	}
}

func writeHeader(rec []byte, kind byte, dir journal.Direction, n int, a, b int64) {
	binary.LittleEndian.PutUint32(rec, uint32(n))
	rec[4], rec[5] = kind, byte(dir)
	binary.LittleEndian.PutUint64(rec[8:], uint64(a))
	binary.LittleEndian.PutUint64(rec[16:], uint64(b))
}

// record is one record as the consumer sees it; data is valid until free.
type record struct {
	kind byte
	dir  journal.Direction
	a, b int64
	data []byte
	room uint64
}

// next is the oldest record, if it has been committed. Only the consumer calls
// next and free.
func (q *queue) next() (record, bool) {
	for {
		tail := q.tail.Load()
		if q.commitSlot(tail).Load() != tail+1 {
			return record{}, false
		}
		rec := q.at(tail)
		n := binary.LittleEndian.Uint32(rec)
		if rec[4] == padding {
			q.tail.Store(tail + uint64(n))
			continue
		}
		return record{
			kind: rec[4],
			dir:  journal.Direction(rec[5]),
			a:    int64(binary.LittleEndian.Uint64(rec[8:])),
			b:    int64(binary.LittleEndian.Uint64(rec[16:])),
			data: rec[headerBytes : headerBytes+n : headerBytes+n],
			room: recordBytes(int(n)),
		}, true
	}
}

func (q *queue) free(r record) { q.tail.Store(q.tail.Load() + r.room) }

// note records an event; wake has to follow. Only the first of a kind counts.
func (q *queue) note(kind EventKind) {
	q.happened[kind].CompareAndSwap(0, 1+int64(q.now()))
}

// nudge wakes the consumer if it is parked, or dozing while the queue fills up.
// Pumps call it after they have written, so that nobody waits for it.
func (q *queue) nudge() {
	switch q.sleep.Load() {
	case parked:
	case dozing:
		if q.used() < uint64(len(q.ring))/4 {
			return
		}
	default:
		return
	}
	q.wake()
}

// wake makes the consumer look at once.
func (q *queue) wake() {
	if q.sleep.Swap(awake) == awake {
		return
	}
	select {
	case q.bell <- struct{}{}:
	default:
	}
}
