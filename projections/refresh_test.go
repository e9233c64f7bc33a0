package projections_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

func TestNothingNew(t *testing.T) {
	h := newHome(t)
	small(&ids{}, "s", "demo").write(t, h)
	refresh(t, h)
	before := sum(t, h)
	// A ledger that cannot be opened shows that it is not.
	if err := os.WriteFile(h.LedgerPath(), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	res := refresh(t, h)
	if res.Changed || res.Calls != 2 || res.Failures != 1 || res.Captures != 1 || sum(t, h) != before {
		t.Errorf("%+v", res)
	}
	if !refreshFull(t, h).Full {
		t.Error("a rebuild that was asked for did not happen")
	}
}

// The events of one type are counted, and a session that only listed tools has
// no calls.
func TestCounts(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := g.capture("s", "demo")
	list := call("", journal.OutcomeOK)
	list.Method = method("tools/list")
	c.add(g, list)
	c.add(g, &journal.Unparsed{Direction: journal.Inbound})
	c.write(t, h)
	res := refresh(t, h)
	if res.Calls != 0 || res.New != 3 || res.Bytes != int64(len(c.text)) || res.Files != 1 {
		t.Errorf("%+v", res)
	}
	var got []string
	for _, e := range res.Events {
		got = append(got, fmt.Sprint(e.Type, e.Events))
	}
	if d := cmp.Diff([]string{"call1", "capture1", "unparsed1"}, got); d != "" {
		t.Error(d)
	}
}

// Only the first line of a bad part is named; what is before it counts, and a
// mended file is read on.
func TestCorruptLine(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := g.capture("s", "demo")
	c.add(g, call("a", journal.OutcomeOK))
	good := len(c.text)
	c.add(g, call("b", journal.OutcomeOK))
	rest := c.text[good:]
	bad := bytes.Replace(rest, []byte(`"method"`), []byte(`"Method"`), 1)
	put(t, h, c.path, append(append([]byte(nil), c.text[:good]...), bad...))
	other := small(g, "s", "demo")
	other.write(t, h)
	for range 2 {
		res := refresh(t, h)
		if len(res.Corrupt) != 1 || res.Corrupt[0].Path != c.path || res.Corrupt[0].Line != 3 || res.Corrupt[0].Offset != int64(good) {
			t.Fatalf("%+v", res.Corrupt)
		}
		if strings.Contains(res.Corrupt[0].Reason, "Method") || res.Calls != 3 {
			t.Errorf("%+v", res)
		}
	}
	captures := read(t, h, func(conn *sqlite.Conn) ([]query.Capture, error) {
		return query.Captures(conn, query.Filter{Capture: c.id.String()}, 0)
	})
	if want := c.path + ":3"; len(captures) != 1 || captures[0].CorruptAt != want {
		t.Errorf("%+v, want corrupt at %s", captures, want)
	}
	sameAsRebuilt(t, h)
	put(t, h, c.path, append(append([]byte(nil), c.text[:good]...), bad[:9]...))
	if res := refresh(t, h); len(res.Corrupt) != 0 || len(res.Torn) != 1 || res.Full {
		t.Errorf("the bad line cut: %+v", res)
	}
	sameAsRebuilt(t, h)
	put(t, h, c.path, c.text)
	if res := refresh(t, h); len(res.Corrupt) != 0 || res.Calls != 4 || res.Full {
		t.Errorf("mended: %+v", res)
	}
	sameAsRebuilt(t, h)
}

func TestTornTail(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := small(g, "s", "demo")
	put(t, h, c.path, c.text[:len(c.text)-5])
	res := refresh(t, h)
	if len(res.Torn) != 1 || res.Torn[0].Path != c.path || res.Torn[0].Bytes != int64(len(c.last)+1-5) || res.New != 3 {
		t.Errorf("%+v", res)
	}
	if res := refresh(t, h); res.Changed || len(res.Torn) != 1 {
		t.Errorf("again: %+v", res)
	}
	c.write(t, h)
	if res := refresh(t, h); len(res.Torn) != 0 || res.New != 1 || res.Full {
		t.Errorf("whole: %+v", res)
	}
	sameAsRebuilt(t, h)
}

// What makes a cycle full, and its reason.
func TestReasonsForFull(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, h *home.Home, c *capture)
		want string
	}{
		{"ledger deleted", func(t *testing.T, h *home.Home, _ *capture) { removeFile(t, h.LedgerPath()) }, "there was no ledger"},
		{"index deleted", func(t *testing.T, h *home.Home, _ *capture) { removeFile(t, h.IndexPath()) }, "there was no index"},
		{"source gone", func(t *testing.T, h *home.Home, c *capture) { removeFile(t, filepath.Join(h.Store(), c.path)) }, "a source is gone: "},
		{"source shorter", func(t *testing.T, h *home.Home, c *capture) { put(t, h, c.path, c.text[:20]) }, "a source became shorter: "},
		{"source changed", func(t *testing.T, h *home.Home, c *capture) {
			put(t, h, c.path, bytes.Replace(c.text, []byte(`"request_bytes":100`), []byte(`"request_bytes":101`), 1))
		}, "a source changed: "},
		{"source changed within a step of the file system's clock", func(t *testing.T, h *home.Home, c *capture) {
			name := filepath.Join(h.Store(), c.path)
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			put(t, h, c.path, bytes.Replace(c.text, []byte(`"request_bytes":100`), []byte(`"request_bytes":101`), 1))
			if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, "a source changed: "},
		{"other ledger", func(t *testing.T, h *home.Home, c *capture) {
			other := newHome(t)
			c.write(t, other)
			refresh(t, other)
			b, err := os.ReadFile(other.LedgerPath())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(h.LedgerPath(), b, 0o600); err != nil {
				t.Fatal(err)
			}
			small(&ids{n: 900}, "s", "demo").write(t, h)
		}, "the ledger is not the index's"},
		{"another version's index", func(t *testing.T, h *home.Home, _ *capture) {
			edit(t, h, `UPDATE meta SET value = 'calls:0' WHERE key = 'workers'`)
		}, "another version made the index"},
		{"index damaged", func(t *testing.T, h *home.Home, _ *capture) {
			if err := os.Truncate(h.IndexPath(), 5000); err != nil {
				t.Fatal(err)
			}
		}, "the index cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &ids{}
			h := newHome(t)
			c := small(g, "s", "demo")
			c.write(t, h)
			small(g, "s", "demo").write(t, h)
			refresh(t, h)
			tt.do(t, h, c)
			res := refresh(t, h)
			if !res.Full || !strings.HasPrefix(res.Reason, tt.want) {
				t.Errorf("full %v, reason %q; want %q", res.Full, res.Reason, tt.want)
			}
			sameAsRebuilt(t, h)
			if res := refresh(t, h); res.Changed {
				t.Errorf("and then again: %+v", res)
			}
		})
	}
}

func removeFile(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// A folder whose captures have all ended is not looked into again, until its
// list of files changes.
func TestSealedFolders(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := small(g, "s", "demo")
	c.write(t, h)
	day := filepath.Dir(filepath.Join(h.Store(), c.path))
	old := time.Now().Add(-time.Hour)
	settleFiles := func() {
		t.Helper()
		names, _ := filepath.Glob(filepath.Join(day, "*"))
		for _, name := range append(names, day) {
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	settleFiles()
	refresh(t, h)
	sealed := func() int {
		return len(read(t, h, func(conn *sqlite.Conn) (map[string]int64, error) { return index.Sealed(conn) }))
	}
	if sealed() != 1 {
		t.Fatal("the folder is not sealed")
	}
	// What its mtime does not tell is not seen: audit is for that.
	if err := os.Truncate(filepath.Join(h.Store(), c.path), 10); err != nil {
		t.Fatal(err)
	}
	if res := refresh(t, h); res.Changed {
		t.Errorf("looked into a sealed folder: %+v", res)
	}
	c.write(t, h)
	open := g.capture("s", "demo") // has not ended
	open.path = filepath.ToSlash(filepath.Join(filepath.Dir(c.path), "x.jsonl"))
	open.write(t, h)
	if res := refresh(t, h); res.Full || res.New != 1 || sealed() != 0 {
		t.Errorf("a new file in a sealed folder: %+v, %d sealed", res, sealed())
	}
	settleFiles()
	small(g, "s", "demo").write(t, newHome(t))
	put(t, h, "other.jsonl", small(g, "s", "demo").text)
	if refresh(t, h); sealed() != 0 {
		t.Error("a folder with a capture that has not ended is sealed")
	}
	removeFile(t, filepath.Join(h.Store(), open.path))
	settleFiles()
	if res := refresh(t, h); !res.Full {
		t.Errorf("a file gone: %+v", res)
	}
	sameAsRebuilt(t, h)
}

// Two indexers at once: one waits for the other, or is told who is at work.
func TestTwoIndexers(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	holding, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := projections.Refresh(context.Background(), h, &projections.Options{Verb: "serve", Hook: func(step string) {
			if step == "locked" {
				close(holding)
				<-release
			}
		}})
		if err != nil {
			t.Error(err)
		}
	})
	<-holding
	_, err := projections.Refresh(context.Background(), h, &projections.Options{Wait: -1})
	var locked *home.LockedError
	if !errors.As(err, &locked) || locked.Verb != "serve" || locked.PID != os.Getpid() {
		t.Errorf("got %v, want who holds the lock", err)
	}
	for range 3 {
		wg.Go(func() {
			if _, err := projections.Refresh(context.Background(), h, nil); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	wg.Wait()
	sameAsRebuilt(t, h)
}

// A reader in another process that holds its snapshot across cycles and
// rebuilds sees the same content all the time, and then the newest.
func TestReaderSeesWholeContent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	files := randomJournal(r, 4, 30)
	h := newHome(t)
	done := make([]int, len(files))
	grow(t, h, r, files, done)
	refresh(t, h)
	reader := hold(t, h)
	old := reader.ask("begin")
	for _, full := range []bool{false, true, false} {
		grow(t, h, r, files, done)
		if full {
			refreshFull(t, h)
		} else {
			refresh(t, h)
		}
		if got := reader.ask("look"); got != old {
			t.Fatal("the reader's snapshot changed")
		}
	}
	reader.ask("end")
	if reader.ask("look") != digest(t, h) {
		t.Error("the reader does not see the newest content")
	}
	sameAsRebuilt(t, h)
}

// A cancelled cycle changes nothing and leaves no goroutine.
func TestCancelled(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	before := digest(t, h)
	small(g, "s", "demo").write(t, h)
	for _, step := range []string{"planned", "begun", "staged"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := projections.Refresh(ctx, h, &projections.Options{Hook: func(s string) {
			if s == step {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			continue // it was too late to stop
		}
		if !errors.Is(err, context.Canceled) || digest(t, h) != before {
			t.Errorf("%s: %v", step, err)
		}
	}
	refresh(t, h)
	sameAsRebuilt(t, h)
}

// A store that cannot be read to its end refuses the cycle.
func TestUnreadableSource(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	if runtime.GOOS == "windows" {
		t.Skip("no mode takes reading away")
	}
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	before := sum(t, h)
	c := small(g, "s", "demo")
	c.write(t, h)
	if err := os.Chmod(filepath.Join(h.Store(), c.path), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := projections.Refresh(context.Background(), h, nil); err == nil || sum(t, h) != before {
		t.Errorf("got %v", err)
	}
}

// SQLite finds its log by name: a file renamed over an index that has one takes
// that log over, without any error. This is why nothing is ever renamed over
// index.db; when it stops failing, the rule may go.
func TestRenameOverIndexIsATrap(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed over")
	}
	g := &ids{}
	h := newHome(t)
	for range 40 {
		small(g, "s", "demo").write(t, h)
	}
	refresh(t, h)
	reader := hold(t, h)
	reader.ask("begin")
	for range 40 {
		small(g, "s", "demo").write(t, h)
	}
	refresh(t, h) // stays in the log: the reader is in the way of the checkpoint

	other := newHome(t)
	for range 3 {
		small(g, "s", "other").write(t, other)
	}
	refresh(t, other)
	want := digest(t, other)
	if err := os.Rename(other.IndexPath(), h.IndexPath()); err != nil {
		t.Fatal(err)
	}
	got, err := projections.Digest(context.Background(), h)
	if got == want {
		t.Error("the renamed file kept its content: no trap")
	}
	t.Logf("a reader after the rename: %.12s, %v", got, err)
	removeFile(t, h.LedgerPath())
	refreshFull(t, h)
	sameAsRebuilt(t, h)
}

// Nothing in a home can be read by others.
func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	h := newHome(t)
	small(&ids{}, "s", "demo").write(t, h)
	refresh(t, h)
	reader := hold(t, h)
	reader.ask("begin") // it keeps the log, too
	refreshFull(t, h)
	entries, err := os.ReadDir(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	reader.ask("end")
}

// A full disk, as far as SQLite can be made to see one: the page limit.
func TestDiskFull(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	before := digest(t, h)
	for range 200 {
		small(g, "s", "demo").write(t, h)
	}
	for _, full := range []bool{false, true} {
		limit := int64(64 << 10)
		out, err := limitedChild(h, limit, full)
		if err == nil {
			t.Fatalf("a cycle went through with files of at most %d bytes: %s", limit, out)
		}
		if strings.Contains(string(out), "rollback") {
			t.Errorf("the cause has company: %s", out)
		}
		if digest(t, h) != before {
			t.Error("a cycle that found no space changed the index")
		}
	}
	refresh(t, h)
	sameAsRebuilt(t, h)
}
