package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/projections/ledger"
)

var since = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func create(t testing.TB) (*ledger.Ledger, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.Create(path, uuid.Max, 7, since)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, path
}

func TestReopen(t *testing.T) {
	l, path := create(t)
	id := uuid.New()
	entry := ledger.Entry{Run: 7, Digest: [32]byte{1, 2}, Place: ledger.Place{Source: 3, Line: 4, Offset: 500}}
	moved := entry
	moved.MoveRun, moved.MovedTo = 9, ledger.Place{Source: 1, Line: 2, Offset: 0}
	other := uuid.New()
	err := l.Stage(func(e *ledger.Events) error {
		if _, found := e.Get(id); found {
			t.Error("found before it was put")
		}
		return errors.Join(e.Put(id, &entry), e.Put(other, &moved))
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uuid.UUID]ledger.Witness{
		id:    {Seq: 12, Digest: [32]byte{9}, Ended: true},
		other: {Seq: 1 << 40, Removed: ledger.Pruned},
	}
	if err := errors.Join(l.SetWitnesses(seen), l.Reserve(8), l.Seal(), l.Close()); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*ledger.Ledger, error){ledger.Open, ledger.OpenReadOnly} {
		l, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		if l.ID() != uuid.Max || l.LastRun() != 8 || !l.Since().Equal(since) {
			t.Errorf("meta: %v %d %v", l.ID(), l.LastRun(), l.Since())
		}
		got := map[uuid.UUID]ledger.Entry{}
		if err := l.Each(func(id uuid.UUID, e ledger.Entry) error { got[id] = e; return nil }); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(map[uuid.UUID]ledger.Entry{id: entry, other: moved}, got); d != "" {
			t.Error(d)
		}
		witnesses, err := l.Witnesses()
		if d := cmp.Diff(seen, witnesses); d != "" || err != nil {
			t.Error(d, err)
		}
		w, found, err := l.FindWitness(other)
		if !found || err != nil || w != seen[other] {
			t.Errorf("%+v %v %v", w, found, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A move by a run that was never committed moves nothing.
func TestAt(t *testing.T) {
	e := ledger.Entry{Run: 1, Place: ledger.Place{Source: 5}, MoveRun: 2, MovedTo: ledger.Place{Source: 4}}
	for _, tt := range []struct {
		live int64
		want int64
	}{{2, 4}, {1, 5}} {
		if got := e.At(func(run int64) bool { return run <= tt.live }); got.Source != tt.want {
			t.Errorf("runs up to %d: source %d, want %d", tt.live, got.Source, tt.want)
		}
	}
}

// A damaged file is ErrUnreadable, never a panic or a fault: any byte, any cut.
func TestDamage(t *testing.T) {
	l, path := create(t)
	err := l.Stage(func(e *ledger.Events) error {
		for i := range 2000 {
			id := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i))
			if err := e.Put(id, &ledger.Entry{Run: 7, Place: ledger.Place{Source: 1, Line: int64(i)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, l.Seal(), l.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		b := append([]byte(nil), whole[:rapid.IntRange(0, len(whole)).Draw(rt, "cut")]...)
		for range rapid.IntRange(0, 20).Draw(rt, "changes") {
			if len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(rt, "at")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "by"))
			}
		}
		n++
		name := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			rt.Fatal(err)
		}
		l, err := ledger.Open(name)
		if err != nil {
			if !errors.Is(err, ledger.ErrUnreadable) {
				rt.Fatal(err)
			}
			return
		}
		_ = l.Each(func(uuid.UUID, ledger.Entry) error { return nil })
		_, _ = l.Witnesses()
		_ = l.Stage(func(e *ledger.Events) error { return e.Put(uuid.Max, &ledger.Entry{}) })
		_ = l.Close()
	})
}

// A list of free pages that cannot be loaded refuses changes, keeps nothing open
// and can still be read around.
func TestDamagedFreeList(t *testing.T) {
	const flags, freeList = 8, 0x10
	l, path := create(t)
	seen := map[uuid.UUID]ledger.Witness{uuid.Max: {Seq: 3}}
	if err := errors.Join(l.SetWitnesses(seen), l.Reserve(8), l.Seal(), l.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for at := 0; at < len(b); at += os.Getpagesize() {
		if b[at+flags] == freeList {
			b[at+flags] = 0
			lists++
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil || lists == 0 {
		t.Fatalf("%d lists, %v", lists, err)
	}
	if _, err := ledger.Open(path); !errors.Is(err, ledger.ErrUnreadable) {
		t.Errorf("got %v", err)
	}
	l, err = ledger.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Witnesses()
	if err := errors.Join(err, l.Close()); err != nil || !cmp.Equal(seen, got) {
		t.Errorf("witnesses: %s, %v", cmp.Diff(seen, got), err)
	}
	if err := os.WriteFile(path+".tmp", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Errorf("replace the file: %v", err)
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := ledger.Open(path); !errors.Is(err, ledger.ErrUnreadable) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening made a file")
	}
}

// BenchmarkStage is the reason for batches: a million keys in one transaction
// take minutes.
func BenchmarkStage(b *testing.B) {
	l, _ := create(b)
	const size = 20_000
	n := 0
	for b.Loop() {
		err := l.Stage(func(e *ledger.Events) error {
			var id uuid.UUID
			for range size {
				n++
				id[0], id[1], id[2], id[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
				if err := e.Put(id, &ledger.Entry{Run: 7, Place: ledger.Place{Source: 1, Line: int64(n), Offset: int64(n * 600)}}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/key")
}
