package index

import (
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// rows runs before every worker. It gives each record its group, and decides
// which rows of calls appear and which go: a pending event is a row until the
// call that names it is known, in whatever order the two arrive.
type rows struct {
	groups       map[uuid.UUID]int64
	pairs        map[pair]int64
	findCapture  *statement
	findPair     *statement
	addGroup     *statement
	findReplaced *statement
	addReplaced  *statement
	findPending  *statement
	conn         *sqlite.Conn
}

// pair is what stands in for a capture where a record has no identity.
type pair struct{ session, server string }

// maxCachedGroups bounds the memory for keys of groups.
const maxCachedGroups = 1 << 16

func (*rows) Name() string { return "rows" }
func (*rows) Version() int { return 1 }

func (*rows) Tables() []Table {
	return []Table{
		{Name: "groups", Schema: `
CREATE TABLE groups (
  id INTEGER PRIMARY KEY,
  capture_id TEXT,          -- NULL: a legacy pair of session and server
  session TEXT, server TEXT -- of a legacy pair
);
CREATE UNIQUE INDEX groups_capture ON groups(capture_id) WHERE capture_id IS NOT NULL;
CREATE UNIQUE INDEX groups_pair ON groups(session, server) WHERE capture_id IS NULL;`},
		{Name: "replaced", Schema: `
CREATE TABLE replaced (
  event_id TEXT NOT NULL,  -- of a pending event that a call names
  grp INTEGER NOT NULL,    -- of that call
  PRIMARY KEY (event_id, grp)
) WITHOUT ROWID;`,
			Ordered: `SELECT r.event_id, g.capture_id FROM replaced r JOIN groups g ON g.id = r.grp ORDER BY 1, 2`},
	}
}

func (w *rows) Start(conn *sqlite.Conn) (err error) {
	w.conn = conn
	w.groups, w.pairs = map[uuid.UUID]int64{}, map[pair]int64{}
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&w.findCapture, `SELECT id FROM groups WHERE capture_id = ?`},
		{&w.findPair, `SELECT id FROM groups WHERE capture_id IS NULL AND session IS ? AND server IS ?`},
		{&w.addGroup, `INSERT INTO groups(capture_id, session, server) VALUES (?, ?, ?)`},
		{&w.findReplaced, `SELECT 1 FROM replaced WHERE event_id = ? AND grp = ?`},
		{&w.addReplaced, `INSERT OR IGNORE INTO replaced(event_id, grp) VALUES (?, ?)`},
		{&w.findPending, `SELECT capture_id, seq, ts, session, server, origin, method, tool, args, request_bytes, kind
			FROM calls WHERE event_id = ? AND grp = ? AND type = 'pending'`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}

func (w *rows) Apply(b *Batch) error {
	type named struct {
		event uuid.UUID
		group int64
	}
	var names []named
	for i := range b.Records {
		r := &b.Records[i]
		var err error
		if r.Group, err = w.group(r); err != nil {
			return err
		}
		if c, ok := r.Body.(*journal.Call); ok && c.Pending != uuid.Nil && r.HasIdentity() {
			names = append(names, named{c.Pending, r.Group})
			w.addReplaced.text(c.Pending.String())
			w.addReplaced.int(r.Group)
			if err := w.addReplaced.exec(); err != nil {
				return err
			}
		}
	}
	b.Added, b.Removed = b.Added[:0], nil
	for i := range b.Records {
		r := &b.Records[i]
		switch r.Body.Type() {
		case journal.TypePending:
			w.findReplaced.text(r.ID.String())
			w.findReplaced.int(r.Group)
			found, err := w.findReplaced.step()
			if err != nil {
				return err
			}
			if err := w.findReplaced.done(); err != nil {
				return err
			}
			if r.Replaced = found; !found {
				b.Added = append(b.Added, r)
			}
		case journal.TypeCall, journal.TypeNotification, journal.TypeUnparsed:
			b.Added = append(b.Added, r)
		}
	}
	seen := map[named]bool{}
	for _, n := range names {
		if seen[n] {
			continue
		}
		seen[n] = true
		r, err := w.pending(n.event, n.group)
		if err != nil {
			return err
		}
		if r != nil {
			b.Removed = append(b.Removed, r)
		}
	}
	return nil
}

func (*rows) Finish() error { return nil }

// group is the key of the record's group, made when it is new.
func (w *rows) group(r *Record) (int64, error) {
	if r.HasIdentity() {
		if id, ok := w.groups[r.Capture]; ok {
			return id, nil
		}
		w.findCapture.text(r.Capture.String())
		id, err := w.findOrAdd(w.findCapture, r.Capture.String(), "", "")
		if len(w.groups) >= maxCachedGroups {
			clear(w.groups)
		}
		w.groups[r.Capture] = id
		return id, err
	}
	p := pair{r.Session.String(), r.Server.String()}
	if id, ok := w.pairs[p]; ok {
		return id, nil
	}
	w.findPair.text(p.session)
	w.findPair.text(p.server)
	id, err := w.findOrAdd(w.findPair, "", p.session, p.server)
	if len(w.pairs) >= maxCachedGroups {
		clear(w.pairs)
	}
	w.pairs[p] = id
	return id, err
}

func (w *rows) findOrAdd(find *statement, capture, session, server string) (int64, error) {
	found, err := find.step()
	if err != nil {
		return 0, err
	}
	id := find.stmt.ColumnInt64(0)
	if err := find.done(); err != nil || found {
		return id, err
	}
	w.addGroup.text(capture)
	w.addGroup.text(session)
	w.addGroup.text(server)
	if err := w.addGroup.exec(); err != nil {
		return 0, err
	}
	return w.conn.LastInsertRowID(), nil
}

// pending reads back the pending event of an earlier batch, nil when it is not
// there.
func (w *rows) pending(event uuid.UUID, group int64) (*Record, error) {
	q := w.findPending
	q.text(event.String())
	q.int(group)
	found, err := q.step()
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, q.done()
	}
	s := q.stmt
	r := &Record{Group: group}
	body := &journal.Pending{RequestBytes: s.ColumnInt64(9)}
	r.ID, r.Body, r.Seq = event, body, s.ColumnInt64(1)
	r.Capture, _ = uuid.Parse(s.ColumnText(0))
	r.Time = s.ColumnText(2)
	r.TS, _ = ParseTime(r.Time)
	r.Session, _ = sanitize.ParseSession([]byte(s.ColumnText(3)))
	r.Server, _ = sanitize.ParseLabel([]byte(s.ColumnText(4)))
	body.Origin = originOf(s.ColumnText(5))
	body.Method, _ = sanitize.ParseMethod([]byte(s.ColumnText(6)))
	body.Tool, _ = sanitize.ParseTool([]byte(s.ColumnText(7)))
	body.Args, _ = sanitize.ParseShape([]byte(s.ColumnText(8)))
	r.Kind = journal.Real
	if s.ColumnText(10) == journal.Synthetic.String() {
		r.Kind = journal.Synthetic
	}
	return r, q.done()
}

func originOf(s string) journal.Origin {
	switch s {
	case journal.FromClient.String():
		return journal.FromClient
	case journal.FromServer.String():
		return journal.FromServer
	}
	return 0
}
