package app_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

// tree is every file below a folder with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		switch {
		case err != nil:
		case d.Type().IsRegular():
			files[filepath.ToSlash(rel)] = string(read(t, name))
		default:
			files[filepath.ToSlash(rel)] = d.Type().String()
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

func share(t *testing.T, o *app.ShareOptions) (*app.Shared, error) {
	t.Helper()
	s, err := app.Share(context.Background(), o)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Dir), ".mcpeval-share-*"))
	if len(left) > 0 {
		t.Errorf("share left %v behind", left)
	}
	return s, err
}

// mustShare makes an envelope of everything in a home.
func mustShare(t *testing.T, h *home.Home) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "envelope")
	s, err := share(t, &app.ShareOptions{Home: h, Dir: dir, Notes: true, History: true})
	if err != nil || !s.Published {
		t.Fatal(s, err)
	}
	return dir
}

const (
	sharedCall    = `{"ts":"2025-01-02T03:04:05.000Z","session":"session:0000000000000000000000000000000000000000000000000000000000000001","seq":1,"server":"demo","method":"tools/call","tool":"echo","args":{"text":"str8"},"latency_ms":3,"outcome":"ok","error":null,"shim_self_us":10,"kind":"real"}` + "\n"
	sharedNote    = `{"ts":"2025-01-02T03:04:05.000Z","session":"session:0000000000000000000000000000000000000000000000000000000000000001","seq":1,"kind":"workaround","note":"try twice"}` + "\n"
	sharedHistory = `{"schema":"probe-history/v1","passed":true}` + "\n"
	sharedRawCall = `{"ts":"2025-01-02T03:04:05.000Z","session":"the quarterly merger","seq":1,"server":"demo","method":"tools/call","outcome":"ok","kind":"real"}` + "\n"
)

func TestShareTakesWhatWasAskedFor(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	type in struct{ notes, history bool }
	for name, opt := range map[string]in{"neither": {}, "notes": {notes: true}, "history": {history: true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			if _, err := h.Salt(); err != nil {
				t.Fatal(err)
			}
			write(t, h.IndexPath(), "not shared")
			write(t, h.LedgerPath(), "not shared")
			write(t, filepath.Join(h.QuarantineDir(), "captures", "x.jsonl"), "not shared")
			want := map[string]string{}
			keep := func(path, text string, asked bool) {
				if asked {
					want[path] = text
				}
			}
			for recorder, asked := range map[journal.RecorderKind]bool{
				journal.RecorderShim: true, journal.RecorderShimHTTP: true, journal.RecorderAnnotate: opt.notes,
				journal.RecorderProbe: opt.history, journal.RecorderScore: opt.history, journal.RecorderVerify: opt.history,
			} {
				rel := record(t, h, at, recorder, 2)
				keep(rel, string(read(t, file(h, rel))), asked)
			}
			write(t, file(h, "calls-2025.jsonl"), sharedCall)
			keep("legacy/calls-"+sum(sharedCall)+".jsonl", sharedCall, true)
			write(t, file(h, "annotations-2025.jsonl"), sharedNote)
			keep("legacy/annotations-"+sum(sharedNote)+".jsonl", sharedNote, opt.notes)
			write(t, file(h, "probes/history.jsonl"), sharedHistory)
			keep("legacy/"+sum(sharedHistory)+"/probes/history.jsonl", sharedHistory, opt.history)

			dir := filepath.Join(t.TempDir(), "envelope")
			s, err := share(t, &app.ShareOptions{Home: h, Dir: dir, Notes: opt.notes, History: opt.history})
			if err != nil {
				t.Fatal(err)
			}
			got := tree(t, dir)
			note := got["SHARE.md"]
			delete(got, "SHARE.md")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			for path, text := range want {
				if !strings.Contains(note, sum(text)+"  "+path+"\n") {
					t.Errorf("SHARE.md does not list %s", path)
				}
			}
			if !strings.Contains(note, "guess a session's name") || strings.Contains(note, "read them") != opt.notes {
				t.Errorf("SHARE.md does not warn:\n%s", note)
			}
			if strings.Contains(note, h.Dir) {
				t.Error("SHARE.md names the home")
			}
			lost := app.LeftOut{}
			if !opt.notes {
				lost.Notes = 2
			}
			if !opt.history {
				lost.History = 4
			}
			if s.LeftOut != lost {
				t.Errorf("left out %+v, want %+v", s.LeftOut, lost)
			}
		})
	}
}

func sum(text string) string { return journal.LineDigest([]byte(text)).String() }

// What a person named does not keep its name, a copy of some lines is no second
// capture, and what follows the last newline is not taken.
func TestShareNames(t *testing.T) {
	h := newHome(t)
	at := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	rel := record(t, h, at, journal.RecorderShim, 3)
	text := string(read(t, file(h, rel)))
	lines := strings.SplitAfter(text, "\n")
	moved := record(t, h, at, journal.RecorderShim, 1)
	movedText := string(read(t, file(h, moved)))
	if err := os.Rename(file(h, moved), file(h, "the merger.jsonl")); err != nil {
		t.Fatal(err)
	}
	write(t, file(h, "copy of the merger.jsonl"), lines[1]+lines[2])
	write(t, file(h, "captures/again.jsonl"), text)
	write(t, file(h, rel), text+`{"schema":"mcpeval.event/v1","torn`)
	write(t, file(h, "empty.jsonl"), "")
	write(t, file(h, "torn.jsonl"), "{")
	write(t, file(h, "notes.txt"), "no log")

	got := tree(t, mustShare(t, h))
	delete(got, "SHARE.md")
	want := map[string]string{rel: text, moved: movedText, "copies/" + sum(lines[1]+lines[2]) + ".jsonl": lines[1] + lines[2]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A copy of some lines of a capture that is left out is left out with it, though
// its own lines do not say which recorder wrote them.
func TestShareLeavesCopiesOut(t *testing.T) {
	h := newHome(t)
	at := time.Unix(2e9, 0)
	kept := record(t, h, at, journal.RecorderShim, 1)
	for i, recorder := range []journal.RecorderKind{journal.RecorderAnnotate, journal.RecorderVerify} {
		lines := strings.SplitAfter(string(read(t, file(h, record(t, h, at, recorder, 2)))), "\n")
		write(t, file(h, []string{"a.jsonl", "calls-b.jsonl"}[i]), lines[1])
	}
	dir := filepath.Join(t.TempDir(), "envelope")
	if _, err := share(t, &app.ShareOptions{Home: h, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(tree(t, dir)))
	if diff := cmp.Diff([]string{"SHARE.md", kept}, got); diff != "" {
		t.Error(diff)
	}
}

// One flagged line and nothing is published; it is named by file and line.
func TestShareRefusesFlaggedLines(t *testing.T) {
	for _, tt := range []struct {
		name, path, text string
		line             int64
	}{
		{"a raw session", "calls-2025.jsonl", sharedCall + sharedRawCall, 2},
		{"an unknown member", "calls-2025.jsonl", strings.Replace(sharedCall, `"seq"`, `"prompt":"x","seq"`, 1), 1},
		{"a mail address in a note", "annotations-2025.jsonl", strings.Replace(sharedNote, "try twice", "ask ann@example.com", 1), 1},
		{"a credential in a history", "probes/history.jsonl", sharedHistory + `{"x":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}` + "\n", 2},
		{"a line that is no event", "captures/2026-11-30/x.jsonl", "secret\n", 1},
		{"a line too long to look at", "captures/2026-11-30/x.jsonl", strings.Repeat("x", 5<<20) + "\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
			write(t, file(h, tt.path), tt.text)
			dir := filepath.Join(t.TempDir(), "envelope")
			s, err := share(t, &app.ShareOptions{Home: h, Dir: dir, Notes: true, History: true})
			if err != nil || s.Published || len(s.Findings) != 1 {
				t.Fatalf("%+v, %v", s, err)
			}
			if s.Findings[0].Path != tt.path || s.Findings[0].Line != tt.line {
				t.Errorf("named %s, want %s:%d", s.Findings[0], tt.path, tt.line)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("published all the same: %v", err)
			}
		})
	}
	t.Run("but not in what is left out", func(t *testing.T) {
		h := newHome(t)
		record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
		write(t, file(h, "annotations-2025.jsonl"), "garbage\n")
		if s, err := share(t, &app.ShareOptions{Home: h, Dir: filepath.Join(t.TempDir(), "envelope")}); err != nil || !s.Published {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestSharePlaces(t *testing.T) {
	type env struct {
		h   *home.Home
		dir string // an earlier envelope
		tmp string // an empty folder
	}
	link := func(t *testing.T, to, name string) string {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("no symbolic links here")
		}
		return name
	}
	for _, tt := range []struct {
		name  string
		place func(t *testing.T, e *env) string
		force bool
		ok    bool
	}{
		{"a new folder", func(_ *testing.T, e *env) string { return filepath.Join(e.tmp, "new") }, false, true},
		{"an empty folder", func(_ *testing.T, e *env) string { return e.tmp }, false, true},
		{"in a folder that is not there", func(_ *testing.T, e *env) string { return filepath.Join(e.tmp, "no", "new") }, false, false},
		{"in the home", func(_ *testing.T, e *env) string { return filepath.Join(e.h.Dir, "new") }, false, false},
		{"in the store", func(_ *testing.T, e *env) string { return filepath.Join(e.h.Store(), "new") }, true, false},
		{"the home", func(_ *testing.T, e *env) string { return e.h.Dir }, true, false},
		{"around the home", func(_ *testing.T, e *env) string { return filepath.Dir(e.h.Dir) }, true, false},
		{"in the home through a link", func(t *testing.T, e *env) string {
			return filepath.Join(link(t, e.h.Dir, filepath.Join(e.tmp, "l")), "new")
		}, false, false},
		{"beside a store that is a link", func(t *testing.T, e *env) string {
			elsewhere := filepath.Join(e.tmp, "elsewhere")
			if err := os.Rename(e.h.Store(), elsewhere); err != nil {
				t.Fatal(err)
			}
			link(t, elsewhere, e.h.Store())
			return filepath.Join(elsewhere, "new")
		}, false, false},
		{"a link", func(t *testing.T, e *env) string { return link(t, e.dir, filepath.Join(e.tmp, "l")) }, true, false},
		{"a file", func(t *testing.T, e *env) string {
			write(t, filepath.Join(e.tmp, "f"), "")
			return filepath.Join(e.tmp, "f")
		}, true, false},
		{"an earlier envelope", func(_ *testing.T, e *env) string { return e.dir }, false, false},
		{"an earlier envelope, forced", func(_ *testing.T, e *env) string { return e.dir }, true, true},
		{"forced, with a file added", func(t *testing.T, e *env) string { write(t, filepath.Join(e.dir, "mine"), ""); return e.dir }, true, false},
		{"forced, with a folder added", func(t *testing.T, e *env) string {
			if err := os.Mkdir(filepath.Join(e.dir, "mine"), 0o700); err != nil {
				t.Fatal(err)
			}
			return e.dir
		}, true, false},
		{"forced, with SHARE.md edited", func(t *testing.T, e *env) string {
			note := string(read(t, filepath.Join(e.dir, "SHARE.md")))
			write(t, filepath.Join(e.dir, "SHARE.md"), strings.Replace(note, "## Files", "Mine.\n\n## Files", 1))
			return e.dir
		}, true, false},
		{"forced, with a log changed", func(t *testing.T, e *env) string {
			for path := range tree(t, e.dir) {
				if path != "SHARE.md" {
					write(t, filepath.Join(e.dir, path), "mine")
				}
			}
			return e.dir
		}, true, false},
		{"forced, with a log gone", func(t *testing.T, e *env) string {
			if err := os.RemoveAll(filepath.Join(e.dir, "captures")); err != nil {
				t.Fatal(err)
			}
			return e.dir
		}, true, false},
		{"forced, without SHARE.md", func(t *testing.T, e *env) string {
			if err := os.Remove(filepath.Join(e.dir, "SHARE.md")); err != nil {
				t.Fatal(err)
			}
			return e.dir
		}, true, false},
		{"forced, a folder of somebody", func(t *testing.T, e *env) string { write(t, filepath.Join(e.tmp, "f"), ""); return e.tmp }, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
			e := &env{h, mustShare(t, h), t.TempDir()}
			record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
			place := tt.place(t, e)
			before, store := tree(t, place), tree(t, h.Dir)
			s, err := share(t, &app.ShareOptions{Home: h, Dir: place, Force: tt.force})
			if diff := cmp.Diff(store, tree(t, h.Dir)); diff != "" {
				t.Errorf("the home has changed: %s", diff)
			}
			if tt.ok {
				if err != nil || len(tree(t, place)) != 3 {
					t.Fatalf("%+v, %v, %v", s, err, tree(t, place))
				}
				return
			}
			var input *app.InputError
			if !errors.As(err, &input) || input.Next == "" {
				t.Errorf("got %+v, %v", s, err)
			}
			if diff := cmp.Diff(before, tree(t, place)); diff != "" {
				t.Errorf("the place has changed: %s", diff)
			}
		})
	}
}

func TestShareRefusesLinksInTheStore(t *testing.T) {
	h := newHome(t)
	rel := record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
	if err := os.Symlink(file(h, rel), file(h, "captures/link.jsonl")); err != nil {
		t.Skip("no symbolic links here")
	}
	var problem *app.Problem
	_, err := share(t, &app.ShareOptions{Home: h, Dir: filepath.Join(t.TempDir(), "envelope")})
	if !errors.As(err, &problem) || !strings.Contains(err.Error(), "captures/link.jsonl") {
		t.Errorf("got %v", err)
	}
}

func TestShareNothing(t *testing.T) {
	h := newHome(t)
	record(t, h, time.Unix(2e9, 0), journal.RecorderAnnotate, 1)
	dir := filepath.Join(t.TempDir(), "envelope")
	if _, err := share(t, &app.ShareOptions{Home: h, Dir: dir}); err == nil {
		t.Error("shared nothing")
	}
}

// The same store gives the same envelope, byte for byte.
func TestShareIsTheSameAgain(t *testing.T) {
	h := newHome(t)
	for range 3 {
		record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 2)
	}
	if diff := cmp.Diff(tree(t, mustShare(t, h)), tree(t, mustShare(t, h))); diff != "" {
		t.Error(diff)
	}
}

// stepEnv makes this test binary a Share or Import that dies at a step.
const stepEnv = "MCPEVAL_TEST_DIE_AT"

// TestDyingChild is the process that dies; alone it does nothing.
func TestDyingChild(t *testing.T) {
	step := os.Getenv(stepEnv)
	if step == "" {
		return
	}
	die := func(at string) {
		if at == step {
			os.Exit(9) // no deferred call runs, as after a kill
		}
	}
	h := &home.Home{Dir: os.Getenv("MCPEVAL_HOME")}
	var err error
	if os.Getenv("MCPEVAL_TEST_VERB") == "share" {
		_, err = app.Share(context.Background(), &app.ShareOptions{Home: h, Dir: os.Getenv("MCPEVAL_TEST_DIR"), Notes: true, History: true, Force: true, Hook: die})
	} else {
		_, err = app.Import(context.Background(), &app.ImportOptions{Home: h, Sources: []string{os.Getenv("MCPEVAL_TEST_DIR")}, Hook: die})
	}
	t.Fatal("did not die", err)
}

func dieAt(t *testing.T, verb, step string, h *home.Home, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDyingChild$")
	cmd.Env = append(os.Environ(), stepEnv+"="+step, "MCPEVAL_TEST_VERB="+verb, "MCPEVAL_HOME="+h.Dir, "MCPEVAL_TEST_DIR="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 9 {
		t.Fatalf("%v: %s", err, bytes.TrimSpace(out))
	}
}

// A kill leaves a whole envelope at the place or none, and the next run is not
// disturbed by what is left beside it, which goes after a day.
func TestShareKilled(t *testing.T) {
	for _, step := range []string{"copied", "written", "moved", "published"} {
		t.Run(step, func(t *testing.T) {
			h := newHome(t)
			record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
			dir := mustShare(t, h)
			earlier := tree(t, dir)
			record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
			dieAt(t, "share", step, h, dir)
			got := tree(t, dir)
			later := tree(t, mustShare(t, h))
			switch {
			case len(got) == 0 && step == "moved":
			case cmp.Equal(got, earlier) && (step == "copied" || step == "written"):
			case cmp.Equal(got, later) && step == "published":
			default:
				t.Errorf("after %q the place holds %v", step, slices.Sorted(maps.Keys(got)))
			}
			tomorrow := func() time.Time { return time.Now().Add(25 * time.Hour) }
			if _, err := share(t, &app.ShareOptions{Home: h, Dir: dir, Notes: true, History: true, Force: true, Now: tomorrow}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(later, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Logs that grow meanwhile are taken as they were looked at; one that changes
// where it was read already is not taken for a log.
func TestShareMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(text string) string
		ok     bool
	}{
		{"grown", func(text string) string { return text + "more\n" }, true},
		{"changed", func(text string) string { return strings.Replace(text, `"seq":2`, `"seq":3`, 1) }, false},
		{"cut", func(text string) string { return cut(text, 2) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			want := map[string]string{}
			for range 2 {
				rel := record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 2)
				want[rel] = string(read(t, file(h, rel)))
			}
			done := false
			dir := filepath.Join(t.TempDir(), "envelope")
			s, err := share(t, &app.ShareOptions{Home: h, Dir: dir, Hook: func(step string) {
				if step == "copied" && !done {
					done = true
					for rel, text := range want {
						write(t, file(h, rel), tt.change(text))
					}
				}
			}})
			if !tt.ok {
				var problem *app.Problem
				if !errors.As(err, &problem) || !strings.Contains(err.Error(), "changed while it was read") {
					t.Errorf("got %+v, %v", s, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := tree(t, dir)
			delete(got, "SHARE.md")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What was flagged is not even in what a kill leaves.
func TestShareKilledOverFlaggedLines(t *testing.T) {
	h := newHome(t)
	write(t, file(h, "calls-1.jsonl"), sharedRawCall)
	dir := filepath.Join(t.TempDir(), "envelope")
	dieAt(t, "share", "copied", h, dir)
	left := tree(t, filepath.Dir(dir))
	if len(left) != 1 {
		t.Errorf("left behind: %d files", len(left))
	}
	for name, text := range left {
		if strings.Contains(text, "merger") {
			t.Errorf("%s holds a flagged line", name)
		}
	}
}

func TestShareInterrupted(t *testing.T) {
	h := newHome(t)
	record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
	ctx, cancel := context.WithCancel(context.Background())
	dir := filepath.Join(t.TempDir(), "envelope")
	cancel()
	if _, err := app.Share(ctx, &app.ShareOptions{Home: h, Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
