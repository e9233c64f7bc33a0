package journal_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
)

type lineReader interface {
	Next() bool
	Line() []byte
	Place() journal.Place
	End() journal.Place
	Torn() int64
	Err() error
}

// readers are all implementations; one table tests them all.
var readers = map[string]func(t *testing.T, content []byte) lineReader{
	"strict": func(_ *testing.T, b []byte) lineReader {
		return journal.NewReader(bytes.NewReader(b), journal.Place{Path: "f"})
	},
	"strict, a byte at a time": func(_ *testing.T, b []byte) lineReader {
		return journal.NewReader(iotest.OneByteReader(bytes.NewReader(b)), journal.Place{Path: "f"})
	},
	"strict, data with EOF": func(_ *testing.T, b []byte) lineReader {
		return journal.NewReader(iotest.DataErrReader(bytes.NewReader(b)), journal.Place{Path: "f"})
	},
	"live": func(t *testing.T, b []byte) lineReader {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return openLive(t, name)
	},
}

func openLive(t *testing.T, name string) *journal.LiveReader {
	t.Helper()
	l, err := journal.OpenLive(name, journal.Place{Path: "f"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestReaders(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	tests := []struct {
		name, content string
		want          []string
		torn          int64
	}{
		{"empty", "", nil, 0},
		{"one", "a\n", []string{"a"}, 0},
		{"torn", "a\nbc", []string{"a"}, 2},
		{"only torn", "abc", nil, 3},
		{"empty lines", "\n\na\n", []string{"", "", "a"}, 0},
		{"carriage return stays", "a\r\n", []string{"a\r"}, 0},
		{"long", "a\n" + long + "\nb\n", []string{"a", long, "b"}, 0},
		{"NUL and invalid bytes", "\x00\xff\n", []string{"\x00\xff"}, 0},
	}
	for kind, open := range readers {
		for _, tt := range tests {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				r := open(t, []byte(tt.content))
				var got []string
				var end int64
				for r.Next() {
					p := r.Place()
					if p.Line != int64(len(got))+1 || tt.content[p.Offset:p.Offset+int64(len(r.Line()))] != string(r.Line()) || p.Path != "f" {
						t.Fatalf("line %d stands at %+v", len(got)+1, p)
					}
					end = r.End().Offset
					got = append(got, string(r.Line()))
				}
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if r.Torn() != tt.torn || end != int64(len(tt.content))-tt.torn {
					t.Errorf("torn %d, end %d, want %d, %d", r.Torn(), end, tt.torn, int64(len(tt.content))-tt.torn)
				}
			})
		}
		t.Run(kind+"/unbounded line", func(t *testing.T) {
			r := open(t, append([]byte("a\n"), make([]byte, 6<<20)...))
			n := 0
			for r.Next() {
				n++
			}
			var c *journal.CorruptionError
			if n != 1 || !errors.As(r.Err(), &c) || !errors.Is(c, journal.ErrTooLong) || c.Line != 2 || c.Offset != 2 || c.Path != "f" {
				t.Errorf("%d lines, %v", n, r.Err())
			}
		})
	}
}

func TestReaderResumes(t *testing.T) {
	r := journal.NewReader(strings.NewReader("c\nd\n"), journal.Place{Path: "f", Line: 3, Offset: 4})
	if !r.Next() || r.Place() != (journal.Place{Path: "f", Line: 3, Offset: 4}) || r.End() != (journal.Place{Path: "f", Line: 4, Offset: 6}) {
		t.Errorf("at %+v, end %+v", r.Place(), r.End())
	}
}

func TestReaderSourceError(t *testing.T) {
	r := journal.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(os.ErrDeadlineExceeded)), journal.Place{Path: "f"})
	n := 0
	for r.Next() {
		n++
	}
	if n != 1 || !errors.Is(r.Err(), os.ErrDeadlineExceeded) {
		t.Errorf("%d lines, %v", n, r.Err())
	}
}

func TestLiveReaderFollows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := openLive(t, name)
	for _, step := range []struct {
		add  string
		want []string
		torn int64
	}{{"", nil, 0}, {"a\nb", []string{"a"}, 1}, {"", nil, 1}, {"c\n", []string{"bc"}, 0}, {"d\ne\n", []string{"d", "e"}, 0}} {
		if _, err := f.WriteString(step.add); err != nil {
			t.Fatal(err)
		}
		var got []string
		for l.Next() {
			got = append(got, string(l.Line()))
		}
		if diff := cmp.Diff(step.want, got); diff != "" || l.Err() != nil || l.Torn() != step.torn {
			t.Errorf("after %q: %s %v torn %d", step.add, diff, l.Err(), l.Torn())
		}
	}
	if err := f.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if l.Next() || !errors.Is(l.Err(), journal.ErrShrunk) {
		t.Errorf("a file that shrank gives %v", l.Err())
	}
}

func TestKindOf(t *testing.T) {
	for rel, want := range map[string]journal.FileKind{
		"captures/2026-11-30/x.jsonl": journal.FileCapture,
		"captures/calls-x.jsonl":      journal.FileCapture,
		"calls-2025.jsonl":            journal.FileLegacyCalls,
		"old/calls-2025.jsonl":        journal.FileLegacyCalls,
		"annotations-1.jsonl":         journal.FileLegacyAnnotations,
		"probes/history.jsonl":        journal.FileHistory,
		"copied.jsonl":                journal.FileCapture,
		"SHARE.md":                    journal.FileOther,
		"captures/x.jsonl.tmp":        journal.FileOther,
	} {
		if got := journal.KindOf(rel); got != want {
			t.Errorf("KindOf(%q) = %v, want %v", rel, got, want)
		}
	}
}

func TestFiles(t *testing.T) {
	store := t.TempDir()
	for _, rel := range []string{"captures/2026-11-30/b.jsonl", "captures/2026-11-30/a.jsonl", "calls-1.jsonl", "notes.txt"} {
		name := filepath.Join(store, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(store, "calls-1.jsonl"), filepath.Join(store, "calls-link.jsonl")); err != nil {
		t.Skip("symbolic links are not to be had here")
	}
	files, err := journal.Files(store)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"calls-1.jsonl", "captures/2026-11-30/a.jsonl", "captures/2026-11-30/b.jsonl"}, got); diff != "" {
		t.Error(diff)
	}
	// The whole store may lie elsewhere, behind a link.
	link := filepath.Join(t.TempDir(), "store")
	if err := os.Symlink(store, link); err != nil {
		t.Fatal(err)
	}
	if linked, err := journal.Files(link); err != nil || !cmp.Equal(files, linked) {
		t.Errorf("behind a link: %v, %v", linked, err)
	}
	if files, err := journal.Files(filepath.Join(store, "missing")); err != nil || len(files) != 0 {
		t.Errorf("a missing store: %v, %v", files, err)
	}
}
