package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

// FuzzImport gives any bytes to an import, as a log of each kind and as the
// SHARE.md beside a good one. It ends without a panic and quotes nothing; what it
// takes, a share gives out again, and importing that adds nothing.
func FuzzImport(f *testing.F) {
	author := &home.Home{Dir: f.TempDir()}
	dir := filepath.Join(author.Store(), "captures", "2026-11-30")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	const line = `{"schema":"mcpeval.event/v1","identity":{"capture_id":"00000000-0000-4000-8000-000000000001","event_id":"0193a94a-2000-7000-8000-000000000001"},"prev":"00000000000000000000000000000000","seq":1,"ts":"2026-11-30T12:00:00.000Z","session":"session:0000000000000000000000000000000000000000000000000000000000000001","server":"demo","kind":"real","type":"capture","recorder":"shim","version":"0.1.0","os":"linux","arch":"amd64","salt_id":"01234567"}` + "\n"
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	write(filepath.Join(dir, "00000000-0000-4000-8000-000000000001.jsonl"), line)
	envelope := filepath.Join(f.TempDir(), "envelope")
	if _, err := app.Share(context.Background(), &app.ShareOptions{Home: author, Dir: envelope}); err != nil {
		f.Fatal(err)
	}
	note, err := os.ReadFile(filepath.Join(envelope, "SHARE.md"))
	if err != nil {
		f.Fatal(err)
	}
	names := []string{"x.jsonl", "calls-1.jsonl", "annotations-1.jsonl", "probes/history.jsonl", "SHARE.md"}
	for i, text := range []string{line + line, sharedCall + sharedRawCall, sharedNote, sharedHistory, string(note)} {
		f.Add(uint8(i), text)
		f.Add(uint8(i), text[:len(text)/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		source := t.TempDir()
		name := filepath.Join(source, filepath.FromSlash(names[int(which)%len(names)]))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(source, os.DirFS(filepath.Join(envelope))); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) != "SHARE.md" {
			if err := os.Remove(filepath.Join(source, "SHARE.md")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h := newHome(t)
		got, err := importInto(h, source)
		if err != nil {
			if left := tree(t, h.Store()); len(left) > 0 {
				t.Errorf("refused, and imported %d files", len(left))
			}
			for _, line := range strings.Split(text, "\n") {
				if len(line) > 40 && strings.Contains(err.Error(), line) {
					t.Error("the error quotes a line")
				}
			}
			return
		}
		if int64(len(got.Added)+len(got.Extended)) != int64(len(tree(t, h.Store()))) {
			t.Errorf("%+v, and the store holds %d files", got, len(tree(t, h.Store())))
		}
		again := filepath.Join(t.TempDir(), "again")
		shared, err := app.Share(context.Background(), &app.ShareOptions{
			Home: h, Dir: again, Notes: true, History: true, Now: func() time.Time { return time.Unix(2e9, 0) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if !shared.Published { // a detector saw something in what the grammar leaves open
			return
		}
		if got, err := importInto(h, again); err != nil || len(got.Added)+len(got.Extended) > 0 {
			t.Errorf("a second time: %+v, %v", got, err)
		}
	})
}
