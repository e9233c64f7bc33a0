package projections_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
)

// decoded is a line of a journal with what it says.
type decoded struct {
	path string
	line []byte
	ev   journal.Event
}

func decode(t testing.TB, files []file) (all []decoded) {
	t.Helper()
	d := journal.NewDecoder()
	for _, f := range files {
		kind := journal.KindOf(f.path)
		for _, l := range f.lines {
			v := decoded{path: f.path, line: l}
			if err := d.Decode(kind, bytes.TrimSuffix(l, []byte("\n")), &v.ev); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	return all
}

// cutStore writes the lines that keep says into a home of their own.
func cutStore(t testing.TB, all []decoded, keep func(decoded) bool) *home.Home {
	t.Helper()
	h := newHome(t)
	text := map[string][]byte{}
	for _, d := range all {
		if keep(d) {
			text[d.path] = append(text[d.path], d.line...)
		}
	}
	for path, b := range text {
		put(t, h, path, b)
	}
	return h
}

// digestAt is the digest of an index file outside of any home.
func digestAt(t testing.TB, path string) (digest string) {
	t.Helper()
	if err := index.Read(context.Background(), path, func(conn *sqlite.Conn) (err error) {
		digest, err = index.Digest(conn, index.Workers())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return digest
}

// A replay is the index of a store that ends there.
func TestReplayIsAnIndexOfACutStore(t *testing.T) {
	for seed := range uint64(rounds(6)) {
		r := rand.New(rand.NewPCG(seed, 3))
		files := randomJournal(r, 4, 30)
		all := decode(t, files)
		h := newHome(t)
		for _, f := range files {
			put(t, h, f.path, bytes.Join(f.lines, nil))
		}
		until := all[r.IntN(len(all))].ev.TS
		out := filepath.Join(t.TempDir(), "then.db")
		if _, err := projections.Replay(context.Background(), h, &projections.ReplayOptions{Out: out, Until: until}); err != nil {
			t.Fatal(err)
		}
		cut := cutStore(t, all, func(d decoded) bool { return !d.ev.TS.After(until) })
		if _, err := projections.Refresh(context.Background(), cut, &projections.Options{AsOf: until}); err != nil {
			t.Fatal(err)
		}
		if got, want := digestAt(t, out), digest(t, cut); got != want {
			t.Errorf("seed %d, until %s: digest %.12s, the index of the cut store has %.12s", seed, until, got, want)
		}
		if left, _ := filepath.Glob(filepath.Join(h.Dir, ".audit-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestReplayUntilAnEventAndOfCaptures(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	a, b := g.capture("s", "demo"), g.capture("t", "demo")
	// Both have events at the same times: visible order goes by capture then.
	var last uuid.UUID
	for i := range 6 {
		a.add(g, call("a", journal.OutcomeError))
		id := b.add(g, call("b", journal.OutcomeOK))
		if i == 3 {
			last = id
		}
	}
	a.write(t, h)
	b.write(t, h)
	refresh(t, h)
	before := digest(t, h)
	rows := func(o *projections.ReplayOptions) map[string]int64 {
		t.Helper()
		o.Out = filepath.Join(t.TempDir(), "then.db")
		if _, err := projections.Replay(context.Background(), h, o); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(o.Out); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		return countTools(t, o.Out)
	}
	inA, inB := int64(4), int64(4)
	if bytes.Compare(a.id[:], b.id[:]) > 0 {
		inA = 3
	}
	for _, tt := range []struct {
		name string
		o    projections.ReplayOptions
		a, b int64
	}{
		{"everything", projections.ReplayOptions{}, 6, 6},
		{"until an event", projections.ReplayOptions{UntilEvent: last}, inA, inB},
		{"until a time", projections.ReplayOptions{Until: epoch.Add(3 * time.Second)}, 2, 2},
		{"the earlier of both", projections.ReplayOptions{UntilEvent: last, Until: epoch.Add(3 * time.Second)}, 2, 2},
		{"before everything", projections.ReplayOptions{Until: epoch.Add(-time.Hour)}, 0, 0},
		{"one capture", projections.ReplayOptions{Captures: []uuid.UUID{b.id}}, 0, 6},
		{"one capture until an event", projections.ReplayOptions{Captures: []uuid.UUID{a.id}, UntilEvent: last}, inA, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rows(&tt.o); got["a"] != tt.a || got["b"] != tt.b {
				t.Errorf("%v, want a %d, b %d", got, tt.a, tt.b)
			}
		})
	}
	if got := digest(t, h); got != before {
		t.Errorf("the home's own index changed")
	}
	_, err := projections.Replay(context.Background(), h, &projections.ReplayOptions{Out: filepath.Join(t.TempDir(), "x.db"), UntilEvent: g.uuid(7)})
	if !errors.Is(err, projections.ErrEventUnknown) {
		t.Errorf("an unknown event: %v", err)
	}
	there := filepath.Join(t.TempDir(), "there.db")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := projections.Replay(context.Background(), h, &projections.ReplayOptions{Out: there}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if text, _ := os.ReadFile(there); string(text) != "mine" {
		t.Errorf("a file that is there became %q", text)
	}
}

// countTools counts the calls of an index file by tool.
func countTools(t testing.TB, path string) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	if err := index.Read(context.Background(), path, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT tool, count(*) FROM calls GROUP BY 1`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			counts[s.ColumnText(0)] = s.ColumnInt64(1)
			return nil
		}})
	}); err != nil {
		t.Fatal(err)
	}
	return counts
}
