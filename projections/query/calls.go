package query

import (
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/projections/index"
)

// Filter narrows the rows of calls. Zero fields do not.
type Filter struct {
	Server, Tool, Outcome string
	Method                string
	Session               string // session:<sha256>
	Capture               string
	Origin                string // client, server
	Kind                  string // real, synthetic
	Since, Until          time.Time
	Requests              bool // only requests: no notifications, no unparsed frames
}

func (f Filter) where() (sql string, args []any) {
	var terms []string
	add := func(term string, arg any) {
		terms = append(terms, term)
		args = append(args, arg)
	}
	for _, c := range []struct{ column, value string }{
		{"server", f.Server}, {"tool", f.Tool}, {"outcome", f.Outcome}, {"method", f.Method},
		{"session", f.Session}, {"capture_id", f.Capture}, {"origin", f.Origin}, {"kind", f.Kind},
	} {
		if c.value != "" {
			add(c.column+" = ?", c.value)
		}
	}
	if !f.Since.IsZero() {
		add("ts >= ?", index.FormatTime(f.Since))
	}
	if !f.Until.IsZero() {
		add("ts < ?", index.FormatTime(f.Until))
	}
	if f.Requests {
		terms = append(terms, "type IN ('call', 'pending')")
	}
	if terms == nil {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}

// byCounters reports whether the totals can answer: they know no times,
// sessions or captures.
func (f Filter) byCounters() bool {
	return f.Session == "" && f.Capture == "" && f.Since.IsZero() && f.Until.IsZero()
}

// Group counts the rows of calls with one server, tool and outcome.
type Group struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"` // empty where there is none
	Outcome string `json:"outcome"`
	Count   int64  `json:"count"`
}

// Groups are the rows of calls by server, tool and outcome, the largest group
// first: the query of the README.
func Groups(conn *sqlite.Conn, f Filter) ([]Group, error) {
	where, args := f.where()
	query := `SELECT coalesce(server, ''), coalesce(tool, ''), outcome, count(*) FROM calls` + where +
		` GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`
	if f.byCounters() {
		query = `SELECT server, tool, outcome, sum(rows) FROM totals` + where +
			` GROUP BY 1, 2, 3 HAVING sum(rows) > 0 ORDER BY 4 DESC, 1, 2, 3`
	}
	groups := []Group{}
	err := sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		groups = append(groups, Group{s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnInt64(3)})
		return nil
	}})
	return groups, err
}

// Call is one row of calls. Absent texts are empty, absent numbers nil.
type Call struct {
	EventID       string `json:"event_id,omitempty"`
	CaptureID     string `json:"capture_id,omitempty"`
	OperationID   string `json:"operation_id,omitempty"`
	TS            string `json:"ts"`
	Session       string `json:"session"`
	Seq           int64  `json:"seq"`
	Server        string `json:"server"`
	Origin        string `json:"origin"`
	Method        string `json:"method"`
	Tool          string `json:"tool,omitempty"`
	LatencyMS     *int64 `json:"latency_ms"`
	LatencyUS     *int64 `json:"latency_us"`
	Outcome       string `json:"outcome"`
	Cancelled     bool   `json:"cancelled"`
	Task          bool   `json:"task"`
	ErrCode       string `json:"err_code,omitempty"`
	ErrTemplateID string `json:"err_template_id,omitempty"`
	ErrRetryable  *int64 `json:"err_retryable"`
	Args          string `json:"args,omitempty"`
	RequestBytes  *int64 `json:"request_bytes"`
	ResponseBytes *int64 `json:"response_bytes"`
	ShimSelfUS    *int64 `json:"shim_self_us"`
	Kind          string `json:"kind"`
	Type          string `json:"type"`
	File          string `json:"file"`
	Line          int64  `json:"line"`
}

// Calls are the newest rows that pass the filter, in visible order; limit 0
// gives all.
func Calls(conn *sqlite.Conn, f Filter, limit int) ([]Call, error) {
	where, args := f.where()
	if limit <= 0 {
		limit = -1
	}
	calls := []Call{}
	err := sqlitex.Execute(conn, `SELECT * FROM (
		SELECT c.event_id, c.capture_id, c.operation_id, c.ts, c.session, c.seq, c.server, c.origin, c.method, c.tool, c.latency_ms,
			c.latency_us, c.outcome, c.cancelled, c.task, c.err_code, c.err_template_id, c.err_retryable, c.args, c.request_bytes,
			c.response_bytes, c.shim_self_us, c.kind, c.type, s.path, c.line, c.offset
		FROM (SELECT * FROM calls`+where+`) c JOIN sources s ON s.id = c.source
		ORDER BY c.ts DESC, c.capture_id DESC, CASE WHEN c.event_id IS NULL THEN NULL ELSE c.seq END DESC, s.path DESC, c.offset DESC
		LIMIT ?)
		ORDER BY ts, capture_id, CASE WHEN event_id IS NULL THEN NULL ELSE seq END, path, offset`,
		&sqlitex.ExecOptions{Args: append(args, limit), ResultFunc: func(s *sqlite.Stmt) error {
			calls = append(calls, scanCall(s))
			return nil
		}})
	return calls, err
}

func scanCall(s *sqlite.Stmt) Call {
	return Call{
		EventID: s.ColumnText(0), CaptureID: s.ColumnText(1), OperationID: s.ColumnText(2), TS: s.ColumnText(3),
		Session: s.ColumnText(4), Seq: s.ColumnInt64(5), Server: s.ColumnText(6), Origin: s.ColumnText(7),
		Method: s.ColumnText(8), Tool: s.ColumnText(9), LatencyMS: optional(s, 10), LatencyUS: optional(s, 11),
		Outcome: s.ColumnText(12), Cancelled: s.ColumnBool(13), Task: s.ColumnBool(14), ErrCode: s.ColumnText(15),
		ErrTemplateID: s.ColumnText(16), ErrRetryable: optional(s, 17), Args: s.ColumnText(18),
		RequestBytes: optional(s, 19), ResponseBytes: optional(s, 20), ShimSelfUS: optional(s, 21),
		Kind: s.ColumnText(22), Type: s.ColumnText(23), File: s.ColumnText(24), Line: s.ColumnInt64(25),
	}
}

func optional(s *sqlite.Stmt, i int) *int64 {
	if s.ColumnIsNull(i) {
		return nil
	}
	n := s.ColumnInt64(i)
	return &n
}

// TypeCounts counts the rows of calls by what they are, for the filter.
func TypeCounts(conn *sqlite.Conn, f Filter) (map[string]int64, error) {
	where, args := f.where()
	query := `SELECT type, count(*) FROM calls` + where + ` GROUP BY 1`
	if f.byCounters() {
		query = `SELECT type, sum(rows) FROM totals` + where + ` GROUP BY 1`
	}
	counts := map[string]int64{}
	err := sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		counts[s.ColumnText(0)] = s.ColumnInt64(1)
		return nil
	}})
	return counts, err
}
