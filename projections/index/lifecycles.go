package index

import (
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/lifecycle"
)

// lifecycles keeps the state of every finding that was ever verified. It runs
// after issues and verifications, whose rows it folds: again from the start for
// each finding of which a verification or a failure is new.
type lifecycles struct {
	issues *issues
	dirty  map[string]bool

	list, first, firstUpTo, save *statement
}

func (*lifecycles) Name() string { return "lifecycle" }
func (*lifecycles) Version() int { return 1 }

func (*lifecycles) Tables() []Table {
	return []Table{{Name: "finding_lifecycle", Schema: `
CREATE TABLE finding_lifecycle ( -- of every finding with a verification; any other is open
  finding_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,           -- open, fix-claimed, verifying, closed
  consecutive_passes INTEGER NOT NULL,
  verifications INTEGER NOT NULL,
  definition TEXT NOT NULL,      -- of the last verification
  last_ts TEXT NOT NULL,         -- of the last verification
  closed_ts TEXT, closed_event TEXT, -- the verification that closed it last
  regressed INTEGER NOT NULL,    -- 1 when a failure after that reopened it
  regressed_by TEXT              -- that failure's event_id
) WITHOUT ROWID;`,
		Ordered: `SELECT finding_id, state, consecutive_passes, verifications, definition, last_ts, closed_ts, closed_event, regressed, regressed_by
			FROM finding_lifecycle ORDER BY 1`}}
}

func (w *lifecycles) Start(conn *sqlite.Conn) (err error) {
	w.dirty = map[string]bool{}
	const failed = `SELECT f.ts, f.event_id FROM issues i CROSS JOIN issue_failures f ON f.issue_id = i.id WHERE i.finding_id = ? AND f.ts > ?`
	const order = ` ORDER BY f.ts, f.event_id LIMIT 1`
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&w.list, `SELECT ts, event_id, passed, definition FROM verifications WHERE finding_id = ? ORDER BY ts, event_id`},
		{&w.first, failed + order},
		{&w.firstUpTo, failed + ` AND f.ts <= ?` + order},
		{&w.save, `INSERT OR REPLACE INTO finding_lifecycle(finding_id, state, consecutive_passes, verifications, definition, last_ts,
			closed_ts, closed_event, regressed, regressed_by) VALUES (?,?,?,?,?,?,?,?,?,?)`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}

func (w *lifecycles) Apply(b *Batch) error {
	for i := range b.Records {
		if v, ok := b.Records[i].Body.(*journal.Verification); ok {
			w.dirty[v.Finding.String()] = true
		}
	}
	return nil
}

func (w *lifecycles) Finish() error {
	for _, finding := range w.issues.changed {
		w.dirty[finding] = true
	}
	for finding := range w.dirty {
		if err := w.fold(finding); err != nil {
			return err
		}
	}
	return nil
}

func (w *lifecycles) fold(finding string) error {
	var list []lifecycle.Verification
	w.list.value(finding)
	for {
		found, err := w.list.step()
		if err != nil {
			return err
		}
		if !found {
			break
		}
		s := w.list.stmt
		list = append(list, lifecycle.Verification{
			TS: s.ColumnText(0), Event: s.ColumnText(1), Passed: s.ColumnBool(2), Definition: s.ColumnText(3),
		})
	}
	if err := w.list.done(); err != nil || len(list) == 0 {
		return err
	}
	state, err := lifecycle.Fold(list, func(after, upTo string) (*lifecycle.Failure, error) { return w.failure(finding, after, upTo) })
	if err != nil {
		return err
	}
	s := w.save
	s.value(finding)
	s.value(state.Name)
	s.int(state.Passes)
	s.int(int64(len(list)))
	s.value(state.Definition)
	s.value(list[len(list)-1].TS)
	s.text(state.ClosedTS)
	s.text(state.ClosedEvent)
	s.bool(state.Regressed)
	s.text(state.RegressedBy)
	return s.exec()
}

// failure is the first one after a time and not after another.
func (w *lifecycles) failure(finding, after, upTo string) (*lifecycle.Failure, error) {
	q := w.first
	if upTo != "" {
		q = w.firstUpTo
	}
	q.value(finding)
	q.value(after)
	if upTo != "" {
		q.value(upTo)
	}
	found, err := q.step()
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, q.done()
	}
	f := &lifecycle.Failure{TS: q.stmt.ColumnText(0), Event: q.stmt.ColumnText(1)}
	return f, q.done()
}
