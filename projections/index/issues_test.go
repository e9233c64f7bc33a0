package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/projections/index"
)

// rowsOf gives a query's rows as lines.
func rowsOf(t testing.TB, path, query string) (list []string) {
	t.Helper()
	check(t, index.Read(context.Background(), path, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			var cells []string
			for i := range s.ColumnCount() {
				cells = append(cells, s.ColumnText(i))
			}
			list = append(list, strings.Join(cells, " "))
			return nil
		}})
	}))
	slices.Sort(list)
	return list
}

// slicedIndex writes records in a random order and random slices.
func slicedIndex(t testing.TB, r *rand.Rand, records []index.Record) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "index.db")
	r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for first := true; first || len(records) > 0; first = false {
		w := begin(t, path, first)
		for i := int64(1); first && i <= 3; i++ {
			check(t, w.SaveSource(&index.Source{ID: i, Path: fmt.Sprintf("%d.jsonl", 9-i)}))
		}
		for len(records) > 0 && r.IntN(4) > 0 {
			n := 1 + r.IntN(len(records))
			check(t, w.Apply(&index.Batch{Records: append([]index.Record(nil), records[:n]...)}))
			records = records[n:]
		}
		_, err := w.Finish("ledger", 1, nil, index.Promotion{})
		check(t, err)
		check(t, w.Commit())
		check(t, w.Close())
	}
	return path
}

// The counters of issues, kept by deltas, are what the views over calls and
// annotations say, which keep nothing.
func TestIssuesAreWhatTheViewsSay(t *testing.T) {
	const template = `CASE WHEN c.outcome = 'error' THEN coalesce(c.err_template_id, '')
		WHEN c.outcome IN ('unanswered', 'cancelled') THEN 'unanswered' ELSE 'annotated' END`
	failed := func(columns string) string {
		return `SELECT ` + columns + ` FROM failures x JOIN calls c ON c.id = x.call_id`
	}
	kept := func(columns string) string {
		return `SELECT ` + columns + ` FROM issue_failures f JOIN issues i ON i.id = f.issue_id JOIN calls c ON c.id = f.call_id WHERE f.run = 0`
	}
	noise := `(SELECT c.grp, min(c.seq) AS seq FROM calls c JOIN captures p ON p.id = c.grp
		WHERE c.method = 'unparsed/inbound' AND c.kind = 'real' AND p.recorder = 'shim' AND p.kind = 'real' GROUP BY c.grp)`
	for seed := range uint64(shuffles() / 3) {
		r := rand.New(rand.NewPCG(seed, 8))
		path := slicedIndex(t, r, randomRecords(r, 40+r.IntN(120)))
		for _, same := range []struct{ name, got, want string }{
			{
				"failures", kept(`c.id, i.server, i.tool, i.template_id`),
				failed(`c.id, coalesce(c.server, ''), coalesce(c.tool, ''), ` + template),
			},
			{
				"neighbours", kept(`c.id, f.near`),
				failed(`c.id, (SELECT count(*) FROM windows w WHERE w.failure_id = c.id)`),
			},
			{
				"tools of windows", kept(`c.id, CASE f.tools WHEN '' THEN 0 ELSE 1 + length(f.tools) - length(replace(f.tools, char(10), '')) END`),
				failed(`c.id, (SELECT count(DISTINCT tool) FROM (SELECT c.tool UNION ALL
					SELECT n.tool FROM windows w JOIN calls n ON n.id = w.neighbour_id WHERE w.failure_id = c.id))`),
			},
			{
				"recovered", kept(`c.id, f.recovered`),
				failed(`c.id, EXISTS (SELECT 1 FROM windows w JOIN calls n ON n.id = w.neighbour_id
					WHERE w.failure_id = c.id AND w.offset > 0 AND n.tool IS c.tool AND n.outcome = 'ok')`),
			},
			{
				"remarks", kept(`c.id, f.marks`),
				failed(`c.id, (SELECT coalesce(sum(DISTINCT 1 << CASE a.kind WHEN 'blocked-optimal-path' THEN 1 WHEN 'undocumented-behavior' THEN 2
					WHEN 'false-success' THEN 3 WHEN 'instruction-divergence' THEN 4 WHEN 'workaround' THEN 5 END), 0)
					FROM annotated n JOIN annotations a ON a.id = n.annotation_id WHERE n.call_id = c.id)`),
			},
			{"runs with noise", `SELECT grp, seq FROM issue_failures WHERE run = 1`, `SELECT grp, seq FROM ` + noise},
			{
				"runs over stdio", `SELECT server, runs FROM stdio_servers`,
				`SELECT server, count(*) FROM captures WHERE recorder = 'shim' AND kind = 'real' GROUP BY 1`,
			},
			{"totals", `SELECT id, failures FROM issues`, `SELECT issue_id, count(*) FROM issue_failures GROUP BY 1`},
			{
				"sessions", `SELECT id, sessions FROM issues`,
				`SELECT f.issue_id, count(DISTINCT c.session) FROM issue_failures f JOIN calls c ON c.id = f.call_id GROUP BY 1`,
			},
			{"first and last", `SELECT id, first_seen, last_seen FROM issues`, `SELECT issue_id, min(ts), max(ts) FROM issue_failures GROUP BY 1`},
			{
				"retryable", `SELECT id, retryable FROM issues`,
				`SELECT f.issue_id, CASE WHEN count(*) = sum(c.err_retryable IS 1) THEN 1 WHEN count(*) = sum(c.err_retryable IS 0) THEN 0 END
					FROM issue_failures f JOIN calls c ON c.id = f.call_id GROUP BY 1`,
			},
			{
				"codes", `SELECT id, codes_n FROM issues WHERE template_id NOT IN ('unanswered', 'annotated', 'stdout-noise')`,
				`SELECT f.issue_id, count(DISTINCT c.err_code) FROM issue_failures f JOIN calls c ON c.id = f.call_id
					JOIN issues i ON i.id = f.issue_id WHERE i.template_id NOT IN ('unanswered', 'annotated', 'stdout-noise') GROUP BY 1`,
			},
			{
				"cost", `SELECT id, cost FROM issues`,
				`SELECT issue_id, avg(near) + 1 FROM (SELECT issue_id, near, row_number() OVER (PARTITION BY issue_id ORDER BY near) AS place,
					count(*) OVER (PARTITION BY issue_id) AS n FROM issue_failures) WHERE place IN ((n + 1) / 2, (n + 2) / 2) GROUP BY 1`,
			},
			{
				"repro", `SELECT id, repro FROM issues`,
				`SELECT issue_id, args FROM (SELECT f.issue_id, c.args, row_number() OVER (PARTITION BY f.issue_id
					ORDER BY c.ts, c.capture_id, CASE WHEN c.event_id IS NULL THEN NULL ELSE c.seq END, s.path, c.offset) AS place
					FROM issue_failures f JOIN calls c ON c.id = f.call_id JOIN sources s ON s.id = c.source) WHERE place = 1`,
			},
			{"nothing is left of what is gone", `SELECT issue_id, kind, value FROM issue_counts WHERE n <= 0 UNION ALL
				SELECT issue_id, session, n FROM issue_sessions WHERE n <= 0 UNION ALL
				SELECT issue_id, kind, value FROM issue_counts WHERE issue_id NOT IN (SELECT id FROM issues)`, `SELECT 1 WHERE 0`},
		} {
			if d := cmp.Diff(rowsOf(t, path, same.want), rowsOf(t, path, same.got)); d != "" {
				t.Errorf("seed %d: %s (want -, got +): %s", seed, same.name, d)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestFindingID(t *testing.T) {
	seen := map[string]string{}
	for _, parts := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", ""}, {"", "ab", "c"}, {"a", "b", ""}} {
		id := index.FindingID(parts[0], parts[1], parts[2])
		if other, ok := seen[id]; ok || len(id) != 24 {
			t.Errorf("%v: %s, as %s", parts, id, other)
		}
		seen[id] = fmt.Sprint(parts)
	}
}
