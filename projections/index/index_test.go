package index_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections/index"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shuffles is how many random histories the suite tries, and a soak.
func shuffles() int {
	if n, err := strconv.Atoi(os.Getenv("MCPEVAL_SOAK")); err == nil {
		return max(n, 200)
	}
	return 15
}

// The shuffle property: the same events in any slices and any order give each
// worker the same digest.
func TestShuffleGivesOneDigest(t *testing.T) {
	for seed := range shuffles() {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		records := randomRecords(r, 20+r.IntN(120))
		want := workerDigests(t, records, nil)
		for range 2 {
			shuffled := append([]index.Record(nil), records...)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if d := cmp.Diff(want, workerDigests(t, shuffled, r)); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
		}
	}
}

// workerDigests applies records in random slices, some in cycles of their own,
// and gives the digest of each worker.
func workerDigests(t testing.TB, records []index.Record, r *rand.Rand) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	for first := true; first || len(records) > 0; first = false {
		w := begin(t, path, first)
		for i := int64(1); first && i <= 3; i++ {
			check(t, w.SaveSource(&index.Source{ID: i, Path: fmt.Sprintf("%d.jsonl", 9-i)}))
		}
		for len(records) > 0 {
			n := len(records)
			if r != nil {
				n = 1 + r.IntN(n)
			}
			check(t, w.Apply(&index.Batch{Records: append([]index.Record(nil), records[:n]...)}))
			records = records[n:]
			if r != nil && r.IntN(3) == 0 {
				break
			}
		}
		_, err := w.Finish("ledger", 1, nil, index.Promotion{})
		check(t, err)
		check(t, w.Commit())
		check(t, w.Close())
	}
	digests := map[string]string{}
	check(t, index.Read(context.Background(), path, func(conn *sqlite.Conn) error {
		for _, w := range index.Workers() {
			d, err := index.Digest(conn, []index.Worker{w})
			if err != nil {
				return err
			}
			digests[w.Name()] = d
		}
		return nil
	}))
	return digests
}

func begin(t testing.TB, path string, full bool) *index.Writer {
	t.Helper()
	w, err := index.OpenWriter(path, index.Workers())
	check(t, err)
	check(t, w.Begin(full))
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// randomRecords makes events of three captures and two legacy pairs.
func randomRecords(r *rand.Rand, n int) []index.Record {
	captures := make([]uuid.UUID, 3)
	for i := range captures {
		captures[i] = newID(r)
	}
	var pendings [3][]uuid.UUID
	var seqs [3]int64
	var all []uuid.UUID
	var records []index.Record
	for i := range n {
		c := r.IntN(3)
		first := seqs[c] == 0
		rec := index.Record{Place: index.Place{Source: int64(1 + r.IntN(3)), Line: int64(i), Offset: int64(i * 100)}, Bytes: int64(100 + r.IntN(50))}
		rec.Kind = journal.Kind(1 + r.IntN(2)*r.IntN(2))
		rec.TS = time0.Add(time.Duration(r.IntN(50)) * time.Second)
		rec.Time = index.FormatTime(rec.TS)
		rec.Digest = journal.LineDigest([]byte(fmt.Sprint(i)))
		if r.IntN(5) == 0 {
			rec.Legacy, rec.Seq = true, int64(r.IntN(20))
			rec.Session, rec.Server = sanitize.SessionOf(fmt.Sprint("old", r.IntN(2))), label("old")
			rec.Body = legacyBody(r, &rec)
			records = append(records, rec)
			continue
		}
		seqs[c]++
		rec.ID, rec.Capture, rec.Seq = newID(r), captures[c], seqs[c]
		rec.Session, rec.Server = sanitize.SessionOf(fmt.Sprint(c%2)), label(fmt.Sprint("server", c))
		rec.Body = body(r, &pendings[c], all)
		if first {
			rec.Body = &journal.CaptureStart{Recorder: journal.RecorderKind(1 + c%2), SaltID: sanitize.SaltID{}}
		}
		if rec.Body.Type() == journal.TypePending {
			pendings[c] = append(pendings[c], rec.ID)
		}
		all = append(all, rec.ID)
		records = append(records, rec)
	}
	return records
}

func legacyBody(r *rand.Rand, rec *index.Record) journal.Body {
	if r.IntN(4) == 0 {
		rec.Server = sanitize.Label{}
		return &journal.Annotation{LegacySess: rec.Session, LegacySeq: rec.Seq, Label: journal.AnnotationKind(1 + r.IntN(5))}
	}
	return &journal.Call{
		Origin: journal.FromClient, Method: sanitize.MethodOf([]byte("tools/call")), Tool: sanitize.ToolOf([]byte("t"), true),
		LatencyUS: 1000 * r.Int64N(100), RequestBytes: -1, ResponseBytes: -1, Outcome: journal.Outcome(1 + r.IntN(6)),
	}
}

func body(r *rand.Rand, pendings *[]uuid.UUID, all []uuid.UUID) journal.Body {
	tool := sanitize.ToolOf([]byte(fmt.Sprint("tool", r.IntN(3))), true)
	method := sanitize.MethodOf([]byte([]string{"tools/call", "tools/call", "tools/list"}[r.IntN(3)]))
	traffic := journal.Traffic{Frames: r.Int64N(9), Bytes: r.Int64N(99)}
	switch r.IntN(16) {
	case 0, 1, 2:
		return &journal.Pending{Origin: journal.Origin(1 + r.IntN(2)), Method: method, Tool: tool, RequestBytes: r.Int64N(100)}
	case 3:
		return &journal.Notification{Origin: journal.FromServer, Method: method}
	case 4:
		return &journal.Unparsed{Direction: journal.Direction(1 + r.IntN(2))}
	case 5:
		return &journal.Gap{Outbound: traffic, Inbound: traffic}
	case 6:
		return &journal.Handshake{Protocol: sanitize.RevisionOf([]byte("2025-06-18")), Lifecycle: journal.Stateful, ClientCapsOthers: r.Int64N(9)}
	case 7:
		return &journal.End{Events: r.Int64N(9), Outbound: traffic, ExitCode: r.Int64N(3) - 1, Killed: r.IntN(2) == 0}
	case 8:
		a := &journal.Annotation{Target: newID(r), Label: journal.AnnotationKind(1 + r.IntN(5))}
		if len(all) > 0 {
			a.Target = all[r.IntN(len(all))]
		}
		return a
	case 9:
		v := &journal.Verification{Case: label("case"), Passed: r.IntN(3) > 0}
		id := index.FindingID(fmt.Sprint("server", r.IntN(3)), fmt.Sprint("tool", r.IntN(3)), "unanswered")
		v.Finding, _ = sanitize.ParseFindingID([]byte(id))
		v.Definition, _ = sanitize.ParseDigest([]byte(fmt.Sprintf("%032d", r.IntN(5)/4)))
		return v
	case 10:
		standard, _ := sanitize.ParseStandard([]byte("mcpeval-standard/3"))
		return &journal.Readiness{Standard: standard, Total: r.Int64N(10001), Coverage: r.Int64N(10002) - 1}
	}
	c := &journal.Call{
		Origin: journal.Origin(1 + r.IntN(3)/2), Method: method, Tool: tool, Outcome: journal.Outcome(1 + r.IntN(6)),
		LatencyUS: r.Int64N(1_000_000), RequestBytes: r.Int64N(1000), ResponseBytes: r.Int64N(100_000) - 1, ShimSelfUS: 3,
	}
	if p := *pendings; len(p) > 0 && r.IntN(2) == 0 {
		c.Pending = p[r.IntN(len(p))]
	}
	if method.String() == index.MethodToolCall {
		c.Args, _ = sanitize.ParseShape([]byte(fmt.Sprintf(`{"n":"num:%d"}`, r.IntN(10))))
	}
	if c.Outcome == journal.OutcomeError && r.IntN(4) > 0 {
		c.Error = &journal.CallError{Retryable: journal.Tri(r.IntN(3))}
		c.Error.TemplateID, _ = sanitize.ParseTemplateID([]byte(fmt.Sprintf("%016d", r.IntN(2))))
		if r.IntN(3) > 0 {
			c.Error.Code, _ = sanitize.ParseCode([]byte(fmt.Sprintf(`"E%d"`, r.IntN(2))))
		}
	}
	return c
}

// Every worker's tables are dropped and made again, and each column of captures
// has its field.
func TestBeginFullKeepsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	w := begin(t, path, true)
	check(t, sqlitex.ExecuteScript(w.Conn(), `CREATE TABLE stray(x); CREATE VIEW stray_view AS SELECT 1; CREATE INDEX stray_index ON stray(x)`, nil))
	_, err := w.Finish("a", 1, nil, index.Promotion{})
	check(t, err)
	check(t, w.Commit())
	check(t, w.Close())
	w = begin(t, path, true)
	var left []string
	check(t, sqlitex.Execute(w.Conn(), `SELECT name FROM sqlite_schema WHERE name LIKE 'stray%'`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { left = append(left, s.ColumnText(0)); return nil },
	}))
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	check(t, w.Close())
}

// Asking for one window does not walk through the calls.
func TestWindowsUseTheirIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	w := begin(t, path, true)
	defer w.Close()
	for _, query := range []string{
		`SELECT * FROM windows WHERE failure_id = 7`,
		`SELECT * FROM windows`,
	} {
		var plan []string
		check(t, sqlitex.Execute(w.Conn(), `EXPLAIN QUERY PLAN `+query, &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { plan = append(plan, s.ColumnText(3)); return nil },
		}))
		for _, step := range plan {
			if (strings.HasPrefix(step, "SCAN calls") || strings.HasPrefix(step, "SCAN c ") || strings.HasPrefix(step, "SCAN n")) && !strings.Contains(step, "calls_failure") {
				t.Errorf("%s: %s\n%s", query, step, strings.Join(plan, "\n"))
			}
		}
	}
}

func TestBuckets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64).Draw(rt, "v")
		b := index.Bucket(v)
		mid := index.BucketValue(b)
		if index.Bucket(mid) != b || b < 0 || b > 4096 {
			rt.Fatalf("%d: bucket %d, whose middle %d is in bucket %d", v, b, mid, index.Bucket(mid))
		}
		if diff := math.Abs(float64(v - mid)); diff > float64(v)*0.015 {
			rt.Fatalf("%d: middle %d", v, mid)
		}
		if v < math.MaxInt64 && index.Bucket(v+1) < b {
			rt.Fatalf("%d: buckets fall", v)
		}
	})
}

func TestIntervals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		set := map[int64]bool{}
		var s index.Intervals
		for _, n := range rapid.SliceOf(rapid.Int64Range(0, 40)).Draw(rt, "numbers") {
			if s.Add(n) == set[n] {
				rt.Fatalf("Add(%d) of %s", n, s)
			}
			set[n] = true
		}
		lo := rapid.Int64Range(0, 40).Draw(rt, "lo")
		hi := lo + rapid.Int64Range(-1, 10).Draw(rt, "length")
		s.AddRange(lo, hi)
		for n := lo; n <= hi; n++ {
			set[n] = true
		}
		for n := int64(-1); n < 60; n++ {
			if s.Has(n) != set[n] {
				rt.Fatalf("Has(%d) of %s is %v", n, s, s.Has(n))
			}
		}
		for i := 1; i < len(s); i++ {
			if s[i].Lo <= s[i-1].Hi+1 {
				rt.Fatalf("not merged: %s", s)
			}
		}
		back, err := index.ParseIntervals(s.String())
		if err != nil || back.String() != s.String() || s.Count() != int64(len(set)) {
			rt.Fatalf("%s: %v, %v", s, back, err)
		}
	})
	for _, bad := range []string{"x", "1-", "-1", "2-1", "1,1", "1-2,3", "3,1", ",", "1,"} {
		if s, err := index.ParseIntervals(bad); err == nil {
			t.Errorf("ParseIntervals(%q) = %v", bad, s)
		}
	}
}

func TestReadNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	nothing := func(*sqlite.Conn) error { return nil }
	if err := index.Read(context.Background(), path, nothing); err != index.ErrNone {
		t.Errorf("no file: %v", err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("reading made %v", left)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := index.Read(context.Background(), path, nothing); !errors.Is(err, index.ErrSpecial) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := index.OpenWriter(path, index.Workers()); !errors.Is(err, index.ErrSpecial) {
		t.Errorf("a folder to write to: %v", err)
	}
}
