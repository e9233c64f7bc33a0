package app_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/server/app"
)

func newHome(t *testing.T) *home.Home {
	t.Helper()
	h, err := home.Open(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// record writes a capture with n notifications and an end, all at the time
// given, and returns its log's path below the store.
func record(t *testing.T, h *home.Home, at time.Time, recorder journal.RecorderKind, n int) string {
	t.Helper()
	label := func(s string) sanitize.Label {
		l, err := sanitize.NewLabel(s)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	w, err := journal.Create(&journal.Options{
		Store: h.Store(), Session: sanitize.SessionOf("s"), Server: label("demo"), Kind: journal.Real,
		Recorder: recorder, Version: label("0.1.0"), SaltID: sanitize.New(sanitize.Salt{1}).SaltID(),
		Now: func() time.Time { return at },
	})
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if _, err := w.Add(at, &journal.Notification{Origin: journal.FromClient, Method: sanitize.MethodOf([]byte("notifications/initialized"))}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Add(at, &journal.End{ExitCode: 0}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

func file(h *home.Home, rel string) string { return filepath.Join(h.Store(), filepath.FromSlash(rel)) }

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRepair(t *testing.T) {
	type R = app.Range
	long := strings.Repeat("x", 5<<20) // over the bound of a line
	tests := []struct {
		name   string
		damage func(lines []string) string // of a log of five lines
		good   []R
		bad    []R
		torn   int64
	}{
		{"nothing", func(l []string) string { return strings.Join(l, "") }, []R{{1, 5}}, nil, 0},
		{"one line", func(l []string) string { return l[0] + "garbage\n" + l[1] + l[2] }, []R{{1, 1}, {3, 4}}, []R{{2, 2}}, 0},
		{"first and last", func(l []string) string { return "{}\n" + l[1] + "[]\n\n" }, []R{{2, 2}}, []R{{1, 1}, {3, 4}}, 0},
		{"torn tail", func(l []string) string { return l[0] + l[1][:20] }, []R{{1, 1}}, nil, 20},
		{"all", func([]string) string { return "a\nb\n" }, nil, []R{{1, 2}}, 0},
		{"empty", func([]string) string { return "" }, nil, nil, 0},
		{"too long to be a line", func(l []string) string { return l[0] + long + "\n" + l[1] }, []R{{1, 1}, {3, 3}}, []R{{2, 2}}, 0},
		{"too long and never ending", func(l []string) string { return l[0] + long }, []R{{1, 1}}, []R{{2, 2}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			rel := record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 3)
			lines := strings.SplitAfter(string(read(t, file(h, rel))), "\n")
			damaged := tt.damage(lines)
			if err := os.WriteFile(file(h, rel), []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := app.Repair(h, rel)
			if err != nil {
				t.Fatal(err)
			}
			want := &app.Removal{Path: rel, Good: tt.good, Bad: tt.bad, Torn: tt.torn}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(app.Removal{}, "Quarantine"), cmpopts.IgnoreUnexported(app.Removal{})); diff != "" {
				t.Error(diff)
			}
			changed := len(tt.bad) > 0 || tt.torn > 0
			if changed != (got.Quarantine != "") {
				t.Fatalf("quarantine is %q", got.Quarantine)
			}
			if changed && string(read(t, got.Quarantine)) != damaged {
				t.Error("the log in quarantine is not what it was")
			}
			// What is left is good, and nothing else is in its folder.
			again, err := app.Repair(h, rel)
			if err != nil || again.Quarantine != "" {
				t.Errorf("the repaired log is not good: %v %v", again, err)
			}
			if entries, err := os.ReadDir(filepath.Dir(file(h, rel))); err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v %v", entries, err)
			}
		})
	}
}

func TestRepairFailsWhole(t *testing.T) {
	h := newHome(t)
	rel := record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 1)
	damaged := append(read(t, file(h, rel)), "garbage\n"...)
	if err := os.WriteFile(file(h, rel), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	// The quarantine cannot be made: a file is in its place.
	if err := os.WriteFile(h.QuarantineDir(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Repair(h, rel); err == nil {
		t.Error("repaired without a quarantine")
	}
	if _, err := app.Quarantine(h, rel); err == nil {
		t.Error("quarantined without a quarantine")
	}
	if !bytes.Equal(read(t, file(h, rel)), damaged) {
		t.Error("the log has changed")
	}
	if entries, err := os.ReadDir(filepath.Dir(file(h, rel))); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestLocate(t *testing.T) {
	h := newHome(t)
	rel := record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 0)
	if err := os.WriteFile(filepath.Join(h.Dir, "outside.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file(h, rel), filepath.Join(h.Store(), "link.jsonl")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.WriteFile(file(h, "captures/a\n.jsonl"), nil, 0o600); err != nil {
		t.Skip("not every name is allowed here")
	}
	tests := []struct{ name, in, want string }{
		{"relative to the store", rel, rel},
		{"absolute", file(h, rel), rel},
		{"not clean", "captures/../" + rel, rel},
		{"outside", filepath.Join(h.Dir, "outside.jsonl"), ""},
		{"outside by dots", "../outside.jsonl", ""},
		{"as it is shown", `"captures/\x61\x0a.jsonl"`, "captures/a\n.jsonl"},
		{"as a shell leaves it", `captures/\x61\x0a.jsonl`, "captures/a\n.jsonl"},
		{"missing", "captures/none.jsonl", ""},
		{"a folder", "captures", ""},
		{"a link", "link.jsonl", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := app.Locate(h.Store(), tt.in)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
			var problem *app.Problem
			if err != nil && (!errors.As(err, &problem) || problem.Next == "") {
				t.Errorf("%v does not say what to do next", err)
			}
		})
	}
}

func TestCaptures(t *testing.T) {
	h := newHome(t)
	old := record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 2)
	open := record(t, h, time.Unix(2e9, 0), journal.RecorderProbe, 2)
	torn := record(t, h, time.Unix(3e9, 0), journal.RecorderShim, 2)
	broken := record(t, h, time.Unix(4e9, 0), journal.RecorderShim, 2)
	empty := record(t, h, time.Unix(5e9, 0), journal.RecorderShim, 2)
	edit := func(rel string, f func(string) string) {
		if err := os.WriteFile(file(h, rel), []byte(f(string(read(t, file(h, rel))))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit(open, func(s string) string { return s[:strings.LastIndex(strings.TrimSuffix(s, "\n"), "\n")+1] })
	edit(torn, func(s string) string { return strings.TrimSuffix(s, "\n") })
	edit(broken, func(s string) string { return "garbage\n" + s })
	edit(empty, func(string) string { return "" })

	captures, err := app.Captures(t.Context(), h.Store())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Path   string
		State  app.CaptureState
		Events int64
	}
	var got []row
	for _, c := range captures {
		got = append(got, row{c.Path, c.State, c.Events})
	}
	want := []row{{torn, app.StateTorn, 3}, {open, app.StateOpen, 3}, {old, app.StateEnded, 4}, {broken, app.StateBroken, 0}, {empty, app.StateEmpty, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c, err := app.FindCapture(t.Context(), h.Store(), strings.ToUpper(captures[0].ID.String()[:13]))
	if err != nil || c.Path != torn {
		t.Errorf("found %v, %v", c.Path, err)
	}
	for _, prefix := range []string{"", "zz"} {
		if _, err := app.FindCapture(t.Context(), h.Store(), prefix); !errors.Is(err, app.ErrNoCapture) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

func TestPruneKeepsWordsAndTheNew(t *testing.T) {
	h := newHome(t)
	record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 1) // old, but never indexed
	record(t, h, time.Unix(1e9, 0), journal.RecorderAnnotate, 1)
	record(t, h, time.Unix(1e9, 0), journal.RecorderVerify, 1)
	record(t, h, time.Unix(2e9, 0), journal.RecorderShim, 1)
	got, err := app.Prune(t.Context(), h, time.Unix(1_500_000_000, 0), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Captures) != 0 || got.NotIndexed != 1 {
		t.Errorf("got %+v", got)
	}
	if files, err := journal.Files(h.Store()); err != nil || len(files) != 4 {
		t.Errorf("%d files are left: %v", len(files), err)
	}
}
