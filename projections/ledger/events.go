package ledger

import (
	"encoding/binary"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// Place is where a line stands: a source of the index, and line and offset in it.
type Place struct{ Source, Line, Offset int64 }

// Entry is what the ledger knows of one event.
type Entry struct {
	Run    int64
	Digest [32]byte
	Place  Place

	// A copy at a smaller place moves the event there, from MoveRun on if that
	// run counts: a run that is never committed must not move what an older one
	// put. MoveRun is 0 when there is no such copy.
	MoveRun int64
	MovedTo Place
}

// At is the entry's place, given which runs count.
func (e *Entry) At(counts func(run int64) bool) Place {
	if e.MoveRun != 0 && counts(e.MoveRun) {
		return e.MovedTo
	}
	return e.Place
}

func (e *Entry) append(b []byte) []byte {
	b = append(b, e.Digest[:]...)
	b = appendPlace(b, e.Run, e.Place)
	if e.MoveRun != 0 {
		b = appendPlace(b, e.MoveRun, e.MovedTo)
	}
	return b
}

func appendPlace(b []byte, run int64, p Place) []byte {
	for _, n := range []int64{run, p.Source, p.Line, p.Offset} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func parseEntry(b []byte) (e Entry, ok bool) {
	if len(b) < len(e.Digest) {
		return e, false
	}
	b = b[copy(e.Digest[:], b):]
	if b, ok = parsePlace(b, &e.Run, &e.Place); ok && len(b) > 0 {
		b, ok = parsePlace(b, &e.MoveRun, &e.MovedTo)
	}
	return e, ok && len(b) == 0
}

func parsePlace(b []byte, run *int64, p *Place) (rest []byte, ok bool) {
	for _, to := range []*int64{run, &p.Source, &p.Line, &p.Offset} {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, false
		}
		*to, b = int64(n), b[size:]
	}
	return b, true
}

// Events is the ledger inside a writing transaction.
type Events struct{ b, witness *bolt.Bucket }

// Stage runs f in one transaction. What f puts is durable when Stage returns
// (of a created ledger: after Seal), and counts once its run is committed.
func (l *Ledger) Stage(f func(*Events) error) error {
	return guard(func() error {
		return l.db.Update(func(tx *bolt.Tx) error {
			return f(&Events{b: tx.Bucket(bucketEvents), witness: tx.Bucket(bucketWitness)})
		})
	})
}

// Get is the entry of an event, if there is one that can be read.
func (e *Events) Get(id uuid.UUID) (Entry, bool) { return parseEntry(e.b.Get(id[:])) }

// Put sets the entry of an event. Callers go in the order of the keys.
func (e *Events) Put(id uuid.UUID, entry *Entry) error {
	return e.b.Put(id[:], entry.append(nil)) // bbolt keeps the value until the transaction ends
}

// Each calls f for every entry in the order of the keys.
func (l *Ledger) Each(f func(uuid.UUID, Entry) error) error {
	return l.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketEvents).ForEach(func(k, v []byte) error {
			e, ok := parseEntry(v)
			if !ok || len(k) != 16 {
				return ErrUnreadable
			}
			return f(uuid.UUID(k), e)
		})
	})
}

// Witness is what was seen of a capture, as the transaction sees it.
func (e *Events) Witness(capture uuid.UUID) (Witness, bool) {
	return parseWitness(e.witness.Get(capture[:]))
}
