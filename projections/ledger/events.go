package ledger

import (
	"encoding/binary"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// Entry is what the ledger knows of one event.
type Entry struct {
	Run                  int64
	Digest               [32]byte
	Source, Line, Offset int64
}

func (e *Entry) append(b []byte) []byte {
	b = append(b, e.Digest[:]...)
	b = binary.AppendUvarint(b, uint64(e.Run))
	b = binary.AppendUvarint(b, uint64(e.Source))
	b = binary.AppendUvarint(b, uint64(e.Line))
	return binary.AppendUvarint(b, uint64(e.Offset))
}

func parseEntry(b []byte) (e Entry, ok bool) {
	if len(b) < len(e.Digest) {
		return e, false
	}
	b = b[copy(e.Digest[:], b):]
	for _, p := range []*int64{&e.Run, &e.Source, &e.Line, &e.Offset} {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return e, false
		}
		*p, b = int64(n), b[size:]
	}
	return e, len(b) == 0
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
