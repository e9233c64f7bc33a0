package index

import (
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// calls keeps the table most people come for: every request of either side,
// notification and unparsed frame, with its outcome.
type calls struct {
	insert, remove, move, same, repeat *statement
	conn                               *sqlite.Conn
}

func (*calls) Name() string { return "calls" }
func (*calls) Version() int { return 2 }

func (*calls) Tables() []Table {
	return []Table{
		{Name: "calls", Schema: `
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  event_id TEXT,               -- NULL for a record without identity
  capture_id TEXT,             -- NULL for a record without identity
  operation_id TEXT,           -- event_id of the first leg of the operation
  ts TEXT NOT NULL,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  server TEXT,
  origin TEXT,                 -- client, server: who sent it
  method TEXT,
  tool TEXT,
  latency_ms INTEGER,
  latency_us INTEGER,          -- NULL where only milliseconds were recorded
  outcome TEXT NOT NULL,
  cancelled INTEGER NOT NULL,
  task INTEGER NOT NULL,
  err_code TEXT,
  err_template TEXT,
  err_template_id TEXT,
  err_retryable INTEGER,
  args TEXT,                   -- shape
  request_bytes INTEGER,
  response_bytes INTEGER,
  shim_self_us INTEGER,
  kind TEXT NOT NULL,          -- real, synthetic
  err_layer TEXT,
  err_kind TEXT,
  truncated INTEGER NOT NULL,
  ambiguous_keys INTEGER NOT NULL,
  pending_id TEXT,             -- event_id of the pending event that the call replaced
  type TEXT NOT NULL,          -- call, pending, notification, unparsed
  real_call INTEGER NOT NULL,  -- 1 for a real tools/call of a client: what windows and rates count
  grp INTEGER NOT NULL,        -- groups.id: the capture, or the legacy pair
  source INTEGER NOT NULL,     -- sources.id
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  digest BLOB NOT NULL         -- SHA-256 of the line
);
CREATE UNIQUE INDEX calls_event ON calls(event_id) WHERE event_id IS NOT NULL;
CREATE INDEX calls_pending ON calls(pending_id) WHERE pending_id IS NOT NULL;
CREATE INDEX calls_window ON calls(grp, seq) WHERE real_call;
CREATE INDEX calls_failure ON calls(outcome, server, tool) WHERE real_call AND outcome IN ('error', 'unanswered', 'cancelled');
CREATE INDEX calls_legacy ON calls(grp, seq) WHERE event_id IS NULL;`,
			Ordered: `
SELECT c.ts, c.capture_id, c.seq, c.event_id, c.operation_id, c.session, c.server, c.origin, c.method, c.tool,
  c.latency_ms, c.latency_us, c.outcome, c.cancelled, c.task, c.err_code, c.err_template, c.err_template_id, c.err_retryable,
  c.args, c.request_bytes, c.response_bytes, c.shim_self_us, c.kind, c.err_layer, c.err_kind, c.truncated, c.ambiguous_keys,
  c.pending_id, c.type, c.real_call, s.path, c.line, c.offset, c.digest
FROM calls c JOIN sources s ON s.id = c.source
ORDER BY c.ts, c.capture_id, CASE WHEN c.event_id IS NULL THEN NULL ELSE c.seq END, s.path, c.offset`},
		{Name: "legacy_repeats", Schema: `
CREATE TABLE legacy_repeats (
  grp INTEGER PRIMARY KEY,   -- a legacy pair with repeated sequence numbers: it has no windows
  rows INTEGER NOT NULL      -- rows beyond the first with their number
);`,
			Ordered: `SELECT g.session, g.server, r.rows FROM legacy_repeats r JOIN groups g ON g.id = r.grp ORDER BY 1, 2`},
		{Name: "annotated", View: true, Schema: annotatedView},
		{Name: "failures", View: true, Schema: failuresView},
		{Name: "windows", View: true, Schema: windowsView()},
	}
}

func (w *calls) Start(conn *sqlite.Conn) (err error) {
	w.conn = conn
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&w.insert, `INSERT INTO calls(event_id, capture_id, operation_id, ts, session, seq, server, origin, method, tool,
			latency_ms, latency_us, outcome, cancelled, task, err_code, err_template, err_template_id, err_retryable,
			args, request_bytes, response_bytes, shim_self_us, kind, err_layer, err_kind, truncated, ambiguous_keys,
			pending_id, type, real_call, grp, source, line, offset, digest)
			VALUES (?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?)`},
		{&w.remove, `DELETE FROM calls WHERE event_id = ? AND type = 'pending'`},
		{&w.move, `UPDATE calls SET source = ?, line = ?, offset = ? WHERE event_id = ?`},
		{&w.same, `SELECT 1 FROM calls WHERE grp = ? AND seq = ? AND event_id IS NULL`},
		{&w.repeat, `INSERT INTO legacy_repeats(grp, rows) VALUES (?, 1) ON CONFLICT (grp) DO UPDATE SET rows = rows + 1`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}

func (w *calls) Apply(b *Batch) error {
	for _, r := range b.Removed {
		w.remove.text(r.ID.String())
		if err := w.remove.exec(); err != nil {
			return err
		}
	}
	for _, r := range b.Added {
		if !r.HasIdentity() {
			if err := w.countRepeat(r); err != nil {
				return err
			}
		}
		w.bind(r)
		if err := w.insert.exec(); err != nil {
			return err
		}
		r.CallID = w.conn.LastInsertRowID()
	}
	return moveAll(w.move, b.Moved)
}

func (*calls) Finish() error { return nil }

// countRepeat notes a legacy sequence number that its pair already has: rows
// less distinct numbers, so the order of arrival does not matter.
func (w *calls) countRepeat(r *Record) error {
	w.same.int(r.Group)
	w.same.int(r.Seq)
	found, err := w.same.step()
	if err != nil {
		return err
	}
	if err := w.same.done(); err != nil || !found {
		return err
	}
	w.repeat.int(r.Group)
	return w.repeat.exec()
}

// templateText is the only error text there is.
const templateText = "{message}"

func (w *calls) bind(r *Record) {
	s := w.insert
	row, _ := r.Row()
	var event, capture, operation string
	if r.HasIdentity() {
		event, capture = r.ID.String(), r.Capture.String()
		operation = event
	}
	var call journal.Call
	if row.Call != nil {
		call = *row.Call
	}
	if call.LegOf != uuid.Nil {
		operation = call.LegOf.String()
	}
	s.text(event)
	s.text(capture)
	s.text(operation)
	s.text(r.Time)
	s.text(r.Session.String())
	s.int(r.Seq)
	s.text(r.Server.String())
	s.text(row.Origin.String())
	s.text(row.Method)
	s.text(row.Tool)
	if row.LatencyUS < 0 {
		s.null()
		s.null()
	} else {
		s.int(row.LatencyUS / 1000)
		if r.Legacy {
			s.null()
		} else {
			s.int(row.LatencyUS)
		}
	}
	s.text(row.Outcome)
	s.bool(call.Cancelled)
	s.bool(call.Task)
	var err journal.CallError
	if call.Error != nil {
		err = *call.Error
	}
	s.text(err.Code.String())
	if err.TemplateID.IsZero() {
		s.null()
	} else {
		s.text(templateText)
	}
	s.text(err.TemplateID.String())
	if err.Retryable == journal.Absent {
		s.null()
	} else {
		s.bool(err.Retryable == journal.True)
	}
	s.text(row.Args)
	s.optInt(row.RequestBytes)
	s.optInt(row.ResponseBytes)
	if row.Call == nil {
		s.null()
	} else {
		s.optInt(call.ShimSelfUS)
	}
	s.text(r.Kind.String())
	s.text(err.Layer.String())
	s.text(err.Kind.String())
	s.bool(call.Truncated)
	s.int(call.AmbiguousKeys)
	if call.Pending == uuid.Nil {
		s.null()
	} else {
		s.text(call.Pending.String())
	}
	s.text(r.Body.Type().String())
	s.bool(r.Kind == journal.Real && row.ToolCall())
	s.int(r.Group)
	s.int(r.Place.Source)
	s.int(r.Place.Line)
	s.int(r.Place.Offset)
	s.blob(r.Digest[:])
}

// moveAll gives events their smaller place, by a statement over source, line,
// offset and event_id.
func moveAll(move *statement, moved []Moved) error {
	for _, m := range moved {
		move.int(m.Place.Source)
		move.int(m.Place.Line)
		move.int(m.Place.Offset)
		move.text(m.Event.String())
		if err := move.exec(); err != nil {
			return err
		}
	}
	return nil
}
