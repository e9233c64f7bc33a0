package projections

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// stager checks the identities of each batch against the ledger and the
// captures, writes the new ones into the ledger and leaves in the batch what
// the index does not know yet.
type stager struct {
	ledger *ledger.Ledger
	counts func(run int64) bool // whether an entry's run counts
	run    int64
	index  *sqlite.Conn // the index before this cycle; nil when that is empty
	paths  map[int64]string
	hook   func(string)

	owners map[uuid.UUID]*owner
	order  []int // of a batch's records, by event ID
	copies int64
}

// owner is what is known of a capture.
type owner struct {
	session, server string
	seqs            index.Intervals
	place           index.Place // of one of its events

	high    int64 // of all its sequence numbers
	digest  journal.Digest
	ended   bool
	witness ledger.Witness
	known   bool // there is a witness
	holds   bool // what was read agrees with the witness, or there is none
}

// run stages every batch that comes in. It closes out.
func (s *stager) loop(ctx context.Context, in <-chan *index.Batch, out chan<- *index.Batch) error {
	defer close(out)
	for b := range in {
		if err := s.stage(b); err != nil {
			return err
		}
		s.hook("staged")
		select {
		case out <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *stager) stage(b *index.Batch) error {
	s.order = s.order[:0]
	for i := range b.Records {
		if b.Records[i].HasIdentity() {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(i, j int) int {
		return slices.Compare(b.Records[i].ID[:], b.Records[j].ID[:])
	})
	return s.ledger.Stage(func(events *ledger.Events) error {
		dropped := false
		for _, i := range s.order {
			isCopy, err := s.event(events, b, &b.Records[i])
			if err != nil {
				return err
			}
			if isCopy {
				b.Records[i].Body = nil
				dropped = true
			}
		}
		if dropped {
			b.Records = slices.DeleteFunc(b.Records, func(r index.Record) bool { return r.Body == nil })
		}
		for i := range b.Records {
			if err := s.capture(events, b, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// event puts an event into the ledger; true when it is there already.
func (s *stager) event(events *ledger.Events, b *index.Batch, r *index.Record) (bool, error) {
	here := ledger.Place(r.Place)
	old, found := events.Get(r.ID)
	if !found || !s.counts(old.Run) {
		return false, events.Put(r.ID, &ledger.Entry{Run: s.run, Digest: r.Digest, Place: here})
	}
	at := old.At(s.counts)
	if old.Digest != r.Digest {
		return false, s.conflict(RuleContent, r, index.Place(at))
	}
	s.copies++
	smaller, err := s.smaller(here, at)
	if err != nil || !smaller {
		return true, err
	}
	old.Place, old.MoveRun, old.MovedTo = at, s.run, here
	b.Moved = append(b.Moved, index.Moved{Event: r.ID, Capture: r.Capture, Seq: r.Seq, Place: r.Place})
	return true, events.Put(r.ID, &old)
}

// smaller orders places by path and offset.
func (s *stager) smaller(p, q ledger.Place) (bool, error) {
	if p.Source == q.Source {
		return p.Offset < q.Offset, nil
	}
	a, err := s.path(p.Source)
	if err != nil {
		return false, err
	}
	b, err := s.path(q.Source)
	return a < b, err
}

// capture checks that the event at i of a batch fits its capture.
func (s *stager) capture(events *ledger.Events, b *index.Batch, i int) error {
	r := &b.Records[i]
	if !r.HasIdentity() {
		return nil
	}
	o := s.owners[r.Capture]
	if o == nil {
		var err error
		if o, err = s.owner(events, r); err != nil {
			return err
		}
		s.owners[r.Capture] = o
	}
	switch {
	case o.session != r.Session.String():
		return s.conflict(RuleSession, r, o.place)
	case o.server != r.Server.String():
		return s.conflict(RuleServer, r, o.place)
	case !o.seqs.Add(r.Seq):
		c := &sequenceConflict{r: r}
		for j := range b.Records[:i] {
			if q := &b.Records[j]; q.Capture == r.Capture && q.Seq == r.Seq && q.HasIdentity() {
				c.place = q.Place
			}
		}
		return c
	}
	if r.Seq > o.high || o.high == 0 {
		o.high, o.digest = r.Seq, r.Digest
	}
	o.ended = o.ended || r.Body.Type() == journal.TypeEnd
	if o.known && r.Seq == o.witness.Seq {
		o.holds = o.witness.Digest == r.Digest
	}
	return nil
}

// owner reads what index and witness know of the capture of r.
func (s *stager) owner(events *ledger.Events, r *index.Record) (*owner, error) {
	o := &owner{session: r.Session.String(), server: r.Server.String(), place: r.Place, holds: true}
	if s.index != nil {
		was, found, err := index.FindOwner(s.index, r.Capture)
		if err != nil {
			return nil, err
		}
		if found {
			o.session, o.server, o.seqs, o.place = was.Session, was.Server, was.Seqs, was.Place
			o.high, o.ended = was.LastSeq, was.Ended
			_, _ = hex.Decode(o.digest[:], []byte(was.LastDigest))
		}
	}
	if o.witness, o.known = events.Witness(r.Capture); o.known {
		o.holds = o.witness.Seq == o.high && o.witness.Digest == o.digest
	}
	return o, nil
}

// witnesses are the captures of which more was seen than the witness knows. One
// that contradicts its witness is left as it was: audit reports it.
func (s *stager) witnesses() map[uuid.UUID]ledger.Witness {
	set := map[uuid.UUID]ledger.Witness{}
	for id, o := range s.owners {
		w := ledger.Witness{Seq: o.high, Digest: o.digest, Ended: o.ended}
		if o.holds && (!o.known || w != o.witness) {
			set[id] = w
		}
	}
	return set
}

func (s *stager) path(source int64) (string, error) {
	if p, ok := s.paths[source]; ok || s.index == nil {
		return p, nil
	}
	p, err := index.SourcePath(s.index, source)
	if err == nil {
		s.paths[source] = p
	}
	return p, err
}

func (s *stager) conflict(rule Rule, r *index.Record, a index.Place) error {
	before, err := s.path(a.Source)
	if err != nil {
		return err
	}
	path, err := s.path(r.Place.Source)
	if err != nil {
		return err
	}
	return &ConflictError{
		Rule: rule, Capture: r.Capture, Event: r.ID, Seq: r.Seq,
		A: journal.Place{Path: before, Line: a.Line, Offset: a.Offset},
		B: journal.Place{Path: path, Line: r.Place.Line, Offset: r.Place.Offset},
	}
}

// sequenceConflict waits for the other line's place, which is in the rows that
// are being written when it is not in the same batch.
type sequenceConflict struct {
	r     *index.Record
	place index.Place
}

func (*sequenceConflict) Error() string { return RuleSequence.String() }
