package index

import (
	"fmt"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
)

// Source is one journal file as far as it is indexed.
type Source struct {
	ID      int64
	Path    string // relative to the store, with slashes
	Kind    journal.FileKind
	Folder  string
	Size    int64 // when it was last looked at
	MTime   int64 // nanoseconds; 0 when too young to tell a later change by
	Offset  int64
	Lines   int64
	Skipped int64
	Tail    [32]byte  // SHA-256 of the up to 64 KiB before Offset
	Capture uuid.UUID // of its first event, uuid.Nil when it has none

	// Corrupt says where the readable part ends; CorruptLine is 0 when it does
	// not. Nothing after it is read until the file is another one.
	CorruptLine, CorruptOffset int64
	CorruptReason              string
}

const sourceColumns = `id, path, kind, folder, size, mtime, offset, lines, skipped, tail, capture_id,
	corrupt_line, corrupt_offset, corrupt_reason`

func scanSource(s *sqlite.Stmt) Source {
	src := Source{
		ID: s.ColumnInt64(0), Path: s.ColumnText(1), Kind: journal.FileKind(s.ColumnInt64(2)), Folder: s.ColumnText(3),
		Size: s.ColumnInt64(4), MTime: s.ColumnInt64(5), Offset: s.ColumnInt64(6), Lines: s.ColumnInt64(7), Skipped: s.ColumnInt64(8),
		CorruptLine: s.ColumnInt64(11), CorruptOffset: s.ColumnInt64(12), CorruptReason: s.ColumnText(13),
	}
	s.ColumnBytes(9, src.Tail[:])
	src.Capture, _ = uuid.Parse(s.ColumnText(10))
	return src
}

// Sources gives f every source that is in no sealed folder, or with all set
// every source, in path order.
func Sources(conn *sqlite.Conn, all bool, f func(Source)) error {
	query := `SELECT ` + sourceColumns + ` FROM sources WHERE ? OR folder NOT IN (SELECT folder FROM sealed) ORDER BY path`
	err := sqlitex.Execute(conn, query, &sqlitex.ExecOptions{
		Args:       []any{all},
		ResultFunc: func(s *sqlite.Stmt) error { f(scanSource(s)); return nil },
	})
	return unreadable(err)
}

// SourcesIn gives f the sources of one folder.
func SourcesIn(conn *sqlite.Conn, folder string, f func(Source)) error {
	err := sqlitex.Execute(conn, `SELECT `+sourceColumns+` FROM sources WHERE folder = ? ORDER BY path`, &sqlitex.ExecOptions{
		Args:       []any{folder},
		ResultFunc: func(s *sqlite.Stmt) error { f(scanSource(s)); return nil },
	})
	return unreadable(err)
}

// IrregularSources gives f every source that is not indexed to its end, or has
// lines that are only counted.
func IrregularSources(conn *sqlite.Conn, f func(Source)) error {
	err := sqlitex.Execute(conn, `SELECT `+sourceColumns+` FROM sources
		WHERE corrupt_line IS NOT NULL OR size <> offset OR skipped > 0 ORDER BY path`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { f(scanSource(s)); return nil },
	})
	return unreadable(err)
}

// SealedFolder reports whether every source of a folder is indexed to its end
// and of a capture that has ended, as conn's transaction sees it.
func SealedFolder(conn *sqlite.Conn, folder string) (sealed bool, err error) {
	err = sqlitex.Execute(conn, `SELECT NOT EXISTS (
		SELECT 1 FROM sources s LEFT JOIN captures c ON c.capture_id = s.capture_id
		WHERE s.folder = ? AND (s.size <> s.offset OR s.mtime = 0 OR s.corrupt_line IS NOT NULL OR NOT coalesce(c.ended, 0)))`,
		&sqlitex.ExecOptions{
			Args:       []any{folder},
			ResultFunc: func(s *sqlite.Stmt) error { sealed = s.ColumnBool(0); return nil },
		})
	return sealed, unreadable(err)
}

// SourcePath is the path of a source, empty when there is none.
func SourcePath(conn *sqlite.Conn, id int64) (path string, err error) {
	err = sqlitex.Execute(conn, `SELECT path FROM sources WHERE id = ?`, &sqlitex.ExecOptions{
		Args:       []any{id},
		ResultFunc: func(s *sqlite.Stmt) error { path = s.ColumnText(0); return nil },
	})
	return path, unreadable(err)
}

// Sealed maps each sealed folder to its mtime in nanoseconds.
func Sealed(conn *sqlite.Conn) (map[string]int64, error) {
	m := map[string]int64{}
	err := sqlitex.Execute(conn, `SELECT folder, mtime FROM sealed`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { m[s.ColumnText(0)] = s.ColumnInt64(1); return nil },
	})
	return m, unreadable(err)
}

// MaxSource is the largest source ID in use.
func MaxSource(conn *sqlite.Conn) (id int64, err error) {
	err = sqlitex.Execute(conn, `SELECT coalesce(max(id), 0) FROM sources`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { id = s.ColumnInt64(0); return nil },
	})
	return id, unreadable(err)
}

// Owner is what the index knows of a capture's identity.
type Owner struct {
	Session, Server string
	Seqs            Intervals
	Place           Place // of its first event
	LastSeq         int64
	LastDigest      string // hex
	Ended           bool
}

// FindOwner reads a capture's identity; false when the capture is unknown.
func FindOwner(conn *sqlite.Conn, capture uuid.UUID) (o Owner, found bool, err error) {
	var seqs string
	err = sqlitex.Execute(conn, `SELECT session, server, seqs, source, line, offset, last_seq, last_digest, ended
		FROM captures WHERE capture_id = ?`, &sqlitex.ExecOptions{
		Args: []any{capture.String()},
		ResultFunc: func(s *sqlite.Stmt) error {
			found = true
			o.Session, o.Server, seqs = s.ColumnText(0), s.ColumnText(1), s.ColumnText(2)
			o.Place = Place{s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5)}
			o.LastSeq, o.LastDigest, o.Ended = s.ColumnInt64(6), s.ColumnText(7), s.ColumnBool(8)
			return nil
		},
	})
	if err != nil {
		return o, false, unreadable(err)
	}
	if o.Seqs, err = ParseIntervals(seqs); err != nil {
		return o, false, fmt.Errorf("%w: captures.seqs", ErrUnreadable)
	}
	return o, found, nil
}

// PlaceOf is where the event of a capture with a sequence number stands, in the
// transaction conn is in. It reads whole tables: conflicts are rare.
func PlaceOf(conn *sqlite.Conn, capture uuid.UUID, seq int64) (p Place, err error) {
	id := capture.String()
	err = sqlitex.Execute(conn, `
		SELECT source, line, offset FROM calls WHERE capture_id = ? AND seq = ?
		UNION ALL SELECT source, line, offset FROM annotations WHERE capture_id = ? AND seq = ?
		UNION ALL SELECT source, line, offset FROM events WHERE capture_id = ? AND seq = ?
		LIMIT 1`, &sqlitex.ExecOptions{
		Args: []any{id, seq, id, seq, id, seq},
		ResultFunc: func(s *sqlite.Stmt) error {
			p = Place{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2)}
			return nil
		},
	})
	return p, unreadable(err)
}

// TypeCount counts the events of one type.
type TypeCount struct {
	Type   string `json:"type"`
	Legacy bool   `json:"legacy"` // records without a schema
	Events int64  `json:"events"`
	Bytes  int64  `json:"bytes"` // of their lines
}

// TypeCounts counts the events of the index.
func TypeCounts(conn *sqlite.Conn) (counts []TypeCount, err error) {
	counts = []TypeCount{}
	err = sqlitex.Execute(conn, `SELECT type, legacy, events, bytes FROM event_types ORDER BY type, legacy`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			counts = append(counts, TypeCount{s.ColumnText(0), s.ColumnBool(1), s.ColumnInt64(2), s.ColumnInt64(3)})
			return nil
		},
	})
	return counts, unreadable(err)
}
