package projections_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// fill writes a journal of about n events in captures of 10,000, three in a
// hundred of them failures.
func fill(t testing.TB, h *home.Home, g *ids, n int) {
	t.Helper()
	const each = 10_000
	tools := []string{"read_file", "search", "write_file", "list_directory", "fetch"}
	for from := 0; from < n; from += each {
		c := &capture{id: g.uuid(4)}
		c.ev = g.capture(fmt.Sprint("session-", from/each%7), fmt.Sprint("server-", from/each%3)).ev
		c.ev.Capture, c.ev.Seq, c.ev.Prev = c.id, 0, journal.Prev{}
		c.ev.TS = epoch.Add(time.Duration(from) * time.Second)
		c.add(g, &journal.CaptureStart{Recorder: journal.RecorderShim, Version: label("1.0.0"), OS: label("linux"), Arch: label("amd64"), SaltID: saltID()})
		for i := range min(each, n-from) - 2 {
			outcome := journal.OutcomeOK
			if i%33 == 0 {
				outcome = journal.OutcomeError
			}
			k := call(tools[i%len(tools)], outcome)
			k.LatencyUS, k.ResponseBytes = int64(100+i*7919%100_000), int64(i*31%5000)
			k.Args = shape(`{"path":"str32","limit":"num:10","recursive":"bool:true"}`)
			// Time-ordered IDs, as the recorder makes them.
			c.ev.ID = g.uuid(7)
			ms := uint64(c.ev.TS.UnixMilli())
			for b := range 6 {
				c.ev.ID[b] = byte(ms >> (40 - 8*b))
			}
			c.ev.Seq++
			c.ev.TS = c.ev.TS.Add(time.Second)
			c.ev.Body = k
			c.line()
		}
		c.add(g, &journal.End{})
		put(t, h, journal.CapturePath(c.ev.TS, c.id), c.text)
	}
}

func BenchmarkRefreshFromScratch(b *testing.B) {
	h := newHome(b)
	const n = 50_000
	fill(b, h, &ids{}, n)
	for b.Loop() {
		if _, err := projections.Refresh(context.Background(), h, &projections.Options{Rebuild: true}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}

func BenchmarkRefreshNothingNew(b *testing.B) {
	h := newHome(b)
	fill(b, h, &ids{}, 50_000)
	refresh(b, h)
	for b.Loop() {
		if res := refresh(b, h); res.Changed {
			b.Fatal("something changed")
		}
	}
}

func BenchmarkRefreshThousandNew(b *testing.B) {
	h := newHome(b)
	g := &ids{}
	fill(b, h, g, 50_000)
	refresh(b, h)
	for b.Loop() {
		b.StopTimer()
		fill(b, h, g, 1000)
		b.StartTimer()
		refresh(b, h)
	}
}

// BenchmarkFindings is what a server's list_findings reads.
func BenchmarkFindings(b *testing.B) {
	h := newHome(b)
	fill(b, h, &ids{}, 50_000)
	refresh(b, h)
	for b.Loop() {
		if err := index.Read(context.Background(), h.IndexPath(), func(conn *sqlite.Conn) error {
			list, err := query.Findings(conn, query.FindingFilter{})
			if err == nil && len(list) == 0 {
				b.Fatal("no findings")
			}
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestIndexTable prints the index and findings rows of the performance table, each in a
// process of its own, beside what the sqlite3 program's .import takes for the
// same rows. It asserts nothing. MCPEVAL_BENCH is the number of events,
// MCPEVAL_BENCH_ROUNDS that of alternating rounds.
func TestIndexTable(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("MCPEVAL_BENCH"))
	if err != nil {
		t.Skip("set MCPEVAL_BENCH to a number of events, such as 1000000")
	}
	count, err := strconv.Atoi(os.Getenv("MCPEVAL_BENCH_ROUNDS"))
	if err != nil {
		count = 3
	}
	h := newHome(t)
	g := &ids{}
	fill(t, h, g, n)
	refresh(t, h)
	csv, schema := exportCalls(t, h)
	var scratch, imports, thousand, nothing, ratios, findings, lists []float64
	var rss int64
	promoted := 0
	for range count {
		for _, name := range []string{h.IndexPath(), h.LedgerPath()} {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		took, size := timed(t, childCmd(h, "index"))
		scratch, rss = append(scratch, took), max(rss, size)
		if csv != "" {
			took, _ = timed(t, importCmd(t, csv, schema))
			imports = append(imports, took)
			ratios = append(ratios, scratch[len(scratch)-1]/took)
		}
		took, _ = timed(t, childCmd(h, "index"))
		nothing = append(nothing, took)
		for range 3 {
			fill(t, h, g, 1000)
			took, _ = timed(t, childCmd(h, "index"))
			thousand = append(thousand, took)
		}
		took, _ = timed(t, childCmd(h, "index"))
		nothing = append(nothing, took)
		took, _ = timed(t, childCmd(h, "findings"))
		findings = append(findings, took)
		start := time.Now()
		promoted = len(findingsOf(t, h))
		lists = append(lists, time.Since(start).Seconds())
	}
	t.Logf("%d events, %d rounds, whole processes, medians (least-most):", n, count)
	t.Logf("  from scratch      %s s, %d MiB RSS", spread(scratch), rss>>20)
	t.Logf("  sqlite3 .import   %s s", spread(imports))
	t.Logf("  ratio             %s", spread(ratios))
	t.Logf("  1,000 new         %s s", spread(thousand))
	t.Logf("  nothing new       %s s", spread(nothing))
	t.Logf("  findings          %s s, %d of them", spread(findings), promoted)
	t.Logf("  list_findings     %s s, in a process that runs", spread(lists))
	for _, query := range []string{
		`SELECT count(*) FROM windows`,
		`SELECT * FROM windows WHERE failure_id = (SELECT max(call_id) FROM failures)`,
		`SELECT * FROM tool_health`,
		`SELECT server, tool, outcome, COUNT(*) FROM calls GROUP BY 1,2,3`,
	} {
		start := time.Now()
		rows := read(t, h, func(conn *sqlite.Conn) (n int64, err error) {
			err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { n = s.ColumnInt64(0); return nil }})
			return n, err
		})
		t.Logf("  %.3f s (%d)  %s", time.Since(start).Seconds(), rows, query)
	}
}

func spread(v []float64) string {
	if len(v) == 0 {
		return "not measured"
	}
	slices.Sort(v)
	return fmt.Sprintf("%.3f (%.3f-%.3f)", v[len(v)/2], v[0], v[len(v)-1])
}

// timed runs a command and gives its seconds and its largest resident size.
func timed(t testing.TB, cmd *exec.Cmd) (seconds float64, rss int64) {
	t.Helper()
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return time.Since(start).Seconds(), maxRSS(cmd.ProcessState)
}

// exportCalls writes the rows of calls as CSV; empty when there is no sqlite3.
func exportCalls(t testing.TB, h *home.Home) (csv, schema string) {
	t.Helper()
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		return "", ""
	}
	csv = filepath.Join(t.TempDir(), "calls.csv")
	f, err := os.Create(csv)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-csv", h.IndexPath(), "SELECT * FROM calls")
	cmd.Stdout = f
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	schemas := read(t, h, func(conn *sqlite.Conn) (list []string, err error) {
		err = sqlitex.Execute(conn, `SELECT sql FROM sqlite_schema WHERE tbl_name = 'calls' AND type IN ('table', 'index')`,
			&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { list = append(list, s.ColumnText(0)+";"); return nil }})
		return list, err
	})
	return csv, strings.Join(schemas, "\n")
}

func importCmd(t testing.TB, csv, schema string) *exec.Cmd {
	t.Helper()
	db := filepath.Join(t.TempDir(), "import.db")
	if out, err := exec.Command("sqlite3", db, schema).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("sqlite3", db)
	cmd.Stdin = bytes.NewReader([]byte(".mode csv\n.import " + csv + " calls\n"))
	return cmd
}
