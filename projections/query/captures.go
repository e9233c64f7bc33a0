package query

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Capture is one row of captures.
type Capture struct {
	CaptureID     string `json:"capture_id"`
	Session       string `json:"session"`
	Server        string `json:"server"`
	Kind          string `json:"kind"`
	Recorder      string `json:"recorder"`
	Version       string `json:"version"`
	OS            string `json:"os"`
	Arch          string `json:"arch"`
	SaltID        string `json:"salt_id"`
	FirstTS       string `json:"first_ts"`
	LastTS        string `json:"last_ts"`
	LastSeq       int64  `json:"last_seq"`
	Events        int64  `json:"events"`
	Calls         int64  `json:"calls"`
	Failures      int64  `json:"failures"`
	Requests      int64  `json:"requests"`
	Notifications int64  `json:"notifications"`
	Unparsed      int64  `json:"unparsed"`
	Annotations   int64  `json:"annotations"`
	Protocol      string `json:"protocol,omitempty"`
	Lifecycle     string `json:"lifecycle,omitempty"`
	ClientCaps    string `json:"client_capabilities,omitempty"`
	ServerCaps    string `json:"server_capabilities,omitempty"`
	Gaps          int64  `json:"gaps"`
	GapFrames     int64  `json:"gap_frames"`
	GapBytes      int64  `json:"gap_bytes"`
	StrayBefore   int64  `json:"stray_before"`
	StraySession  int64  `json:"stray_session"`
	Orphans       int64  `json:"orphans"`
	Duplicates    int64  `json:"duplicates"`
	Late          int64  `json:"late"`
	Progress      int64  `json:"progress"`
	Direction     int64  `json:"direction"`
	Ended         bool   `json:"ended"`
	ExitCode      *int64 `json:"exit_code"`
	Signal        int64  `json:"signal"`
	Killed        bool   `json:"killed"`
	CorruptAt     string `json:"corrupt_at,omitempty"`
	File          string `json:"file"`
}

// Captures lists captures, the newest first; limit 0 gives all. The filter's
// server, session, capture and kind count.
func Captures(conn *sqlite.Conn, f Filter, limit int) ([]Capture, error) {
	f = Filter{Server: f.Server, Session: f.Session, Capture: f.Capture, Kind: f.Kind}
	where, args := f.where()
	if limit <= 0 {
		limit = -1
	}
	captures := []Capture{}
	err := sqlitex.Execute(conn, `SELECT c.capture_id, c.session, c.server, c.kind, c.recorder, c.version, c.os, c.arch, c.salt_id,
		c.first_ts, c.last_ts, c.last_seq, c.events, c.calls, c.failures, c.requests, c.notifications, c.unparsed, c.annotations,
		c.protocol, c.lifecycle, c.client_capabilities, c.server_capabilities, c.gaps,
		c.gap_outbound_frames + c.gap_inbound_frames, c.gap_outbound_bytes + c.gap_inbound_bytes,
		c.stray_before, c.stray_session, c.orphans, c.duplicates, c.late, c.progress, c.direction,
		c.ended, c.exit_code, c.signal, c.killed, c.corrupt_at, s.path
		FROM (SELECT * FROM captures`+where+`) c JOIN sources s ON s.id = c.source ORDER BY c.first_ts DESC, c.capture_id LIMIT ?`,
		&sqlitex.ExecOptions{Args: append(args, limit), ResultFunc: func(s *sqlite.Stmt) error {
			captures = append(captures, scanCapture(s))
			return nil
		}})
	return captures, err
}

func scanCapture(s *sqlite.Stmt) Capture {
	return Capture{
		CaptureID: s.ColumnText(0), Session: s.ColumnText(1), Server: s.ColumnText(2), Kind: s.ColumnText(3),
		Recorder: s.ColumnText(4), Version: s.ColumnText(5), OS: s.ColumnText(6), Arch: s.ColumnText(7), SaltID: s.ColumnText(8),
		FirstTS: s.ColumnText(9), LastTS: s.ColumnText(10), LastSeq: s.ColumnInt64(11), Events: s.ColumnInt64(12),
		Calls: s.ColumnInt64(13), Failures: s.ColumnInt64(14), Requests: s.ColumnInt64(15), Notifications: s.ColumnInt64(16),
		Unparsed: s.ColumnInt64(17), Annotations: s.ColumnInt64(18), Protocol: s.ColumnText(19), Lifecycle: s.ColumnText(20),
		ClientCaps: s.ColumnText(21), ServerCaps: s.ColumnText(22), Gaps: s.ColumnInt64(23), GapFrames: s.ColumnInt64(24),
		GapBytes: s.ColumnInt64(25), StrayBefore: s.ColumnInt64(26), StraySession: s.ColumnInt64(27), Orphans: s.ColumnInt64(28),
		Duplicates: s.ColumnInt64(29), Late: s.ColumnInt64(30), Progress: s.ColumnInt64(31), Direction: s.ColumnInt64(32),
		Ended: s.ColumnBool(33), ExitCode: optional(s, 34), Signal: s.ColumnInt64(35), Killed: s.ColumnBool(36),
		CorruptAt: s.ColumnText(37), File: s.ColumnText(38),
	}
}
