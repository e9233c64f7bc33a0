package index

import (
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// verifications keeps the results of verify runs.
type verifications struct{ insert *statement }

func (*verifications) Name() string { return "verifications" }
func (*verifications) Version() int { return 1 }

func (*verifications) Tables() []Table {
	return []Table{{Name: "verifications", Schema: `
CREATE TABLE verifications (
  event_id TEXT PRIMARY KEY,
  capture_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ts TEXT NOT NULL,
  server TEXT,
  finding_id TEXT NOT NULL,
  case_id TEXT,
  passed INTEGER NOT NULL,
  reason TEXT,              -- why it failed
  definition TEXT NOT NULL  -- keyed digest of case, timeout and target
) WITHOUT ROWID;
CREATE INDEX verifications_finding ON verifications(finding_id, ts, event_id);`,
		Ordered: `SELECT ts, capture_id, seq, event_id, server, finding_id, case_id, passed, reason, definition FROM verifications ORDER BY 1, 2, 3`}}
}

func (w *verifications) Start(conn *sqlite.Conn) (err error) {
	w.insert, err = prepare(conn, `INSERT INTO verifications(event_id, capture_id, seq, ts, server, finding_id, case_id, passed, reason, definition)
		VALUES (?,?,?,?,?,?,?,?,?,?)`)
	return err
}

func (w *verifications) Apply(b *Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		v, ok := r.Body.(*journal.Verification)
		if !ok || !r.HasIdentity() {
			continue
		}
		s := w.insert
		s.text(r.ID.String())
		s.text(r.Capture.String())
		s.int(r.Seq)
		s.text(r.Time)
		s.text(r.Server.String())
		s.value(v.Finding.String())
		s.text(v.Case.String())
		s.bool(v.Passed)
		s.text(v.Reason.String())
		s.value(v.Definition.String())
		if err := s.exec(); err != nil {
			return err
		}
	}
	return nil
}

func (*verifications) Finish() error { return nil }
