package index

import (
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
)

// remarks says which events are annotated, as bits by annotation kind. An
// annotation may be indexed before the call it is about.
type remarks struct {
	events    map[uuid.UUID]uint8
	addresses map[address]uint8 // of records without identity
}

// address is what names a record without identity.
type address struct {
	session string
	seq     int64
}

func mark(k journal.AnnotationKind) uint8 { return 1 << k }

func (m *remarks) load(conn *sqlite.Conn) error {
	m.events, m.addresses = map[uuid.UUID]uint8{}, map[address]uint8{}
	return sqlitex.Execute(conn, `SELECT kind, target_event_id, target_session, target_seq FROM annotations`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			kind, _ := journal.ParseAnnotationKind(s.ColumnText(0))
			if s.ColumnIsNull(1) {
				m.addresses[address{s.ColumnText(2), s.ColumnInt64(3)}] |= mark(kind)
				return nil
			}
			id, err := uuid.Parse(s.ColumnText(1))
			if err != nil {
				return ErrUnreadable
			}
			m.events[id] |= mark(kind)
			return nil
		},
	})
}

// annotate takes the annotations of a batch: the calls they are about, if they
// are there, are derived again.
func (w *issues) annotate(b *Batch) error {
	for i := range b.Records {
		a, ok := b.Records[i].Body.(*journal.Annotation)
		if !ok {
			continue
		}
		if a.Target == uuid.Nil {
			at := address{a.LegacySess.String(), a.LegacySeq}
			w.marks.addresses[at] |= mark(a.Label)
			if err := w.address(at); err != nil {
				return err
			}
			continue
		}
		w.marks.events[a.Target] |= mark(a.Label)
		if err := w.annotated(a.Target); err != nil {
			return err
		}
	}
	return nil
}

// annotated derives the call again that an event is, or that replaced it.
func (w *issues) annotated(event uuid.UUID) error {
	q := w.q.callAt
	q.text(event.String())
	for {
		found, err := q.step()
		if err != nil {
			return err
		}
		if !found {
			return q.done()
		}
		s := w.span(q.stmt.ColumnInt64(0), q.stmt.ColumnText(2), q.stmt.ColumnText(3))
		s.touch(q.stmt.ColumnInt64(1)).mixed = true
	}
}

// address derives the legacy pairs again that have an annotated address: one
// more record with it makes the annotation ambiguous.
func (w *issues) address(at address) error {
	if w.marks.addresses[at] == 0 {
		return nil
	}
	q := w.q.pairsAt
	q.text(at.session)
	q.int(at.seq)
	for {
		found, err := q.step()
		if err != nil {
			return err
		}
		if !found {
			return q.done()
		}
		w.span(q.stmt.ColumnInt64(0), at.session, q.stmt.ColumnText(1)).whole = true
	}
}

// remarksOf gives the remarks about a call of a group.
func (w *issues) remarksOf(c *callRow, s *span) (uint8, error) {
	if c.event != uuid.Nil {
		marks := w.marks.events[c.event]
		if c.pending != uuid.Nil {
			marks |= w.marks.events[c.pending]
		}
		return marks, nil
	}
	marks := w.marks.addresses[address{s.session, c.seq}]
	if marks == 0 {
		return 0, nil
	}
	q := w.q.rowsAt
	q.text(s.session)
	q.int(c.seq)
	if _, err := q.step(); err != nil {
		return 0, err
	}
	if q.stmt.ColumnInt64(0) != 1 {
		marks = 0
	}
	return marks, q.done()
}
