package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/server/app"
)

func importInto(h *home.Home, sources ...string) (*app.Imported, error) {
	return app.Import(context.Background(), &app.ImportOptions{Home: h, Sources: sources})
}

func mustImport(t *testing.T, h *home.Home, sources ...string) *app.Imported {
	t.Helper()
	got, err := importInto(h, sources...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// digestOf indexes a home and gives the digest of the index.
func digestOf(t *testing.T, h *home.Home) string {
	t.Helper()
	if _, err := projections.Refresh(context.Background(), h, nil); err != nil {
		t.Fatal(err)
	}
	d, err := projections.Digest(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A home's envelope makes another home the same, twice as well as once, and
// changes nothing in the home that it comes from.
func TestImportRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name   string
		legacy bool
	}{{"captures", false}, {"with files of the earlier format", true}} {
		t.Run(tt.name, func(t *testing.T) {
			from, to := newHome(t), newHome(t)
			for i, recorder := range []journal.RecorderKind{journal.RecorderShim, journal.RecorderShim, journal.RecorderProbe, journal.RecorderAnnotate} {
				record(t, from, time.Date(2026, 11, 29+i, 12, 0, 0, 0, time.UTC), recorder, i)
			}
			if tt.legacy {
				write(t, file(from, "calls-2025.jsonl"), sharedCall+sharedCall)
				write(t, file(from, "annotations-2025.jsonl"), sharedNote)
				write(t, file(from, "probes/history.jsonl"), sharedHistory)
			}
			envelope, before, digest := mustShare(t, from), tree(t, from.Store()), digestOf(t, from)

			first := mustImport(t, to, envelope)
			imported, want := tree(t, to.Store()), len(before)
			if len(first.Added) != want || len(imported) != want || first.Present != 0 || first.Captures != 4 {
				t.Errorf("%+v; the store holds %d files, want %d", first, len(imported), want)
			}
			if !tt.legacy {
				if diff := cmp.Diff(before, imported); diff != "" {
					t.Error(diff)
				}
				if got := digestOf(t, to); got != digest {
					t.Errorf("the index has the digest %.12s, want %.12s", got, digest)
				}
			}
			for _, again := range []*home.Home{to, from} {
				before, digest := tree(t, again.Store()), digestOf(t, again)
				got := mustImport(t, again, envelope, envelope)
				if len(got.Added)+len(got.Extended) > 0 || got.Events != 0 || got.Present != int64(2*want) {
					t.Errorf("%+v", got)
				}
				if diff := cmp.Diff(before, tree(t, again.Store())); diff != "" {
					t.Error(diff)
				}
				if digestOf(t, again) != digest {
					t.Error("the index has changed")
				}
			}
			if diff := cmp.Diff(tree(t, envelope), tree(t, mustShare(t, to))); diff != "" {
				t.Errorf("shared from there: %s", diff)
			}
		})
	}
}

// cut is a log up to some line.
func cut(text string, lines int) string {
	return strings.Join(strings.SplitAfter(text, "\n")[:lines], "")
}

// bend decodes a line, changes it and encodes it again.
func bend(t *testing.T, text string, line int, change func(*journal.Event)) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	var e journal.Event
	if err := journal.NewDecoder().Decode(journal.FileCapture, []byte(strings.TrimSuffix(lines[line-1], "\n")), &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	lines[line-1] = string(journal.AppendEvent(nil, &e)) + "\n"
	return strings.Join(lines, "")
}

// What is here is the beginning of what comes, or the other way round.
func TestImportGrownLogs(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	author := newHome(t)
	rel := record(t, author, at, journal.RecorderShim, 4)
	whole := string(read(t, file(author, rel)))
	const torn = `{"schema":"mcpeval.ev`
	forged := cut(whole, 2) + bend(t, whole, 3, func(e *journal.Event) { e.Prev = journal.Prev{1} })[len(cut(whole, 2)):]
	digest := sum
	for _, tt := range []struct {
		name, path, here, there string
		want                    map[string]string // nil: refused
		extended                bool
	}{
		{"the same", rel, whole, whole, map[string]string{rel: whole}, false},
		{"a beginning comes", rel, whole, cut(whole, 2), map[string]string{rel: whole}, false},
		{"a torn tail comes", rel, cut(whole, 3), cut(whole, 2) + torn, map[string]string{rel: cut(whole, 3)}, false},
		{"a longer one comes", rel, cut(whole, 2), whole, map[string]string{rel: whole}, true},
		{"a longer one comes over a torn tail", rel, cut(whole, 2) + torn, whole, map[string]string{rel: whole}, true},
		{"a longer one that breaks the chain", rel, cut(whole, 2), forged, nil, false},
		{"here are only some lines", "copies.jsonl", cut(whole, 3)[len(cut(whole, 1)):], whole, map[string]string{"copies.jsonl": cut(whole, 3)[len(cut(whole, 1)):], rel: whole}, false},
		{
			"what was mended here comes whole", rel, cut(whole, 2) + whole[len(cut(whole, 3)):], whole,
			map[string]string{rel: cut(whole, 2) + whole[len(cut(whole, 3)):], "copies/" + digest(whole) + ".jsonl": whole}, false,
		},
		{"records of the earlier format, the same under another name", "calls-2025.jsonl", sharedCall, sharedCall, map[string]string{"calls-2025.jsonl": sharedCall}, false},
		{"a beginning of them", "calls-2025.jsonl", sharedCall + sharedCall, sharedCall, map[string]string{"calls-2025.jsonl": sharedCall + sharedCall}, false},
		{"more of them", "calls-2025.jsonl", sharedCall, sharedCall + sharedCall, map[string]string{"calls-2025.jsonl": sharedCall + sharedCall}, true},
		{
			"more of what was imported", "legacy/calls-" + digest(sharedCall) + ".jsonl", sharedCall, sharedCall + sharedCall,
			map[string]string{"legacy/calls-" + digest(sharedCall+sharedCall) + ".jsonl": sharedCall + sharedCall}, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, incoming := newHome(t), t.TempDir()
			write(t, file(h, tt.path), tt.here)
			name := tt.path
			if strings.HasPrefix(tt.there, `{"schema"`) {
				name = rel
			}
			write(t, filepath.Join(incoming, filepath.FromSlash(name)), tt.there)
			before := tree(t, h.Store())
			got, err := importInto(h, incoming)
			if tt.want == nil {
				if err == nil || !strings.Contains(err.Error(), ":3 does not continue the chain") {
					t.Errorf("got %+v, %v", got, err)
				}
				tt.want = before
			} else if err != nil || (len(got.Extended) > 0) != tt.extended {
				t.Errorf("got %+v, %v", got, err)
			}
			if diff := cmp.Diff(tt.want, tree(t, h.Store())); diff != "" {
				t.Error(diff)
			}
			digestOf(t, h)
		})
	}
}

// A log that grows is imported as it grows, in any order of its envelopes.
func TestImportAnyOrder(t *testing.T) {
	author := newHome(t)
	var logs []string
	texts := map[string]string{}
	for i := range 3 {
		rel := record(t, author, time.Date(2026, 11, 30, 12, i, 0, 0, time.UTC), journal.RecorderShim, 4)
		logs = append(logs, rel)
		texts[rel] = string(read(t, file(author, rel)))
	}
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "round-*")
		if err != nil {
			r.Fatal(err)
		}
		h, err := home.Open(filepath.Join(dir, "home"))
		if err != nil {
			r.Fatal(err)
		}
		want := map[string]string{}
		for n := range rapid.IntRange(1, 4).Draw(r, "imports") {
			var sources []string
			for m := range rapid.IntRange(1, 2).Draw(r, "folders") {
				source := filepath.Join(dir, fmt.Sprint("envelope", n, m))
				for _, rel := range logs {
					if k := rapid.IntRange(0, 6).Draw(r, "lines"); k > 0 {
						write(t, filepath.Join(source, filepath.FromSlash(rel)), cut(texts[rel], k))
						if text := cut(texts[rel], k); len(text) > len(want[rel]) {
							want[rel] = text
						}
					}
				}
				if _, err := os.Stat(source); err == nil {
					sources = append(sources, source)
				}
			}
			if len(sources) == 0 {
				continue
			}
			if _, err := importInto(h, sources...); err != nil {
				r.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, tree(t, h.Store())); diff != "" {
			r.Error(diff)
		}
	})
}

// Two lines that cannot both be true import nothing, wherever they are.
func TestImportConflicts(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	author := newHome(t)
	rel := record(t, author, at, journal.RecorderShim, 3)
	text := string(read(t, file(author, rel)))
	other, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	server, _ := sanitize.NewLabel("other")
	only := func(text string, line int) string { return strings.SplitAfter(text, "\n")[line-1] }
	for _, tt := range []struct {
		name   string
		change func(*journal.Event)
		rule   projections.Rule
	}{
		{"one event, two contents", func(e *journal.Event) { e.TS = e.TS.Add(time.Second) }, projections.RuleContent},
		{"one number, two events", func(e *journal.Event) { e.ID = other }, projections.RuleSequence},
		{"two sessions", func(e *journal.Event) { e.ID, e.Seq, e.Session = other, 9, sanitize.SessionOf("t") }, projections.RuleSession},
		{"two servers", func(e *journal.Event) { e.ID, e.Seq, e.Server = other, 9, server }, projections.RuleServer},
	} {
		bent := only(bend(t, text, 3, tt.change), 3)
		for where, lay := range map[string]func(h *home.Home, dir string){
			"here and there": func(h *home.Home, dir string) {
				write(t, file(h, rel), text)
				write(t, filepath.Join(dir, "x.jsonl"), bent)
			},
			"there twice": func(_ *home.Home, dir string) {
				write(t, filepath.Join(dir, filepath.FromSlash(rel)), text)
				write(t, filepath.Join(dir, "x.jsonl"), bent)
			},
			"in the store's copy": func(h *home.Home, dir string) {
				write(t, file(h, "x.jsonl"), bent)
				write(t, filepath.Join(dir, filepath.FromSlash(rel)), text)
			},
		} {
			t.Run(tt.name+", "+where, func(t *testing.T) {
				h, dir := newHome(t), t.TempDir()
				record(t, h, at, journal.RecorderShim, 1)
				lay(h, dir)
				good := newHome(t)
				path := record(t, good, at, journal.RecorderShim, 1)
				write(t, filepath.Join(dir, filepath.FromSlash(path)), string(read(t, file(good, path))))
				refused(t, h, dir, tt.rule, "x.jsonl:1", filepath.Base(rel)+":")
			})
		}
	}
}

// refused imports a folder that must not come in, whole or in part.
func refused(t *testing.T, h *home.Home, dir string, rule projections.Rule, says ...string) {
	t.Helper()
	before := tree(t, h.Dir)
	got, err := importInto(h, dir)
	var conflict *projections.ConflictError
	if err == nil || rule != 0 && (!errors.As(err, &conflict) || conflict.Rule != rule) {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
	if diff := cmp.Diff(before, tree(t, h.Dir)); diff != "" {
		t.Errorf("the home has changed: %s", diff)
	}
	if entries, err := os.ReadDir(h.Store()); err != nil || len(entries) > 0 && strings.HasPrefix(entries[0].Name(), ".import") {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// spoilUnlisted adds a file to what was an envelope.
func spoilUnlisted(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "SHARE.md")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, name), text)
}

// One thing that is wrong with one file and none is imported.
func TestImportRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, dir, log string) // dir is an envelope with the log
		says  string
	}{
		{"a changed byte", func(t *testing.T, dir, log string) {
			write(t, log, strings.Replace(string(read(t, log)), `"arch":"`, `"arch":"x`, 1))
		}, ".jsonl is not as SHARE.md lists it"},
		{"a log that is gone", func(t *testing.T, _, log string) {
			if err := os.Remove(log); err != nil {
				t.Fatal(err)
			}
		}, ".jsonl is not as SHARE.md lists it"},
		{"a cut log", func(t *testing.T, _, log string) { write(t, log, cut(string(read(t, log)), 1)) }, ".jsonl is not as SHARE.md lists it"},
		{"a log that is not listed", func(t *testing.T, dir, log string) {
			write(t, filepath.Join(dir, "x.jsonl"), cut(string(read(t, log)), 1))
		}, "x.jsonl is not as SHARE.md lists it"},
		{"a list that was cut", func(t *testing.T, dir, _ string) {
			note := string(read(t, filepath.Join(dir, "SHARE.md")))
			write(t, filepath.Join(dir, "SHARE.md"), note[:strings.LastIndex(note, "```")])
		}, "SHARE.md has no whole list"},
		{"a list that leads elsewhere", func(t *testing.T, dir, log string) {
			note := string(read(t, filepath.Join(dir, "SHARE.md")))
			write(t, filepath.Join(dir, "SHARE.md"), strings.Replace(note, "  captures/", "  ../captures/", 1))
		}, "SHARE.md has no whole list"},
		{"a list with no digest", func(t *testing.T, dir, log string) {
			note := string(read(t, filepath.Join(dir, "SHARE.md")))
			write(t, filepath.Join(dir, "SHARE.md"), strings.Replace(note, "```sha256\n", "```sha256\n12  captures/x.jsonl\n", 1))
		}, "SHARE.md has no whole list"},
		{"a line that is no event", func(t *testing.T, dir, _ string) { spoilUnlisted(t, dir, "x.jsonl", "secret\n") }, "x.jsonl:1: corrupt line"},
		{"a line that is too long", func(t *testing.T, dir, _ string) {
			spoilUnlisted(t, dir, "x.jsonl", strings.Repeat("x", 5<<20)+"\n")
		}, "x.jsonl:1: corrupt line"},
		{"a line that never ends", func(t *testing.T, dir, _ string) {
			spoilUnlisted(t, dir, "x.jsonl", strings.Repeat("x", 5<<20))
		}, "x.jsonl:1: corrupt line: line is too long"},
		{"a raw session", func(t *testing.T, dir, _ string) {
			spoilUnlisted(t, dir, "calls-2.jsonl", sharedCall+sharedRawCall)
		}, "calls-2.jsonl:2: corrupt line: the record holds more"},
		{"a link to a log", func(t *testing.T, dir, log string) {
			if err := os.Symlink(log, filepath.Join(dir, "x.jsonl")); err != nil {
				t.Skip("no symbolic links here")
			}
		}, "x.jsonl: it is a link, or no file"},
		{"a link to a folder", func(t *testing.T, dir, log string) {
			if err := os.Symlink(filepath.Dir(log), filepath.Join(dir, "x")); err != nil {
				t.Skip("no symbolic links here")
			}
		}, "x: it is a link, or no file"},
		{"a home", func(t *testing.T, dir, _ string) { write(t, filepath.Join(dir, ".salt"), "") }, "is a home"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := newHome(t)
			rel := record(t, from, time.Unix(2e9, 0), journal.RecorderShim, 2)
			dir := mustShare(t, from)
			tt.spoil(t, dir, filepath.Join(dir, filepath.FromSlash(rel)))
			h := newHome(t)
			refused(t, h, dir, 0, tt.says)
		})
	}
	t.Run("a pipe", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no pipes in folders")
		}
		dir := t.TempDir()
		if err := mkfifo(filepath.Join(dir, "x.jsonl")); err != nil {
			t.Skip("no pipes here")
		}
		refused(t, newHome(t), dir, 0, "x.jsonl: it is a link, or no file")
		refused(t, newHome(t), filepath.Join(dir, "x.jsonl"), 0, "x.jsonl: it is a link, or no file")
	})
	t.Run("the store itself", func(t *testing.T) {
		h := newHome(t)
		record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
		refused(t, h, h.Store(), 0, "overlaps this home's store")
		refused(t, h, filepath.Join(h.Store(), "captures"), 0, "overlaps this home's store")
		refused(t, h, filepath.Dir(h.Dir), 0, "overlaps this home's store")
	})
	for name, source := range map[string]func(dir string) string{
		"nothing":              func(dir string) string { return dir },
		"what is not there":    func(dir string) string { return filepath.Join(dir, "x") },
		"what is no log":       func(dir string) string { write(t, filepath.Join(dir, "a.txt"), ""); return filepath.Join(dir, "a.txt") },
		"a folder without one": func(dir string) string { write(t, filepath.Join(dir, "a.txt"), ""); return dir },
	} {
		t.Run(name, func(t *testing.T) {
			var input *app.InputError
			if _, err := importInto(newHome(t), source(t.TempDir())); !errors.As(err, &input) || input.Next == "" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A kill leaves whole logs only, and the same import does what is left.
func TestImportKilled(t *testing.T) {
	from := newHome(t)
	for range 3 {
		record(t, from, time.Unix(2e9, 0), journal.RecorderShim, 2)
	}
	dir, want := mustShare(t, from), tree(t, from.Store())
	for _, step := range []string{"staged", "checked", "moved"} {
		t.Run(step, func(t *testing.T) {
			h := newHome(t)
			dieAt(t, "import", step, h, dir)
			for path, text := range tree(t, filepath.Join(h.Store(), "captures")) {
				if want["captures/"+path] != text {
					t.Errorf("%s is not whole", path)
				}
			}
			digestOf(t, h) // what a kill left does not disturb the index
			mustImport(t, h, dir)
			if diff := cmp.Diff(want, tree(t, h.Store())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Captures of another salt are told apart.
func TestImportOtherSalts(t *testing.T) {
	from, to := newHome(t), newHome(t)
	rel := record(t, from, time.Unix(2e9, 0), journal.RecorderShim, 1)
	salt, err := to.Salt()
	if err != nil {
		t.Fatal(err)
	}
	if got := mustImport(t, to, mustShare(t, from)); got.OtherSalts != 1 {
		t.Errorf("%+v", got)
	}
	own := bend(t, string(read(t, file(from, rel))), 1, func(e *journal.Event) {
		e.Body.(*journal.CaptureStart).SaltID = sanitize.New(salt).SaltID()
		e.Capture, e.ID = uuid.New(), uuid.Must(uuid.NewV7())
	})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.jsonl"), cut(own, 1))
	if got := mustImport(t, to, dir); got.OtherSalts != 0 || len(got.Added) != 1 {
		t.Errorf("%+v", got)
	}
}

// A log that grows here while a longer one of it comes is not replaced, and what
// was moved already goes back.
func TestImportMeanwhile(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	author, h := newHome(t), newHome(t)
	rel := record(t, author, at, journal.RecorderShim, 3)
	longer := record(t, author, at, journal.RecorderShim, 9)
	whole := string(read(t, file(author, rel)))
	write(t, file(h, rel), cut(whole, 2))
	write(t, file(h, longer), cut(string(read(t, file(author, longer))), 3))
	dir := mustShare(t, author)
	before := tree(t, h.Store())
	_, err := app.Import(context.Background(), &app.ImportOptions{Home: h, Sources: []string{dir}, Hook: func(step string) {
		if step == "moved" {
			write(t, file(h, rel), cut(whole, 3)) // the longest log is moved first
		}
	}})
	var problem *app.Problem
	if !errors.As(err, &problem) || !strings.Contains(err.Error(), rel+" changed meanwhile") {
		t.Fatalf("got %v", err)
	}
	before[rel] = cut(whole, 3)
	if diff := cmp.Diff(before, tree(t, h.Store())); diff != "" {
		t.Error(diff)
	}
}

// What is made for others to read is at first for its owner only.
func TestShareAndImportModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	from, to := newHome(t), newHome(t)
	record(t, from, time.Unix(2e9, 0), journal.RecorderShim, 1)
	write(t, file(from, "calls-2025.jsonl"), sharedCall)
	dir := mustShare(t, from)
	mustImport(t, to, dir)
	for _, root := range []string{dir, to.Store()} {
		err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
				t.Errorf("%s has the mode %o, want %o", name, info.Mode().Perm(), want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Errors and results of an import never hold what a line held.
func TestImportQuotesNothing(t *testing.T) {
	for _, line := range []string{"quarterly_merger", `{"ts":"quarterly_merger"}`, `{"schema":"quarterly_merger"}`, `{"schema":"mcpeval.event/v1","quarterly_merger":1}`} {
		for _, name := range []string{"x.jsonl", "calls-1.jsonl", "annotations-1.jsonl"} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, name), line+"\n")
			_, err := importInto(newHome(t), dir)
			if err == nil || strings.Contains(err.Error(), "merger") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
