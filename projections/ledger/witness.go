package ledger

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// Removal says that a person took a capture out of the store.
type Removal uint8

// The removals.
const (
	NotRemoved Removal = iota
	Pruned
	Quarantined
)

func (r Removal) String() string {
	switch r {
	case Pruned:
		return "pruned"
	case Quarantined:
		return "quarantined"
	}
	return "not removed"
}

// Witness is what was seen of a capture: audit compares it with what is there
// now.
type Witness struct {
	Seq     int64    // the highest
	Digest  [32]byte // of that line
	Ended   bool
	Removed Removal
}

func (w *Witness) bytes() []byte {
	b := append([]byte(nil), w.Digest[:]...)
	b = binary.AppendUvarint(b, uint64(w.Seq))
	ended := byte(0)
	if w.Ended {
		ended = 1
	}
	return append(b, ended, byte(w.Removed))
}

func parseWitness(b []byte) (w Witness, ok bool) {
	if len(b) < len(w.Digest) {
		return w, false
	}
	b = b[copy(w.Digest[:], b):]
	seq, n := binary.Uvarint(b)
	if n <= 0 || len(b) != n+2 {
		return w, false
	}
	w.Seq, w.Ended, w.Removed = int64(seq), b[n] == 1, Removal(b[n+1])
	return w, true
}

// FindWitness is what was seen of one capture.
func (l *Ledger) FindWitness(capture uuid.UUID) (w Witness, found bool, err error) {
	err = l.view(func(tx *bolt.Tx) error {
		w, found = parseWitness(tx.Bucket(bucketWitness).Get(capture[:]))
		return nil
	})
	return w, found, err
}

// Witnesses is everything that was seen.
func (l *Ledger) Witnesses() (map[uuid.UUID]Witness, error) {
	all := map[uuid.UUID]Witness{}
	err := l.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketWitness).ForEach(func(k, v []byte) error {
			w, ok := parseWitness(v)
			if !ok || len(k) != 16 {
				return ErrUnreadable
			}
			all[uuid.UUID(k)] = w
			return nil
		})
	})
	return all, err
}

// witnessBatch bounds one transaction.
const witnessBatch = 20_000

// SetWitnesses replaces what is known of some captures.
func (l *Ledger) SetWitnesses(set map[uuid.UUID]Witness) error {
	ids := make([]uuid.UUID, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	for part := range slices.Chunk(ids, witnessBatch) {
		err := l.update(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketWitness)
			for _, id := range part {
				w := set[id]
				if err := b.Put(id[:], w.bytes()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
