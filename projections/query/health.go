package query

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Health is one row of tool_health. Quantiles of nothing are nil.
type Health struct {
	Server       string   `json:"server"`
	Tool         string   `json:"tool"`
	Calls        int64    `json:"calls"`
	Failures     int64    `json:"failures"`
	FailureRate  float64  `json:"failure_rate"`
	P50MS        *float64 `json:"p50_ms"`
	P95MS        *float64 `json:"p95_ms"`
	MaxMS        *float64 `json:"max_ms"`
	MedianBytes  *int64   `json:"median_response_bytes"`
	MedianTokens *int64   `json:"median_response_tokens"` // bytes / 4
	Errors       int64    `json:"errors"`
	Cancelled    int64    `json:"cancelled"`
	Unanswered   int64    `json:"unanswered"`
	Unknown      int64    `json:"unknown"`
	FirstTS      string   `json:"first_ts"`
	LastTS       string   `json:"last_ts"`
}

// ToolHealth is one row for each server and tool, those with most failures
// first. Empty arguments do not narrow.
func ToolHealth(conn *sqlite.Conn, server, tool string) ([]Health, error) {
	rows := []Health{}
	err := sqlitex.Execute(conn, `SELECT server, tool, calls, failures, failure_rate, p50_ms, p95_ms, max_ms,
		median_response_bytes, median_response_tokens, errors, cancelled, unanswered, unknown, first_ts, last_ts
		FROM tool_health WHERE (?1 = '' OR server = ?1) AND (?2 = '' OR tool = ?2)
		ORDER BY failures DESC, calls DESC, server, tool`,
		&sqlitex.ExecOptions{Args: []any{server, tool}, ResultFunc: func(s *sqlite.Stmt) error {
			rows = append(rows, Health{
				Server: s.ColumnText(0), Tool: s.ColumnText(1), Calls: s.ColumnInt64(2), Failures: s.ColumnInt64(3),
				FailureRate: s.ColumnFloat(4), P50MS: optionalFloat(s, 5), P95MS: optionalFloat(s, 6), MaxMS: optionalFloat(s, 7),
				MedianBytes: optional(s, 8), MedianTokens: optional(s, 9), Errors: s.ColumnInt64(10), Cancelled: s.ColumnInt64(11),
				Unanswered: s.ColumnInt64(12), Unknown: s.ColumnInt64(13), FirstTS: s.ColumnText(14), LastTS: s.ColumnText(15),
			})
			return nil
		}})
	return rows, err
}

func optionalFloat(s *sqlite.Stmt, i int) *float64 {
	if s.ColumnIsNull(i) {
		return nil
	}
	v := s.ColumnFloat(i)
	return &v
}

// Cost is one row of session_cost.
type Cost struct {
	Session       string  `json:"session"`
	Server        string  `json:"server"`
	Calls         int64   `json:"calls"`
	Failures      int64   `json:"failures"`
	Requests      int64   `json:"requests"`
	RequestBytes  int64   `json:"request_bytes"`
	ResponseBytes int64   `json:"response_bytes"`
	CatalogBytes  int64   `json:"catalog_bytes"`    // of tools/list results, part of response_bytes
	Tokens        int64   `json:"estimated_tokens"` // bytes / 4
	WaitedMS      float64 `json:"waited_ms"`
	FirstTS       string  `json:"first_ts"`
	LastTS        string  `json:"last_ts"`
}

// SessionCost is one row for each session and server, the newest first; limit 0
// gives all.
func SessionCost(conn *sqlite.Conn, limit int) ([]Cost, error) {
	if limit <= 0 {
		limit = -1
	}
	rows := []Cost{}
	err := sqlitex.Execute(conn, `SELECT session, server, calls, failures, requests, request_bytes, response_bytes, catalog_bytes,
		estimated_tokens, waited_ms, first_ts, last_ts FROM session_cost ORDER BY last_ts DESC, session, server LIMIT ?`,
		&sqlitex.ExecOptions{Args: []any{limit}, ResultFunc: func(s *sqlite.Stmt) error {
			rows = append(rows, Cost{
				Session: s.ColumnText(0), Server: s.ColumnText(1), Calls: s.ColumnInt64(2), Failures: s.ColumnInt64(3),
				Requests: s.ColumnInt64(4), RequestBytes: s.ColumnInt64(5), ResponseBytes: s.ColumnInt64(6),
				CatalogBytes: s.ColumnInt64(7), Tokens: s.ColumnInt64(8), WaitedMS: s.ColumnFloat(9),
				FirstTS: s.ColumnText(10), LastTS: s.ColumnText(11),
			})
			return nil
		}})
	return rows, err
}
