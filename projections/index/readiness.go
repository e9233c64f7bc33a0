package index

import (
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// readiness keeps the results of the standard battery.
type readiness struct{ insert *statement }

func (*readiness) Name() string { return "readiness" }
func (*readiness) Version() int { return 1 }

func (*readiness) Tables() []Table {
	return []Table{{Name: "readiness", Schema: `
CREATE TABLE readiness (     -- scores in hundredths of a point; NULL was not measured
  event_id TEXT PRIMARY KEY,
  capture_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ts TEXT NOT NULL,
  server TEXT NOT NULL,
  standard TEXT NOT NULL,
  total INTEGER, protocol INTEGER, catalog INTEGER, context INTEGER,
  reliability INTEGER, error_honesty INTEGER, coverage INTEGER
) WITHOUT ROWID;
CREATE INDEX readiness_server ON readiness(server, ts, event_id);`,
		Ordered: `SELECT ts, capture_id, seq, event_id, server, standard, total, protocol, catalog, context, reliability, error_honesty, coverage
			FROM readiness ORDER BY 1, 2, 3`}}
}

func (w *readiness) Start(conn *sqlite.Conn) (err error) {
	w.insert, err = prepare(conn, `INSERT INTO readiness(event_id, capture_id, seq, ts, server, standard, total, protocol, catalog, context,
		reliability, error_honesty, coverage) VALUES (?,?,?,?,?,?,?,?,?,?, ?,?,?)`)
	return err
}

func (w *readiness) Apply(b *Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		v, ok := r.Body.(*journal.Readiness)
		if !ok || !r.HasIdentity() {
			continue
		}
		s := w.insert
		s.text(r.ID.String())
		s.text(r.Capture.String())
		s.int(r.Seq)
		s.text(r.Time)
		s.value(r.Server.String())
		s.value(v.Standard.String())
		for _, score := range []int64{v.Total, v.Protocol, v.Catalog, v.Context, v.Reliability, v.ErrorHonesty, v.Coverage} {
			s.optInt(score)
		}
		if err := s.exec(); err != nil {
			return err
		}
	}
	return nil
}

func (*readiness) Finish() error { return nil }
