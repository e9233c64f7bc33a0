package index

import (
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// annotations keeps people's remarks. The call a remark is about may be indexed
// later, or never: the two are joined when they are read.
type annotations struct {
	insert, move *statement
}

func (*annotations) Name() string { return "annotations" }
func (*annotations) Version() int { return 1 }

func (*annotations) Tables() []Table {
	return []Table{{Name: "annotations", Schema: `
CREATE TABLE annotations (
  id INTEGER PRIMARY KEY,
  event_id TEXT,            -- NULL for a record without identity
  capture_id TEXT,
  ts TEXT NOT NULL,
  session TEXT NOT NULL,    -- of the process that recorded it
  seq INTEGER NOT NULL,
  server TEXT,
  kind TEXT,                -- blocked-optimal-path, undocumented-behavior, false-success, instruction-divergence, workaround
  note TEXT,
  target_event_id TEXT,     -- the annotated event, or NULL and its legacy address:
  target_session TEXT,
  target_seq INTEGER,
  grp INTEGER NOT NULL,
  source INTEGER NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  digest BLOB NOT NULL
);
CREATE UNIQUE INDEX annotations_event ON annotations(event_id) WHERE event_id IS NOT NULL;
CREATE INDEX annotations_target ON annotations(target_event_id) WHERE target_event_id IS NOT NULL;`,
		Ordered: `
SELECT a.ts, a.capture_id, a.seq, a.event_id, a.session, a.server, a.kind, a.note,
  a.target_event_id, a.target_session, a.target_seq, s.path, a.line, a.offset, a.digest
FROM annotations a JOIN sources s ON s.id = a.source
ORDER BY a.ts, a.capture_id, CASE WHEN a.event_id IS NULL THEN NULL ELSE a.seq END, s.path, a.offset`}}
}

func (w *annotations) Start(conn *sqlite.Conn) (err error) {
	w.insert, err = prepare(conn, `INSERT INTO annotations(event_id, capture_id, ts, session, seq, server, kind, note,
		target_event_id, target_session, target_seq, grp, source, line, offset, digest) VALUES (?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	w.move, err = prepare(conn, `UPDATE annotations SET source = ?, line = ?, offset = ? WHERE event_id = ?`)
	return err
}

func (w *annotations) Apply(b *Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		a, ok := r.Body.(*journal.Annotation)
		if !ok {
			continue
		}
		s := w.insert
		if r.HasIdentity() {
			s.text(r.ID.String())
			s.text(r.Capture.String())
		} else {
			s.null()
			s.null()
		}
		s.text(r.Time)
		s.text(r.Session.String())
		s.int(r.Seq)
		s.text(r.Server.String())
		s.text(a.Label.String())
		s.text(a.Note.String())
		if a.Target != uuid.Nil {
			s.text(a.Target.String())
			s.null()
			s.null()
		} else {
			s.null()
			s.text(a.LegacySess.String())
			s.int(a.LegacySeq)
		}
		s.int(r.Group)
		s.int(r.Place.Source)
		s.int(r.Place.Line)
		s.int(r.Place.Offset)
		s.blob(r.Digest[:])
		if err := s.exec(); err != nil {
			return err
		}
	}
	return moveAll(w.move, b.Moved)
}

func (*annotations) Finish() error { return nil }
