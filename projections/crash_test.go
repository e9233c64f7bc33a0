package projections_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
)

// steps are the names a cycle calls its hook with, in order.
var steps = []string{
	"locked", "planned", "run-reserved", "begun", "staged", "batch-applied", "applied", "finished", "witnessed",
	"ledger-sealed", "ledger-published", "committed", "checkpointed", "closed",
}

func TestStepsAreAll(t *testing.T) {
	h := newHome(t)
	small(&ids{}, "s", "demo").write(t, h)
	var mu sync.Mutex
	var got []string
	_, err := projections.Refresh(context.Background(), h, &projections.Options{Hook: func(step string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, step)
	}})
	if err != nil || strings.Join(got, " ") != strings.Join(steps, " ") {
		t.Errorf("steps %q, %v; want %q", got, err, steps)
	}
}

// die runs an indexer that ends itself at a step.
func die(t testing.TB, h *home.Home, step string, full bool) {
	t.Helper()
	env := []string{childStep + "=" + step}
	if full {
		env = append(env, childFull+"=1")
	}
	out, err := childCmd(h, "index", env...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != killed) {
		t.Fatalf("child: %v: %s", err, out)
	}
}

// An indexer killed at any step leaves the old content, and the next cycle
// comes to that of a full rebuild.
func TestKilledAtEveryStep(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, step := range steps {
			t.Run(fmt.Sprintf("%s/full=%v", step, full), func(t *testing.T) {
				t.Parallel()
				g := &ids{}
				h := newHome(t)
				a := small(g, "s", "demo")
				a.write(t, h)
				refresh(t, h)
				before := digest(t, h)
				b := small(g, "s", "other")
				b.write(t, h)
				appendTo(t, h, a.path, small(g, "s", "demo").text)
				die(t, h, step, full)
				published := step == "committed" || step == "checkpointed" || step == "closed"
				if !full && strings.HasPrefix(step, "ledger-") {
					published = true // an incremental cycle has no such step
				}
				if got := digest(t, h); (got == before) == published {
					t.Errorf("after the kill the index changed: %v, want %v", got != before, published)
				}
				// Killed again, and then not.
				die(t, h, step, full)
				refresh(t, h)
				sameAsRebuilt(t, h)
				if left, _ := filepath.Glob(filepath.Join(h.Dir, "*.tmp")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

// What a killed run put into the ledger never counts, not even when a later run
// with a larger number is committed without it.
func TestDeadRunsStayDead(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	c := small(g, "s", "demo")
	c.write(t, h)
	die(t, h, "witnessed", false)
	removeFile(t, filepath.Join(h.Store(), c.path))
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	c.write(t, h)
	if res := refresh(t, h); res.New != 4 || res.Copies != 0 || res.Full {
		t.Errorf("%+v", res)
	}
	sameAsRebuilt(t, h)
}

// Random journals, random slices, random kills, and files that go, shrink or
// change, ledger or index deleted: it always ends in the digest of a full
// rebuild, and a reader in another process sees the old content or the new.
func TestKilledAndDisturbed(t *testing.T) {
	for i := range rounds(12) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 99))
			files := randomJournal(r, 1+r.IntN(6), 40)
			r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			h := newHome(t)
			done := make([]int, len(files))
			var backup []byte
			for cycle := range 6 {
				grow(t, h, r, files, done)
				what := disturb(t, h, r, files)
				if backup != nil && r.IntN(6) == 0 {
					what = "an older index.db put back"
					if err := errors.Join(index.Remove(h.IndexPath()), os.WriteFile(h.IndexPath(), backup, 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				if b, err := os.ReadFile(h.IndexPath()); err == nil && r.IntN(2) == 0 && what == "nothing" {
					backup = b // no connection is open, so this is the whole index
				}
				before := ""
				if d, err := projections.Digest(context.Background(), h); err == nil {
					before = d
				}
				step := steps[r.IntN(len(steps))]
				die(t, h, step, r.IntN(5) == 0)
				after, err := projections.Digest(context.Background(), h)
				want := rebuilt(t, h)
				if err == nil && after != before && after != want {
					t.Fatalf("cycle %d (%s, killed at %s): a reader sees neither the old content nor the new", cycle, what, step)
				}
				if err != nil && !errors.Is(err, index.ErrNone) && !(errors.Is(err, index.ErrUnreadable) && what == "index.db overwritten") {
					t.Fatalf("cycle %d (%s, killed at %s): %v", cycle, what, step, err)
				}
				refresh(t, h)
				if got := digest(t, h); got != want {
					t.Fatalf("cycle %d (%s, killed at %s): digest %.12s, a full rebuild gives %.12s", cycle, what, step, got, want)
				}
			}
		})
	}
}

// disturb does to a home what people, backups and disks do.
func disturb(t testing.TB, h *home.Home, r *rand.Rand, files []file) string {
	t.Helper()
	remove := func(names ...string) {
		for _, name := range names {
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	pick := files[r.IntN(len(files))]
	name := filepath.Join(h.Store(), filepath.FromSlash(pick.path))
	switch r.IntN(10) {
	case 0:
		remove(h.LedgerPath())
		return "ledger.db deleted"
	case 1:
		remove(h.IndexPath())
		return "index.db deleted, its log left"
	case 2:
		remove(h.IndexPath(), h.LedgerPath())
		return "both deleted"
	case 3:
		remove(name)
		return "source deleted: " + pick.path
	case 4:
		if info, err := os.Stat(name); err == nil {
			if err := os.Truncate(name, info.Size()/2); err != nil {
				t.Fatal(err)
			}
		}
		return "source cut: " + pick.path
	case 5:
		if b, err := os.ReadFile(name); err == nil && len(b) > 0 {
			b[r.IntN(len(b))] ^= 1
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := projections.Refresh(context.Background(), newHomeWith(t, h), nil); err != nil {
				b2 := []byte{} // it made a conflict: not what this test is about
				if err := os.WriteFile(name, b2, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		return "byte changed: " + pick.path
	case 6:
		if err := os.WriteFile(h.LedgerPath(), []byte("not a ledger"), 0o600); err != nil {
			t.Fatal(err)
		}
		return "ledger.db overwritten"
	case 7:
		if err := os.WriteFile(h.IndexPath(), []byte("not a database, by far too short"), 0o600); err != nil {
			t.Fatal(err)
		}
		return "index.db overwritten"
	}
	return "nothing"
}

// newHomeWith is a home with another's store.
func newHomeWith(t testing.TB, h *home.Home) *home.Home {
	t.Helper()
	other := newHome(t)
	copyStore(t, h, other)
	return other
}
