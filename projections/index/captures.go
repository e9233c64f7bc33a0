package index

import (
	"encoding/hex"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// captures keeps one row of facts for each capture, and the places of the
// events that are no rows of calls.
type captures struct {
	open         map[int64]*capture // rows in memory, written by flush
	load, save   *statement
	event, move  *statement
	moveCaptures *statement
}

// maxOpenCaptures bounds the rows in memory.
const maxOpenCaptures = 4096

func (*captures) Name() string { return "captures" }
func (*captures) Version() int { return 1 }

func (*captures) Tables() []Table {
	var names []string
	for _, c := range (&capture{}).columns() {
		if c.name != "id" && c.name != "source" {
			names = append(names, "c."+c.name)
		}
	}
	return []Table{
		{Name: "captures", Schema: capturesSchema,
			Ordered: `SELECT ` + strings.Join(names, ", ") + `, s.path
				FROM captures c JOIN sources s ON s.id = c.source ORDER BY c.capture_id`},
		{Name: "events", Schema: `
CREATE TABLE events (
  event_id TEXT PRIMARY KEY, -- of an event that is no row of calls or annotations, and of every pending one
  capture_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ts TEXT NOT NULL,
  type TEXT NOT NULL,
  source INTEGER NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  digest BLOB NOT NULL
) WITHOUT ROWID;`,
			Ordered: `SELECT e.ts, e.capture_id, e.seq, e.event_id, e.type, s.path, e.line, e.offset, e.digest
				FROM events e JOIN sources s ON s.id = e.source ORDER BY e.ts, e.capture_id, e.seq`},
		{Name: "evidence", View: true, Schema: `
CREATE VIEW evidence(event_id, capture_id, seq, ts, type, file, line, offset, digest) AS
SELECT c.event_id, c.capture_id, c.seq, c.ts, c.type, s.path, c.line, c.offset, lower(hex(c.digest))
FROM calls c JOIN sources s ON s.id = c.source
UNION ALL
SELECT a.event_id, a.capture_id, a.seq, a.ts, 'annotation', s.path, a.line, a.offset, lower(hex(a.digest))
FROM annotations a JOIN sources s ON s.id = a.source
UNION ALL
SELECT e.event_id, e.capture_id, e.seq, e.ts, e.type, s.path, e.line, e.offset, lower(hex(e.digest))
FROM events e JOIN sources s ON s.id = e.source
WHERE e.type <> 'pending' OR NOT EXISTS (SELECT 1 FROM calls c WHERE c.event_id = e.event_id);`},
	}
}

func (w *captures) Start(conn *sqlite.Conn) (err error) {
	w.open = map[int64]*capture{}
	var names, marks []string
	for _, c := range (&capture{}).columns() {
		names = append(names, c.name)
		marks = append(marks, "?")
	}
	list := strings.Join(names, ", ")
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&w.load, `SELECT ` + list + ` FROM captures WHERE id = ?`},
		{&w.save, `INSERT OR REPLACE INTO captures(` + list + `) VALUES (` + strings.Join(marks, ", ") + `)`},
		{&w.event, `INSERT INTO events(event_id, capture_id, seq, ts, type, source, line, offset, digest) VALUES (?,?,?,?,?,?,?,?,?)`},
		{&w.move, `UPDATE events SET source = ?, line = ?, offset = ? WHERE event_id = ?`},
		{&w.moveCaptures, `UPDATE captures SET source = ?, line = ?, offset = ? WHERE capture_id = ? AND first_seq = ?`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}

func (w *captures) Apply(b *Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		if !r.HasIdentity() {
			continue
		}
		c, err := w.row(r.Group)
		if err != nil {
			return err
		}
		c.take(r)
		if err := w.keepPlace(r); err != nil {
			return err
		}
	}
	for sign, list := range map[int64][]*Record{1: b.Added, -1: b.Removed} {
		for _, r := range list {
			if !r.HasIdentity() {
				continue
			}
			c, err := w.row(r.Group)
			if err != nil {
				return err
			}
			c.count(r, sign)
		}
	}
	if err := moveAll(w.move, b.Moved); err != nil {
		return err
	}
	if len(b.Moved) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	for _, m := range b.Moved {
		w.moveCaptures.int(m.Place.Source)
		w.moveCaptures.int(m.Place.Line)
		w.moveCaptures.int(m.Place.Offset)
		w.moveCaptures.text(m.Capture.String())
		w.moveCaptures.int(m.Seq)
		if err := w.moveCaptures.exec(); err != nil {
			return err
		}
	}
	if len(w.open) > maxOpenCaptures {
		return w.flush()
	}
	return nil
}

func (w *captures) Finish() error { return w.flush() }

// keepPlace keeps where an event without a row of its own stands, and where a
// pending one does even after its row is gone.
func (w *captures) keepPlace(r *Record) error {
	switch r.Body.Type() {
	case journal.TypeCall, journal.TypeNotification, journal.TypeUnparsed, journal.TypeAnnotation:
		return nil
	}
	s := w.event
	s.text(r.ID.String())
	s.text(r.Capture.String())
	s.int(r.Seq)
	s.text(r.Time)
	s.text(r.Body.Type().String())
	s.int(r.Place.Source)
	s.int(r.Place.Line)
	s.int(r.Place.Offset)
	s.blob(r.Digest[:])
	return s.exec()
}

// row is the capture's row in memory.
func (w *captures) row(id int64) (*capture, error) {
	if c := w.open[id]; c != nil {
		return c, nil
	}
	c := &capture{ID: id, ExitCode: -1}
	w.load.int(id)
	found, err := w.load.step()
	if err != nil {
		return nil, err
	}
	if found {
		for i, col := range c.columns() {
			col.scan(w.load.stmt, i)
		}
		if c.seqs, err = ParseIntervals(c.Seqs); err != nil {
			return nil, err
		}
		_, _ = hex.Decode(c.lastDigest[:], []byte(c.LastDigest))
	}
	w.open[id] = c
	return c, w.load.done()
}

func (w *captures) flush() error {
	for id, c := range w.open {
		c.Seqs, c.LastDigest = c.seqs.String(), c.lastDigest.String()
		for _, col := range c.columns() {
			col.bind(w.save)
		}
		if err := w.save.exec(); err != nil {
			return err
		}
		delete(w.open, id)
	}
	return nil
}
