package index

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Writer is the one connection that changes the index. It is not safe for
// concurrent use.
type Writer struct {
	conn, guard *sqlite.Conn
	workers     []Worker
	meta        *Meta
	putSource   *statement
	committed   bool
}

// OpenWriter opens the index for writing and makes the file when it is
// missing. The caller holds the index lock.
func OpenWriter(path string, workers []Worker) (*Writer, error) {
	conn, guard, err := connect(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{conn: conn, guard: guard, workers: withRows(workers)}
	return w, nil
}

// Snapshot is a read-only connection beside the writer's: it sees the index as
// it was before the transaction. It stays the Writer's.
func (w *Writer) Snapshot() *sqlite.Conn { return w.guard }

// Conn is the writer's own connection, which sees the open transaction.
func (w *Writer) Conn() *sqlite.Conn { return w.conn }

// Begin starts the cycle's transaction. A full one drops every table first;
// old readers keep what they see.
func (w *Writer) Begin(full bool) error {
	if err := sqlitex.ExecuteTransient(w.conn, "BEGIN IMMEDIATE", nil); err != nil {
		return unreadable(err)
	}
	w.meta = &Meta{}
	if full {
		if err := w.recreate(); err != nil {
			return unreadable(err)
		}
	} else {
		var err error
		if w.meta, err = ReadMeta(w.conn); err != nil {
			return err
		}
	}
	for _, worker := range w.workers {
		if err := worker.Start(w.conn); err != nil {
			return unreadable(fmt.Errorf("start worker %s: %w", worker.Name(), err))
		}
	}
	var err error
	w.putSource, err = prepare(w.conn, `INSERT OR REPLACE INTO sources(`+sourceColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`)
	return unreadable(err)
}

// recreate drops everything the file holds and makes the tables.
func (w *Writer) recreate() error {
	var drop []string
	err := sqlitex.ExecuteTransient(w.conn, `SELECT type, name FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type DESC`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			drop = append(drop, `DROP `+s.ColumnText(0)+` "`+s.ColumnText(1)+`"`)
			return nil
		},
	})
	if err != nil {
		return err
	}
	for _, query := range drop {
		if err := sqlitex.ExecuteTransient(w.conn, query, nil); err != nil {
			return err
		}
	}
	schemas := []string{ownSchema}
	for _, views := range []bool{false, true} {
		for _, worker := range w.workers {
			for _, t := range worker.Tables() {
				if t.View == views {
					schemas = append(schemas, t.Schema)
				}
			}
		}
	}
	for _, schema := range schemas {
		if err := script(w.conn, schema); err != nil {
			return err
		}
	}
	return nil
}

// script runs several statements without a transaction of its own.
func script(conn *sqlite.Conn, text string) error {
	for {
		stmt, rest, err := conn.PrepareTransient(text)
		if err != nil {
			return err
		}
		if stmt == nil || len(text) == rest && rest == 0 {
			return nil
		}
		_, err = stmt.Step()
		if err := errors.Join(err, stmt.Finalize()); err != nil {
			return err
		}
		text = text[len(text)-rest:]
		if isBlank(text) {
			return nil
		}
	}
}

func isBlank(s string) bool {
	for _, c := range []byte(s) {
		if c != ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Apply hands a batch to the workers.
func (w *Writer) Apply(b *Batch) error {
	for _, worker := range w.workers {
		if err := worker.Apply(b); err != nil {
			return unreadable(fmt.Errorf("worker %s: %w", worker.Name(), err))
		}
	}
	for i := range b.Records {
		w.meta.NewestTS = max(w.meta.NewestTS, b.Records[i].Time)
	}
	return nil
}

// SaveSource writes a source's row.
func (w *Writer) SaveSource(src *Source) error {
	s := w.putSource
	s.int(src.ID)
	s.text(src.Path)
	s.int(int64(src.Kind))
	s.value(src.Folder)
	s.int(src.Size)
	s.int(src.MTime)
	s.int(src.Offset)
	s.int(src.Lines)
	s.int(src.Skipped)
	s.blob(src.Tail[:])
	if src.Capture == uuid.Nil {
		s.null()
	} else {
		s.text(src.Capture.String())
	}
	if src.CorruptLine == 0 {
		s.null()
		s.null()
		s.null()
	} else {
		s.int(src.CorruptLine)
		s.int(src.CorruptOffset)
		s.text(src.CorruptReason)
	}
	return unreadable(s.exec())
}

// Unseal forgets a folder that has changed; its sources count again.
func (w *Writer) Unseal(folder string) error {
	return w.execute(`DELETE FROM sealed WHERE folder = ?`, folder)
}

// Seal marks a folder whose captures have all ended and are indexed whole.
func (w *Writer) Seal(folder string, mtime int64) error {
	return w.execute(`INSERT OR REPLACE INTO sealed(folder, mtime) VALUES (?, ?)`, folder, mtime)
}

func (w *Writer) execute(query string, args ...any) error {
	return unreadable(sqlitex.Execute(w.conn, query, &sqlitex.ExecOptions{Args: args}))
}

// Finish completes the content of the transaction: counters in memory, marks of
// corrupt logs, totals, the findings, and what the index says about itself.
func (w *Writer) Finish(ledgerID string, run int64, dead Intervals, p Promotion) (*Meta, error) {
	for _, worker := range w.workers {
		if err := worker.Finish(); err != nil {
			return nil, unreadable(fmt.Errorf("worker %s: %w", worker.Name(), err))
		}
	}
	if err := w.execute(`UPDATE captures SET corrupt_at = NULL WHERE corrupt_at IS NOT NULL`); err != nil {
		return nil, err
	}
	if err := w.execute(`UPDATE captures SET corrupt_at =
		(SELECT s.path || ':' || s.corrupt_line FROM sources s
		 WHERE s.capture_id = captures.capture_id AND s.corrupt_line IS NOT NULL ORDER BY s.path LIMIT 1)
		WHERE capture_id IN (SELECT capture_id FROM sources WHERE corrupt_line IS NOT NULL AND capture_id IS NOT NULL)`); err != nil {
		return nil, err
	}
	m := w.meta
	m.LedgerID, m.Run, m.DeadRuns = ledgerID, run, dead
	err := sqlitex.Execute(w.conn, `WITH t AS (SELECT kind, outcome, rows FROM totals
			WHERE origin = 'client' AND method = 'tools/call' AND type IN ('call', 'pending'))
		SELECT
		(SELECT coalesce(sum(rows), 0) FROM t WHERE kind = 'real'),
		(SELECT coalesce(sum(rows), 0) FROM t WHERE kind = 'real' AND outcome IN ('error', 'unanswered', 'cancelled')),
		(SELECT coalesce(sum(rows), 0) FROM t WHERE kind = 'synthetic'),
		(SELECT count(*) FROM captures)`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			m.Totals = Totals{Calls: s.ColumnInt64(0), Failures: s.ColumnInt64(1), Synthetic: s.ColumnInt64(2), Captures: s.ColumnInt64(3)}
			return nil
		},
	})
	if err != nil {
		return nil, unreadable(err)
	}
	if err := w.promote(p); err != nil {
		return nil, err
	}
	return m, unreadable(writeMeta(w.conn, m, w.workers[1:]))
}

// Commit publishes the transaction: the only way anything becomes visible.
func (w *Writer) Commit() error {
	if err := sqlitex.ExecuteTransient(w.conn, "COMMIT", nil); err != nil {
		return unreadable(err)
	}
	w.committed = true
	return nil
}

// Checkpoint moves the log into the file and empties it, if no reader is in
// the way.
func (w *Writer) Checkpoint() error {
	return sqlitex.ExecuteTransient(w.conn, "PRAGMA wal_checkpoint(TRUNCATE)", nil)
}

// Close rolls back an open transaction and closes. After a commit the writer
// leaves last and SQLite removes the log; after anything else the read-only
// connection does, and the file stays as it was, byte for byte.
func (w *Writer) Close() error {
	var errs []error
	if !w.conn.AutocommitEnabled() { // a full disk has rolled back already
		errs = append(errs, sqlitex.ExecuteTransient(w.conn, "ROLLBACK", nil))
	}
	first, last := w.guard, w.conn
	if !w.committed {
		first, last = w.conn, w.guard
	}
	return errors.Join(append(errs, first.Close(), last.Close())...)
}
