package index

import (
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/promotion"
)

// issues groups the failures of real calls and keeps counters of each group, so
// that no question about findings scans the calls. Each failure has a row with
// what it contributes; when events that come late change its window or its
// annotations, the row is made again and the counters take the difference.
//
// It runs after calls and annotations, whose rows it reads.
type issues struct {
	conn      *sqlite.Conn
	oldGroups int64 // groups up to this one were there before this cycle

	high    map[int64]int64 // of groups made in this cycle: the last seq of their real calls
	marks   remarks
	ids     map[issueKey]int64
	counts  map[countKey]int64
	totals  map[int64]int64 // failures
	touched map[int64]bool  // issues to sum up
	changed []string        // those that Finish summed up, by finding ID
	batch   map[int64]*span
	runs    map[int64]*run

	q issueStatements
}

// issueKey says what is grouped together.
type issueKey struct{ server, tool, template string }

// countKey is one counter of an issue.
type countKey struct {
	issue int64
	kind  countKind
	value string
}

type countKind string

const (
	countSession   countKind = "session"
	countCode      countKind = "code"
	countTool      countKind = "tool"       // in the windows, its own included
	countNear      countKind = "near"       // neighbours: 0 to 8
	countRetryable countKind = "retryable"  // true, false, absent
	countRecovered countKind = "recovered"  // an ok call of the tool later in the window
	countAnnotated countKind = "annotation" // by annotation kind
)

// maxKeptCounts bounds the counters in memory.
const maxKeptCounts = 1 << 15

func (*issues) Name() string { return "issues" }
func (*issues) Version() int { return 1 }

func (*issues) Tables() []Table {
	return []Table{
		{Name: "issues", Schema: `
CREATE TABLE issues (
  id INTEGER PRIMARY KEY,
  finding_id TEXT NOT NULL UNIQUE,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,         -- '' of stdout-noise
  template_id TEXT NOT NULL,  -- '' without error text; unanswered, annotated, stdout-noise: groups of their own
  failures INTEGER NOT NULL DEFAULT 0,
  sessions INTEGER NOT NULL DEFAULT 0, -- distinct
  first_seen TEXT, last_seen TEXT,
  codes TEXT,                 -- every distinct error code: a JSON array of strings
  codes_n INTEGER,            -- how many
  code TEXT,                  -- the most frequent one
  retryable INTEGER,          -- 1 all were, 0 none was, NULL some or not known
  recovered INTEGER,          -- failures with an ok call of the tool later in their window
  false_success INTEGER, blocked_path INTEGER, -- failures annotated so
  cost REAL,                  -- median over failures of 1 + real calls in the window
  blast INTEGER,              -- distinct tools in the windows, its own included
  repro TEXT                  -- shape of the first failure's arguments
);`,
			Ordered: `SELECT finding_id, server, tool, template_id, failures, sessions, first_seen, last_seen, codes, codes_n, code,
				retryable, recovered, false_success, blocked_path, cost, blast, repro FROM issues ORDER BY 1`},
		{Name: "issue_failures", Schema: `
CREATE TABLE issue_failures (
  grp INTEGER NOT NULL, seq INTEGER NOT NULL,
  call_id INTEGER NOT NULL,
  event_id TEXT,              -- NULL for a record without identity
  issue_id INTEGER NOT NULL,
  ts TEXT NOT NULL,
  code TEXT NOT NULL,
  retryable INTEGER NOT NULL, -- 0 absent, 1 false, 2 true
  near INTEGER NOT NULL,      -- real calls in the window
  tools TEXT NOT NULL,        -- distinct ones there, its own included, a line each
  recovered INTEGER NOT NULL,
  marks INTEGER NOT NULL,     -- bits of annotation kinds
  run INTEGER NOT NULL,       -- 1 when it stands for a run with noise on stdout
  PRIMARY KEY (grp, seq, call_id)
) WITHOUT ROWID;
CREATE INDEX issue_failures_issue ON issue_failures(issue_id, ts, event_id);`,
			Ordered: `SELECT f.ts, c.capture_id, f.seq, f.event_id, i.finding_id, f.code, f.retryable, f.near, f.tools, f.recovered, f.marks, f.run
				FROM issue_failures f JOIN issues i ON i.id = f.issue_id JOIN calls c ON c.id = f.call_id JOIN sources s ON s.id = c.source
				ORDER BY f.ts, c.capture_id, f.seq, s.path, c.offset`},
		{Name: "issue_counts", Schema: `
CREATE TABLE issue_counts (
  issue_id INTEGER NOT NULL,
  kind TEXT NOT NULL,         -- code, tool, near, retryable, recovered, annotation
  value TEXT NOT NULL,
  n INTEGER NOT NULL,         -- failures
  PRIMARY KEY (issue_id, kind, value)
) WITHOUT ROWID;`,
			Ordered: `SELECT i.finding_id, n.kind, n.value, n.n FROM issue_counts n JOIN issues i ON i.id = n.issue_id ORDER BY 1, 2, 3`},
		{Name: "issue_sessions", Schema: `
CREATE TABLE issue_sessions (
  issue_id INTEGER NOT NULL,
  session TEXT NOT NULL,
  n INTEGER NOT NULL,         -- failures
  PRIMARY KEY (issue_id, session)
) WITHOUT ROWID;`,
			Ordered: `SELECT i.finding_id, n.session, n.n FROM issue_sessions n JOIN issues i ON i.id = n.issue_id ORDER BY 1, 2`},
		{Name: "stdio_runs", Schema: `
CREATE TABLE stdio_runs (
  grp INTEGER PRIMARY KEY,    -- captures.id
  stdio INTEGER NOT NULL,     -- 1 when a stdio shim recorded it
  noise_seq INTEGER, noise_call INTEGER -- of the first line on stdout that is no JSON-RPC
);`,
			Ordered: `SELECT g.capture_id, r.stdio, r.noise_seq FROM stdio_runs r JOIN groups g ON g.id = r.grp ORDER BY 1`},
		{Name: "stdio_servers", Schema: `
CREATE TABLE stdio_servers (server TEXT PRIMARY KEY, runs INTEGER NOT NULL) WITHOUT ROWID;`,
			Ordered: `SELECT server, runs FROM stdio_servers ORDER BY 1`},
		{Name: "findings", Schema: `
CREATE TABLE findings (       -- the issues that are promoted: see meta for threshold and as_of
  issue_id INTEGER PRIMARY KEY,
  finding_id TEXT NOT NULL UNIQUE
);`,
			Ordered: `SELECT finding_id FROM findings ORDER BY 1`},
		{Name: "finding_events", View: true, Schema: `
CREATE VIEW finding_events(finding_id, event_id, call_id) AS
SELECT n.finding_id, f.event_id, f.call_id FROM findings n CROSS JOIN issue_failures f ON f.issue_id = n.issue_id;`},
	}
}

// Start prepares the statements and reads which events are annotated: remarks
// of people are few.
func (w *issues) Start(conn *sqlite.Conn) (err error) {
	w.conn = conn
	w.high, w.ids, w.touched = map[int64]int64{}, map[issueKey]int64{}, map[int64]bool{}
	w.batch, w.runs = map[int64]*span{}, map[int64]*run{}
	w.changed = nil
	w.resetCounts()
	if err := w.q.prepare(conn); err != nil {
		return err
	}
	if w.oldGroups, err = queryInt(conn, `SELECT coalesce(max(id), 0) FROM groups`); err != nil {
		return err
	}
	return w.marks.load(conn)
}

func (w *issues) resetCounts() {
	w.counts, w.totals = map[countKey]int64{}, map[int64]int64{}
}

func (w *issues) Apply(b *Batch) error {
	clear(w.batch)
	clear(w.runs)
	if err := w.annotate(b); err != nil {
		return err
	}
	for _, r := range b.Added {
		if err := w.added(r); err != nil {
			return err
		}
	}
	for _, r := range b.Removed {
		if row, _ := r.Row(); row.ToolCall() && r.Kind == journal.Real {
			w.span(r.Group, r.Session.String(), r.Server.String()).touch(r.Seq).mixed = true
		}
	}
	for i := range b.Records {
		w.started(&b.Records[i])
	}
	for group, s := range w.batch {
		if err := w.derive(group, s); err != nil {
			return err
		}
	}
	for group, r := range w.runs {
		if err := w.noise(group, r); err != nil {
			return err
		}
	}
	if len(w.counts) > maxKeptCounts {
		return w.flush()
	}
	return nil
}

// added takes a row of calls that appears.
func (w *issues) added(r *Record) error {
	if !r.HasIdentity() {
		// Whether a legacy pair has windows, and whether a legacy address is
		// ambiguous, depends on all of its rows.
		w.span(r.Group, r.Session.String(), r.Server.String()).whole = true
		return w.address(address{r.Session.String(), r.Seq})
	}
	if r.Kind != journal.Real {
		return nil
	}
	if u, ok := r.Body.(*journal.Unparsed); ok {
		if u.Direction == journal.Inbound {
			w.run(r).noisy(r)
		}
		return nil
	}
	if row, _ := r.Row(); row.ToolCall() {
		s := w.span(r.Group, r.Session.String(), r.Server.String())
		s.touch(r.Seq)
		s.rows = append(s.rows, callOf(r, &row))
	}
	return nil
}

func (w *issues) Finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.summarize()
}

// issue is the key of a group of failures, made when it is new.
func (w *issues) issue(k issueKey) (int64, error) {
	if id, ok := w.ids[k]; ok {
		return id, nil
	}
	finding := FindingID(k.server, k.tool, k.template)
	w.q.findIssue.text(finding)
	found, err := w.q.findIssue.step()
	if err != nil {
		return 0, err
	}
	id := w.q.findIssue.stmt.ColumnInt64(0)
	if err := w.q.findIssue.done(); err != nil {
		return 0, err
	}
	if !found {
		s := w.q.addIssue
		s.text(finding)
		s.value(k.server)
		s.value(k.tool)
		s.value(k.template)
		if err := s.exec(); err != nil {
			return 0, err
		}
		id = w.conn.LastInsertRowID()
	}
	w.ids[k] = id
	return id, nil
}

// callRow is a real tools/call as windows and groups see it.
type callRow struct {
	id, seq   int64
	event     uuid.UUID
	pending   uuid.UUID // the event it replaced
	ts        string
	tool      string
	outcome   string
	code      string
	template  string
	retryable journal.Tri
}

func callOf(r *Record, row *Row) callRow {
	c := callRow{id: r.CallID, seq: r.Seq, event: r.ID, ts: r.Time, tool: row.Tool, outcome: row.Outcome}
	if row.Call == nil {
		return c
	}
	c.pending = row.Call.Pending
	if e := row.Call.Error; e != nil {
		c.code, c.template, c.retryable = e.Code.String(), e.TemplateID.String(), e.Retryable
	}
	return c
}

// group says which issue a call counts for, and with what code: none when it
// is no failure.
func (c *callRow) group(marks uint8) (template, code string, ok bool) {
	switch {
	case c.outcome == "error":
		return c.template, c.code, true
	case isFailure(c.outcome):
		return promotion.TemplateHung, promotion.CodeHung, true
	case marks != 0:
		return promotion.TemplateAnnotated, "", true
	}
	return "", "", false
}

func queryInt(conn *sqlite.Conn, query string) (n int64, err error) {
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { n = s.ColumnInt64(0); return nil }})
	return n, err
}
