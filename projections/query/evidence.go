package query

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/index"
)

// Evidence is where an event stands. EventID and CaptureID are empty for a
// record without identity.
type Evidence struct {
	EventID   string `json:"event_id,omitempty"`
	CaptureID string `json:"capture_id,omitempty"`
	Seq       int64  `json:"seq"`
	TS        string `json:"ts"`
	Type      string `json:"type"`
	File      string `json:"file"` // relative to the store
	Line      int64  `json:"line"`
	Offset    int64  `json:"offset"`
	Digest    string `json:"digest"` // SHA-256 of the line
}

const evidenceColumns = `SELECT event_id, capture_id, seq, ts, type, file, line, offset, digest FROM evidence`

// EvidenceOf finds an event by its ID; nil when it is not indexed.
func EvidenceOf(conn *sqlite.Conn, eventID string) (*Evidence, error) {
	list, err := evidence(conn, ` WHERE event_id = ?`, eventID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// EvidenceAt finds the records without identity that have a session (as
// session:<sha256>) and a sequence number: more than one is ambiguous.
func EvidenceAt(conn *sqlite.Conn, session string, seq int64) ([]Evidence, error) {
	list := []Evidence{}
	err := sqlitex.Execute(conn, `SELECT c.event_id, c.capture_id, c.seq, c.ts, c.type, s.path, c.line, c.offset, lower(hex(c.digest))
		FROM groups g JOIN calls c ON c.grp = g.id AND c.seq = ?2 AND c.event_id IS NULL JOIN sources s ON s.id = c.source
		WHERE g.capture_id IS NULL AND g.session = ?1 ORDER BY c.ts, s.path, c.offset`,
		&sqlitex.ExecOptions{Args: []any{session, seq}, ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, scanEvidence(s))
			return nil
		}})
	return list, err
}

func evidence(conn *sqlite.Conn, where string, args ...any) ([]Evidence, error) {
	var list []Evidence
	err := sqlitex.Execute(conn, evidenceColumns+where, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		list = append(list, scanEvidence(s))
		return nil
	}})
	return list, err
}

func scanEvidence(s *sqlite.Stmt) Evidence {
	return Evidence{
		EventID: s.ColumnText(0), CaptureID: s.ColumnText(1), Seq: s.ColumnInt64(2), TS: s.ColumnText(3), Type: s.ColumnText(4),
		File: s.ColumnText(5), Line: s.ColumnInt64(6), Offset: s.ColumnInt64(7), Digest: s.ColumnText(8),
	}
}

// Window is a failure's neighbour.
type Window struct {
	Offset int64 `json:"offset"` // -5..-1 before the failure, 1..3 after it
	Call   Call  `json:"call"`
}

// WindowOf is the window of one failing event, in order.
func WindowOf(conn *sqlite.Conn, eventID string) ([]Window, error) {
	list := []Window{}
	err := sqlitex.Execute(conn, `SELECT c.event_id, c.capture_id, c.operation_id, c.ts, c.session, c.seq, c.server, c.origin, c.method,
		c.tool, c.latency_ms, c.latency_us, c.outcome, c.cancelled, c.task, c.err_code, c.err_template_id, c.err_retryable, c.args,
		c.request_bytes, c.response_bytes, c.shim_self_us, c.kind, c.type, s.path, c.line, w.offset
		FROM calls f JOIN windows w ON w.failure_id = f.id JOIN calls c ON c.id = w.neighbour_id JOIN sources s ON s.id = c.source
		WHERE f.event_id = ? ORDER BY w.offset`,
		&sqlitex.ExecOptions{Args: []any{eventID}, ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, Window{Offset: s.ColumnInt64(26), Call: scanCall(s)})
			return nil
		}})
	return list, err
}

// Freshness says how far the index is behind the journal.
type Freshness struct {
	Files  int   `json:"files"`  // with lines that are not indexed
	Events int64 `json:"events"` // complete lines not indexed
	Bytes  int64 `json:"bytes"`
	Lost   int   `json:"lost"` // indexed files that are gone or became shorter
}

// Fresh reports whether nothing is missing.
func (f Freshness) Fresh() bool { return f.Events == 0 && f.Lost == 0 }

// FreshnessOf compares the index with the store. It reads what is new to count
// its lines, and decodes nothing.
func FreshnessOf(conn *sqlite.Conn, store string) (f Freshness, err error) {
	known := map[string]index.Source{}
	if err := index.Sources(conn, true, func(s index.Source) { known[s.Path] = s }); err != nil {
		return f, err
	}
	files, err := journal.Files(store)
	if err != nil {
		return f, err
	}
	for _, file := range files {
		src := known[file.Path]
		delete(known, file.Path)
		if src.CorruptLine > 0 && file.Size == src.Size {
			continue
		}
		if file.Size < src.Offset {
			f.Lost++
			continue
		}
		lines, bytes, err := countLines(filepath.Join(store, filepath.FromSlash(file.Path)), src.Offset, file.Size)
		if err != nil {
			return f, err
		}
		if lines > 0 {
			f.Files++
			f.Events += lines
			f.Bytes += bytes
		}
	}
	f.Lost += len(known)
	return f, nil
}

// countLines counts the newlines between two offsets and the bytes up to the
// last of them.
func countLines(name string, from, to int64) (lines, size int64, err error) {
	if to <= from {
		return 0, 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	r := io.NewSectionReader(f, from, to-from)
	buf := make([]byte, 256<<10)
	for at := int64(0); ; {
		n, err := r.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			size = at + int64(i) + 1
		}
		at += int64(n)
		if err == io.EOF {
			return lines, size, nil
		}
		if err != nil {
			return lines, size, err
		}
	}
}
