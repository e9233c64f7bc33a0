package query

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/promotion"
)

// maxEvidence is how many event IDs a finding carries, the newest ones.
// FindingEvidence gives all.
const maxEvidence = 100

// Findings are the promoted issues, the most severe first, then by score.
func Findings(conn *sqlite.Conn, f FindingFilter) ([]Finding, error) { return findings(conn, "", f) }

// FindingByID is nil when no issue with this ID is promoted.
func FindingByID(conn *sqlite.Conn, id string) (*Finding, error) {
	list, err := findings(conn, id, FindingFilter{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

func findings(conn *sqlite.Conn, id string, filter FindingFilter) ([]Finding, error) {
	meta, err := index.ReadMeta(conn)
	if err != nil {
		return nil, err
	}
	asOf := meta.AsOfTime()
	list := []Finding{}
	var issues []int64
	err = index.PromotedIssues(conn, id, func(i *index.Issue) error {
		score := i.Score(asOf)
		class := i.Class()
		f := Finding{
			ID: i.FindingID, Server: i.Server, Tool: i.Tool, Class: class, Severity: i.Severity(score, meta.Threshold), State: StateOpen,
			Score: score, Failures: i.Failures, Calls: i.Calls, Sessions: i.Sessions, Codes: []string{}, Code: i.Code,
			Retryable: i.Retryable, TemplateID: i.TemplateID, Cost: i.Cost, Blast: i.Blast,
			FirstSeen: i.FirstSeen, LastSeen: i.LastSeenText, Hint: promotion.Hint(class), Evidence: []*string{},
		}
		if i.Calls > 0 {
			f.Rate = float64(i.Failures) / float64(i.Calls)
		}
		if i.Repro != "" {
			f.Repro = json.RawMessage(i.Repro)
		}
		if i.Probed {
			f.State, f.ConsecutivePasses = i.State, i.Passes
			if i.Regressed && i.RegressedBy != "" {
				f.RegressedBy = &i.RegressedBy
			}
		}
		if filter.State != "" && filter.State != f.State || filter.Server != "" && filter.Server != f.Server {
			return nil
		}
		issues = append(issues, i.ID())
		list = append(list, f)
		if json.Unmarshal([]byte(i.CodesJSON), &list[len(list)-1].Codes) != nil {
			return fmt.Errorf("%w: issues.codes", index.ErrUnreadable)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Evidence, err = newestEvents(conn, issues[i]); err != nil {
			return nil, err
		}
	}
	rank := map[string]int{promotion.High: 0, promotion.Medium: 1, promotion.Low: 2}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Severity], rank[b.Severity]), cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// newestEvents are the event IDs of an issue's last failures, in order of time.
func newestEvents(conn *sqlite.Conn, issue int64) ([]*string, error) {
	list := []*string{}
	err := sqlitex.Execute(conn, `SELECT event_id FROM issue_failures WHERE issue_id = ? ORDER BY ts DESC, event_id DESC LIMIT ?`,
		&sqlitex.ExecOptions{Args: []any{issue, maxEvidence}, ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, optionalText(s, 0))
			return nil
		}})
	slices.Reverse(list)
	return list, err
}

func optionalText(s *sqlite.Stmt, i int) *string {
	if s.ColumnIsNull(i) {
		return nil
	}
	v := s.ColumnText(i)
	return &v
}

// FindingEvidence is every failing call behind an issue, promoted or not, in
// visible order; of stdout-noise, the first such line of each run.
func FindingEvidence(conn *sqlite.Conn, id string) ([]FindingEvent, error) {
	list := []FindingEvent{}
	err := sqlitex.Execute(conn, `SELECT c.event_id, c.capture_id, c.seq, c.ts, s.path, c.line, c.offset, lower(hex(c.digest))
		FROM issues i CROSS JOIN issue_failures f ON f.issue_id = i.id CROSS JOIN calls c ON c.id = f.call_id
		CROSS JOIN sources s ON s.id = c.source WHERE i.finding_id = ?
		ORDER BY c.ts, c.capture_id, CASE WHEN c.event_id IS NULL THEN NULL ELSE c.seq END, s.path, c.offset`,
		&sqlitex.ExecOptions{Args: []any{id}, ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, FindingEvent{
				EventID: optionalText(s, 0), CaptureID: optionalText(s, 1), Seq: s.ColumnInt64(2), TS: s.ColumnText(3),
				File: s.ColumnText(4), Line: s.ColumnInt64(5), Offset: s.ColumnInt64(6), Digest: s.ColumnText(7),
			})
			return nil
		}})
	return list, err
}

// LifecycleOf is where an issue stands, promoted or not; nil when it is unknown.
func LifecycleOf(conn *sqlite.Conn, id string) (*Lifecycle, error) {
	var l *Lifecycle
	err := sqlitex.Execute(conn, `SELECT state, consecutive_passes FROM finding_lifecycle WHERE finding_id = ?1
		UNION ALL SELECT 'open', 0 FROM issues WHERE finding_id = ?1 LIMIT 1`,
		&sqlitex.ExecOptions{Args: []any{id}, ResultFunc: func(s *sqlite.Stmt) error {
			l = &Lifecycle{State: s.ColumnText(0), ConsecutivePasses: s.ColumnInt64(1)}
			return nil
		}})
	return l, err
}

// Promotion says what became of the issues, by what the index promotes by.
func Promotion(conn *sqlite.Conn) (*PromotionSummary, error) {
	meta, err := index.ReadMeta(conn)
	if err != nil {
		return nil, err
	}
	asOf := meta.AsOfTime()
	p := &PromotionSummary{Threshold: meta.Threshold, AsOf: meta.AsOf}
	err = index.Issues(conn, func(i *index.Issue) error {
		p.Issues++
		switch i.Judge(asOf, meta.Threshold) {
		case promotion.Promoted:
			p.Promoted++
		case promotion.OneSession:
			p.OneSession++
		case promotion.BelowThreshold:
			p.BelowThreshold++
		}
		return nil
	})
	return p, err
}
