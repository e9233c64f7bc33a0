package index

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/promotion"
)

// count adds what a failure contributes, or takes it back.
func (w *issues) count(f *failure, session string, sign int64) {
	add := func(kind countKind, value string) { w.counts[countKey{f.issue, kind, value}] += sign }
	w.totals[f.issue] += sign
	w.touched[f.issue] = true
	add(countSession, session)
	if f.code != "" {
		add(countCode, f.code)
	}
	for tool := range strings.SplitSeq(f.tools, "\n") {
		if tool != "" {
			add(countTool, tool)
		}
	}
	add(countNear, strconv.FormatInt(f.near, 10))
	add(countRetryable, [...]string{"absent", "false", "true"}[f.retryable])
	if f.recovered {
		add(countRecovered, "")
	}
	for k := journal.BlockedOptimalPath; k <= journal.Workaround; k++ {
		if f.marks&mark(k) != 0 {
			add(countAnnotated, k.String())
		}
	}
}

// flush writes the counters kept since the last time.
func (w *issues) flush() error {
	for k, n := range w.counts {
		if n == 0 {
			continue
		}
		put, remove := w.q.putCount, w.q.removeCount
		if k.kind == countSession {
			put, remove = w.q.putSession, w.q.removeSession
		}
		bind := func(s *statement) {
			s.int(k.issue)
			if k.kind != countSession {
				s.value(string(k.kind))
			}
			s.value(k.value)
		}
		bind(put)
		put.int(n)
		if _, err := put.step(); err != nil {
			return err
		}
		now := put.stmt.ColumnInt64(0)
		if err := put.done(); err != nil {
			return err
		}
		if now == 0 {
			bind(remove)
			if err := remove.exec(); err != nil {
				return err
			}
		}
		if k.kind == countSession && (now == 0 || now == n) {
			w.q.addSessions.int(int64(map[bool]int{true: -1, false: 1}[now == 0]))
			w.q.addSessions.int(k.issue)
			if err := w.q.addSessions.exec(); err != nil {
				return err
			}
		}
	}
	for id, n := range w.totals {
		w.q.addFailures.int(n)
		w.q.addFailures.int(id)
		if err := w.q.addFailures.exec(); err != nil {
			return err
		}
	}
	w.resetCounts()
	return nil
}

// summarize writes what the touched issues amount to; one without failures
// goes.
func (w *issues) summarize() error {
	for id := range w.touched {
		q := w.q.failuresOf
		q.int(id)
		if _, err := q.step(); err != nil {
			return err
		}
		left := q.stmt.ColumnInt64(0)
		w.changed = append(w.changed, q.stmt.ColumnText(1))
		if err := q.done(); err != nil {
			return err
		}
		if left == 0 {
			w.q.removeIssue.int(id)
			if err := w.q.removeIssue.exec(); err != nil {
				return err
			}
			continue
		}
		if err := w.summarizeIssue(id); err != nil {
			return err
		}
	}
	return nil
}

func (w *issues) summarizeIssue(id int64) error {
	sum, err := w.sum(id)
	if err != nil {
		return err
	}
	firstTS, lastTS, err := w.bounds(id)
	if err != nil {
		return err
	}
	w.q.repro.int(id)
	w.q.repro.value(firstTS)
	if _, err := w.q.repro.step(); err != nil {
		return err
	}
	repro := w.q.repro.stmt.ColumnText(0)
	if err := w.q.repro.done(); err != nil {
		return err
	}
	codes, err := json.Marshal(sum.codes)
	if err != nil {
		return err
	}
	s := w.q.saveIssue
	s.value(firstTS)
	s.value(lastTS)
	s.value(string(codes))
	s.int(int64(len(sum.codes)))
	s.text(sum.code)
	switch {
	case sum.retryable["false"] == 0 && sum.retryable["absent"] == 0:
		s.bool(true)
	case sum.retryable["true"] == 0 && sum.retryable["absent"] == 0:
		s.bool(false)
	default:
		s.null()
	}
	s.int(sum.recovered)
	s.int(sum.marks[journal.FalseSuccess.String()])
	s.int(sum.marks[journal.BlockedOptimalPath.String()])
	s.float(sum.near.Cost())
	s.int(max(sum.tools, 1))
	s.text(repro)
	s.int(id)
	return s.exec()
}

// bounds are the times of the first and the last failure.
func (w *issues) bounds(id int64) (first, last string, err error) {
	for q, to := range map[*statement]*string{w.q.firstTS: &first, w.q.lastTS: &last} {
		q.int(id)
		if _, err := q.step(); err != nil {
			return "", "", err
		}
		*to = q.stmt.ColumnText(0)
		if err := q.done(); err != nil {
			return "", "", err
		}
	}
	return first, last, nil
}

// sum is what the counters of one issue say.
type sum struct {
	codes     []string
	code      string
	tools     int64
	near      promotion.Neighbourhoods
	retryable map[string]int64
	recovered int64
	marks     map[string]int64
}

func (w *issues) sum(id int64) (*sum, error) {
	v := &sum{codes: []string{}, retryable: map[string]int64{}, marks: map[string]int64{}}
	most := int64(0)
	q := w.q.countsOf
	q.int(id)
	for {
		found, err := q.step()
		if err != nil {
			return nil, err
		}
		if !found {
			slices.Sort(v.codes)
			return v, q.done()
		}
		value, n := q.stmt.ColumnText(1), q.stmt.ColumnInt64(2)
		switch countKind(q.stmt.ColumnText(0)) {
		case countCode:
			v.codes = append(v.codes, value)
			if n > most || n == most && value < v.code {
				v.code, most = value, n
			}
		case countTool:
			v.tools++
		case countNear:
			i, err := strconv.Atoi(value)
			if err != nil || i >= len(v.near) {
				return nil, ErrUnreadable
			}
			v.near[i] = n
		case countRetryable:
			v.retryable[value] = n
		case countRecovered:
			v.recovered = n
		case countAnnotated:
			v.marks[value] = n
		}
	}
}

// issueStatements are the prepared statements of the worker.
type issueStatements struct {
	findIssue, addIssue, saveIssue, removeIssue               *statement
	before, between, after, repeated                          *statement
	failures, putFailure, removeFailure, runFailure, callByID *statement
	callAt, pairsAt, rowsAt                                   *statement
	findRun, putRun, addRun                                   *statement
	putCount, removeCount, putSession, removeSession          *statement
	addSessions, addFailures, failuresOf, countsOf            *statement
	firstTS, lastTS, repro                                    *statement
}

func (q *issueStatements) prepare(conn *sqlite.Conn) (err error) {
	const row = `SELECT id, seq, event_id, ts, tool, outcome, err_code, err_template_id, err_retryable, pending_id FROM calls WHERE real_call AND grp = ? AND seq `
	const failed = `SELECT seq, call_id, event_id, issue_id, ts, code, retryable, near, tools, recovered, marks, run FROM issue_failures WHERE grp = ? AND `
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&q.findIssue, `SELECT id FROM issues WHERE finding_id = ?`},
		{&q.addIssue, `INSERT INTO issues(finding_id, server, tool, template_id) VALUES (?,?,?,?)`},
		{&q.saveIssue, `UPDATE issues SET first_seen = ?, last_seen = ?, codes = ?, codes_n = ?, code = ?, retryable = ?, recovered = ?,
			false_success = ?, blocked_path = ?, cost = ?, blast = ?, repro = ? WHERE id = ?`},
		{&q.removeIssue, `DELETE FROM issues WHERE id = ?`},
		{&q.before, row + `< ? ORDER BY seq DESC LIMIT ` + strconv.Itoa(around)},
		{&q.between, row + `BETWEEN ? AND ? ORDER BY seq`},
		{&q.after, row + `> ? ORDER BY seq LIMIT ` + strconv.Itoa(around)},
		{&q.repeated, `SELECT 1 FROM legacy_repeats WHERE grp = ?`},
		{&q.failures, failed + `seq BETWEEN ? AND ? AND run = 0`},
		{&q.runFailure, failed + `seq = ? AND run = 1`},
		{&q.putFailure, `INSERT OR REPLACE INTO issue_failures(grp, seq, call_id, event_id, issue_id, ts, code, retryable, near, tools,
			recovered, marks, run) VALUES (?,?,?,?,?,?,?,?,?,?, ?,?,?)`},
		{&q.removeFailure, `DELETE FROM issue_failures WHERE grp = ? AND seq = ? AND call_id = ?`},
		{&q.callByID, `SELECT event_id, ts FROM calls WHERE id = ?`},
		{&q.callAt, `SELECT grp, seq, session, server FROM calls WHERE event_id = ?1 AND real_call
			UNION ALL SELECT grp, seq, session, server FROM calls WHERE pending_id = ?1 AND real_call`},
		{&q.pairsAt, `SELECT c.grp, g.server FROM groups g CROSS JOIN calls c ON c.grp = g.id AND c.event_id IS NULL
			WHERE g.capture_id IS NULL AND g.session = ? AND c.seq = ?`},
		{&q.rowsAt, `SELECT count(*) FROM groups g CROSS JOIN calls c ON c.grp = g.id AND c.event_id IS NULL
			WHERE g.capture_id IS NULL AND g.session = ? AND c.seq = ?`},
		{&q.findRun, `SELECT stdio, noise_seq, noise_call FROM stdio_runs WHERE grp = ?`},
		{&q.putRun, `INSERT OR REPLACE INTO stdio_runs(grp, stdio, noise_seq, noise_call) VALUES (?,?,?,?)`},
		{&q.addRun, `INSERT INTO stdio_servers(server, runs) VALUES (?, 1) ON CONFLICT DO UPDATE SET runs = runs + 1`},
		{&q.putCount, `INSERT INTO issue_counts(issue_id, kind, value, n) VALUES (?,?,?,?)
			ON CONFLICT DO UPDATE SET n = n + excluded.n RETURNING n`},
		{&q.removeCount, `DELETE FROM issue_counts WHERE issue_id = ? AND kind = ? AND value = ?`},
		{&q.putSession, `INSERT INTO issue_sessions(issue_id, session, n) VALUES (?,?,?)
			ON CONFLICT DO UPDATE SET n = n + excluded.n RETURNING n`},
		{&q.removeSession, `DELETE FROM issue_sessions WHERE issue_id = ? AND session = ?`},
		{&q.addSessions, `UPDATE issues SET sessions = sessions + ? WHERE id = ?`},
		{&q.addFailures, `UPDATE issues SET failures = failures + ? WHERE id = ?`},
		{&q.failuresOf, `SELECT failures, finding_id FROM issues WHERE id = ?`},
		{&q.countsOf, `SELECT kind, value, n FROM issue_counts WHERE issue_id = ?`},
		{&q.firstTS, `SELECT ts FROM issue_failures WHERE issue_id = ? ORDER BY ts LIMIT 1`},
		{&q.lastTS, `SELECT ts FROM issue_failures WHERE issue_id = ? ORDER BY ts DESC LIMIT 1`},
		{&q.repro, `SELECT c.args FROM issue_failures f CROSS JOIN calls c ON c.id = f.call_id LEFT JOIN sources s ON s.id = c.source
			WHERE f.issue_id = ? AND f.ts = ? ORDER BY c.capture_id, c.seq, s.path, c.offset LIMIT 1`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}
