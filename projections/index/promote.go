package index

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/projections/promotion"
)

// Promotion is what findings are promoted by.
type Promotion struct {
	Threshold float64
	AsOf      time.Time // zero: the newest event's time

	// Kept asks for what an earlier cycle was told to promote by, where it was
	// told anything: see Meta.Keep.
	Kept bool
	// Told marks a threshold that was asked for, not configured.
	Told bool
}

// Issue is a group of failures with what is counted of it.
type Issue struct {
	promotion.Issue
	id                            int64
	FindingID                     string
	Server, Tool, TemplateID      string
	FirstSeen, LastSeenText, Code string
	CodesJSON, Repro              string
	State                         string // of its lifecycle
	Passes                        int64
	Regressed                     bool
	RegressedBy                   string
}

// ID is issues.id: the key of its failures.
func (i *Issue) ID() int64 { return i.id }

const issueColumns = `SELECT i.id, i.finding_id, i.server, i.tool, i.template_id, i.failures, i.sessions, i.first_seen, i.last_seen,
	i.codes, i.codes_n, i.code, i.retryable, i.recovered, i.false_success, i.blocked_path, i.cost, i.blast, i.repro,
	CASE i.template_id WHEN 'stdout-noise' THEN (SELECT runs FROM stdio_servers n WHERE n.server = i.server)
		ELSE (SELECT calls FROM tool_stats t WHERE t.server = i.server AND t.tool = i.tool) END,
	l.state, l.consecutive_passes, l.regressed, l.regressed_by
	FROM `

// Issues gives f every issue.
func Issues(conn *sqlite.Conn, f func(*Issue) error) error {
	return issuesOf(conn, `issues i LEFT JOIN finding_lifecycle l ON l.finding_id = i.finding_id`, nil, f)
}

// PromotedIssues gives f the issues that are findings, or only the one with an
// ID.
func PromotedIssues(conn *sqlite.Conn, findingID string, f func(*Issue) error) error {
	const from = `findings n CROSS JOIN issues i ON i.id = n.issue_id LEFT JOIN finding_lifecycle l ON l.finding_id = i.finding_id`
	if findingID == "" {
		return issuesOf(conn, from, nil, f)
	}
	return issuesOf(conn, from+` WHERE n.finding_id = ?`, []any{findingID}, f)
}

func issuesOf(conn *sqlite.Conn, from string, args []any, f func(*Issue) error) error {
	var failed error
	err := sqlitex.Execute(conn, issueColumns+from, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		i, err := scanIssue(s)
		if err == nil {
			err = f(i)
		}
		failed = err
		return err
	}})
	if failed != nil {
		return failed
	}
	return unreadable(err)
}

func scanIssue(s *sqlite.Stmt) (*Issue, error) {
	i := &Issue{
		id: s.ColumnInt64(0), FindingID: s.ColumnText(1), Server: s.ColumnText(2), Tool: s.ColumnText(3), TemplateID: s.ColumnText(4),
		FirstSeen: s.ColumnText(7), LastSeenText: s.ColumnText(8), CodesJSON: s.ColumnText(9), Code: s.ColumnText(11), Repro: s.ColumnText(18),
		State: s.ColumnText(20), Passes: s.ColumnInt64(21), Regressed: s.ColumnBool(22), RegressedBy: s.ColumnText(23),
	}
	i.Issue = promotion.Issue{
		Group: promotion.GroupOf(i.TemplateID), Failures: s.ColumnInt64(5), Calls: s.ColumnInt64(19), Sessions: s.ColumnInt64(6),
		Cost: s.ColumnFloat(16), Blast: s.ColumnInt64(17), Codes: s.ColumnInt64(10), Recovered: s.ColumnInt64(13) > 0,
		Annotated: promotion.Annotations{FalseSuccess: s.ColumnInt64(14) > 0, BlockedPath: s.ColumnInt64(15) > 0},
		Probed:    !s.ColumnIsNull(20),
	}
	if !s.ColumnIsNull(12) {
		all := s.ColumnBool(12)
		i.Retryable = &all
	}
	var err error
	if i.LastSeen, err = ParseTime(i.LastSeenText); err != nil {
		return nil, fmt.Errorf("%w: issues.last_seen", ErrUnreadable)
	}
	return i, nil
}

// promote refills the findings from the counters, inside the open transaction.
func (w *Writer) promote(p Promotion) error {
	m := w.meta
	m.Threshold, m.ThresholdTold = p.Threshold, p.Told
	m.AsOf, m.AsOfTold = m.asOf(p)
	m.Totals.Findings = 0
	if err := w.execute(`DELETE FROM findings`); err != nil {
		return err
	}
	asOf := m.AsOfTime()
	insert, err := prepare(w.conn, `INSERT INTO findings(issue_id, finding_id) VALUES (?, ?)`)
	if err != nil {
		return unreadable(err)
	}
	return Issues(w.conn, func(i *Issue) error {
		if i.Judge(asOf, m.Threshold) != promotion.Promoted {
			return nil
		}
		m.Totals.Findings++
		insert.int(i.id)
		insert.value(i.FindingID)
		return unreadable(insert.exec())
	})
}

// Promote refills the findings when nothing else is new. Commit publishes it.
func (w *Writer) Promote(p Promotion) (*Meta, error) {
	if err := w.promote(p); err != nil {
		return nil, err
	}
	return w.meta, unreadable(writeMeta(w.conn, w.meta, w.workers[1:]))
}

// Keep gives p with what the index was told to promote by before, where it was
// told anything, if p asks for that.
func (m *Meta) Keep(p Promotion) Promotion {
	if p.Kept && m.ThresholdTold {
		p.Threshold, p.Told = m.Threshold, true
	}
	if p.Kept && m.AsOfTold {
		p.AsOf = m.AsOfTime()
	}
	return p
}

// Promotes reports whether p is not what the findings were promoted by.
func (m *Meta) Promotes(p Promotion) bool {
	asOf, told := m.asOf(p)
	return p.Threshold != m.Threshold || asOf != m.AsOf || p.Told != m.ThresholdTold || told != m.AsOfTold
}

func (m *Meta) asOf(p Promotion) (text string, told bool) {
	if p.AsOf.IsZero() {
		return m.NewestTS, false
	}
	return FormatTime(p.AsOf), true
}
