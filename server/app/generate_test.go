package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/server/app"
)

func TestGenerate(t *testing.T) {
	h, failing, silent := homeOfFindings(t)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.json")
	if err := os.WriteFile(taken, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "fresh.json")
	tests := []struct {
		name string
		o    app.GenerateOptions
		want string // in the *InputError
	}{
		{"no attestation", app.GenerateOptions{Finding: failing, Output: fresh}, "--confirm-read-only"},
		{"unknown finding", app.GenerateOptions{Finding: "finding-0000000000000000", Output: fresh, ConfirmReadOnly: true}, "there is no finding"},
		{"no finding", app.GenerateOptions{Finding: "secret", Output: fresh, ConfirmReadOnly: true}, "16 hex digits"},
		{"taken", app.GenerateOptions{Finding: failing, Output: taken, ConfirmReadOnly: true}, "is there already"},
		{"no folder", app.GenerateOptions{Finding: failing, Output: filepath.Join(dir, "no", "x.json"), ConfirmReadOnly: true}, "folder"},
		{"no expectation", app.GenerateOptions{Finding: silent, Output: fresh, ConfirmReadOnly: true}, "has to be said"},
		{"not needed", app.GenerateOptions{Finding: failing, Output: fresh, ConfirmReadOnly: true, Expect: []byte(`{"outcome":"ok"}`)}, "no expectation"},
		{"refused over a file", app.GenerateOptions{Finding: silent, Output: taken, ConfirmReadOnly: true, Force: true, Expect: []byte(`{"outcome":"ok"}`)}, "any success"},
	}
	for _, own := range []string{h.SaltPath(), h.ConfigPath(), h.IndexPath(), h.IndexPath() + "-wal", h.LedgerPath(), h.LockPath(), filepath.Join(h.Store(), "captures", "x.jsonl")} {
		tests = append(tests, struct {
			name string
			o    app.GenerateOptions
			want string
		}{"own " + filepath.Base(own), app.GenerateOptions{Finding: failing, Output: own, ConfirmReadOnly: true, Force: true}, "is the home's own"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Home = h
			g, err := app.Generate(t.Context(), &tt.o)
			if e, ok := errors.AsType[*app.InputError](err); g != nil || !ok || !strings.Contains(err.Error(), tt.want) || e.Next == "" && tt.name != "no folder" {
				t.Errorf("got %+v, %v", g, err)
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if text, readErr := os.ReadFile(taken); err != nil || readErr != nil || len(entries) != 1 || string(text) != "kept" {
		t.Errorf("the folder has %v, the file %s", entries, text)
	}

	g, err := app.Generate(t.Context(), &app.GenerateOptions{Home: h, Finding: failing, Output: taken, ConfirmReadOnly: true, Force: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(taken)
	if err != nil || string(text) != string(g.Text) {
		t.Errorf("the file holds %s, %v", text, err)
	}
	if m, err := manifest.Parse(text); err != nil || m.Find(failing) == nil {
		t.Errorf("parsed %+v, %v", m, err)
	}
}
