package index

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// schemaVersion is that of the tables the Writer itself owns. Raise it when
// they change: an index with another one is rebuilt.
const schemaVersion = "3"

const ownSchema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,  -- relative to the store
  kind INTEGER NOT NULL,      -- of file
  folder TEXT NOT NULL,
  size INTEGER NOT NULL,      -- when it was last looked at
  mtime INTEGER NOT NULL,     -- nanoseconds; 0 when too young to tell a later change by
  offset INTEGER NOT NULL,    -- up to where it is indexed
  lines INTEGER NOT NULL,     -- up to there
  skipped INTEGER NOT NULL,   -- lines of kinds that are only counted
  tail BLOB NOT NULL,         -- SHA-256 of the 64 KiB before offset
  capture_id TEXT,            -- of its first event
  corrupt_line INTEGER, corrupt_offset INTEGER, corrupt_reason TEXT
);
CREATE INDEX sources_folder ON sources(folder);
CREATE INDEX sources_corrupt ON sources(capture_id) WHERE corrupt_line IS NOT NULL;
CREATE INDEX sources_irregular ON sources(path) WHERE corrupt_line IS NOT NULL OR size <> offset OR skipped > 0;
CREATE TABLE sealed (folder TEXT PRIMARY KEY, mtime INTEGER NOT NULL) WITHOUT ROWID;`

// Meta is what the index says about itself.
type Meta struct {
	LedgerID string
	Run      int64     // the last one that was committed
	DeadRuns Intervals // numbers up to Run that were never committed
	NewestTS string    // of all events
	Totals   Totals

	// What the findings were promoted by, and whether a command was told to.
	Threshold     float64
	AsOf          string // the time scores are computed for; empty without events
	ThresholdTold bool
	AsOfTold      bool
}

// AsOfTime is AsOf as a time, zero without events.
func (m *Meta) AsOfTime() time.Time {
	t, _ := ParseTime(m.AsOf) // ReadMeta has seen that it is one
	return t
}

// Totals are counts over the whole index.
type Totals struct {
	Calls     int64 // real tools/call requests of clients
	Failures  int64 // of those
	Synthetic int64 // tools/call requests of probes
	Captures  int64
	Findings  int64
}

// workerVersions is "rows:1 calls:1 ...".
func workerVersions(workers []Worker) string {
	var parts []string
	for _, w := range withRows(workers) {
		parts = append(parts, w.Name()+":"+strconv.Itoa(w.Version()))
	}
	return strings.Join(parts, " ")
}

// checkSchema is ErrNone for an empty file and ErrOutdated for another
// version's.
func checkSchema(conn *sqlite.Conn) error {
	found := false
	err := sqlitex.ExecuteTransient(conn, `SELECT 1 FROM sqlite_schema WHERE name = 'meta'`, &sqlitex.ExecOptions{
		ResultFunc: func(*sqlite.Stmt) error { found = true; return nil },
	})
	if err != nil {
		return unreadable(err)
	}
	if !found {
		return ErrNone
	}
	m, err := metaValues(conn)
	if err != nil {
		return err
	}
	if m["schema"] != schemaVersion {
		return ErrOutdated
	}
	return nil
}

// Check reads the index's own state: ErrNone when there is nothing yet,
// ErrOutdated when other workers made it.
func Check(conn *sqlite.Conn, workers []Worker) (*Meta, error) {
	if err := checkSchema(conn); err != nil {
		return nil, err
	}
	values, err := metaValues(conn)
	if err != nil {
		return nil, err
	}
	if values["workers"] != workerVersions(workers) {
		return nil, ErrOutdated
	}
	return ReadMeta(conn)
}

func metaValues(conn *sqlite.Conn) (map[string]string, error) {
	m := map[string]string{}
	err := sqlitex.ExecuteTransient(conn, `SELECT key, value FROM meta`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { m[s.ColumnText(0)] = s.ColumnText(1); return nil },
	})
	return m, unreadable(err)
}

// ReadMeta reads what the index says about itself.
func ReadMeta(conn *sqlite.Conn) (*Meta, error) {
	values, err := metaValues(conn)
	if err != nil {
		return nil, err
	}
	m := &Meta{
		LedgerID: values["ledger_id"], NewestTS: values["newest_ts"], AsOf: values["as_of"],
		ThresholdTold: values["threshold_told"] == "1", AsOfTold: values["as_of_told"] == "1",
	}
	if _, err := ParseTime(m.AsOf); err != nil && m.AsOf != "" {
		return nil, fmt.Errorf("%w: meta as_of", ErrUnreadable)
	}
	if m.Threshold, err = strconv.ParseFloat(values["threshold"], 64); err != nil {
		return nil, fmt.Errorf("%w: meta threshold", ErrUnreadable)
	}
	for key, to := range map[string]*int64{
		"run": &m.Run, "calls": &m.Totals.Calls, "failures": &m.Totals.Failures,
		"synthetic": &m.Totals.Synthetic, "captures": &m.Totals.Captures,
		"findings": &m.Totals.Findings,
	} {
		n, err := strconv.ParseInt(values[key], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: meta %s", ErrUnreadable, key)
		}
		*to = n
	}
	if m.DeadRuns, err = ParseIntervals(values["dead_runs"]); err != nil {
		return nil, fmt.Errorf("%w: meta dead_runs", ErrUnreadable)
	}
	return m, nil
}

// writeMeta replaces what the index says about itself.
func writeMeta(conn *sqlite.Conn, m *Meta, workers []Worker) error {
	for key, value := range map[string]string{
		"schema":    schemaVersion,
		"workers":   workerVersions(workers),
		"ledger_id": m.LedgerID,
		"run":       strconv.FormatInt(m.Run, 10),
		"dead_runs": m.DeadRuns.String(),
		"newest_ts": m.NewestTS,
		"calls":     strconv.FormatInt(m.Totals.Calls, 10),
		"failures":  strconv.FormatInt(m.Totals.Failures, 10),
		"synthetic": strconv.FormatInt(m.Totals.Synthetic, 10),
		"captures":  strconv.FormatInt(m.Totals.Captures, 10),
		"findings":  strconv.FormatInt(m.Totals.Findings, 10),

		"threshold": strconv.FormatFloat(m.Threshold, 'g', -1, 64), "threshold_told": flag(m.ThresholdTold),
		"as_of": m.AsOf, "as_of_told": flag(m.AsOfTold),
	} {
		err := sqlitex.Execute(conn, `INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)`, &sqlitex.ExecOptions{Args: []any{key, value}})
		if err != nil {
			return err
		}
	}
	return nil
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
