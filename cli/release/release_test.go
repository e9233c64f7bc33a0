//go:build !race

// The race detector makes packing take minutes, and nothing here runs at the same
// time as anything else.

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pack makes a release of this test's binary, as if it were that of two systems,
// and returns its files.
func pack(t *testing.T, when time.Time) map[string][]byte {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	dist := t.TempDir()
	for _, name := range []string{"linux_arm64/mcpeval", "windows_amd64/mcpeval.exe"} {
		path := filepath.Join(dist, "bin", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dist, "../..", "1.2.3", when); err != nil {
		t.Fatal(err)
	}
	made := make(map[string][]byte)
	names, err := filepath.Glob(filepath.Join(dist, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join(dist, "SHA256SUMS")) {
		if made[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

func TestRelease(t *testing.T) {
	when := time.Unix(1700000000, 0).UTC()
	first, second := pack(t, when), pack(t, when.In(time.FixedZone("elsewhere", 3600)))
	t.Run("reproducible", func(t *testing.T) { reproducible(t, first, second) })
	t.Run("archives", func(t *testing.T) { archives(t, first, when) })
	t.Run("bill", func(t *testing.T) { billed(t, first) })
}

// reproducible checks that two releases are the same bytes, and their checksums.
func reproducible(t *testing.T, first, second map[string][]byte) {
	want := []string{"SHA256SUMS", "mcpeval_1.2.3.cdx.json", "mcpeval_1.2.3_linux_arm64.tar.gz", "mcpeval_1.2.3_windows_amd64.zip"}
	if diff := cmp.Diff(want, sortedNames(first)); diff != "" {
		t.Fatal(diff)
	}
	for name, text := range first {
		if !bytes.Equal(text, second[name]) {
			t.Errorf("%s is another the second time", name)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(string(first["SHA256SUMS"])), "\n") {
		sum, name, _ := strings.Cut(line, "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(first[name])); got != sum {
			t.Errorf("%s: %s, want %s", name, got, sum)
		}
	}
	if n := strings.Count(string(first["SHA256SUMS"]), "\n"); n != len(want)-1 {
		t.Errorf("%d checksums", n)
	}
}

func archives(t *testing.T, made map[string][]byte, when time.Time) {
	needed := []string{"LICENSE", "README.md", "CHANGELOG.md", "man/man1/mcpeval.1", "man/man1/mcpeval-catalog-check.1", "completions/_mcpeval", "completions/mcpeval.bash"}

	z, err := gzip.NewReader(bytes.NewReader(made["mcpeval_1.2.3_linux_arm64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	modes := make(map[string]int64)
	last := ""
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name <= last || !h.ModTime.Equal(when) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s after %s: %v, owner %d %s", h.Name, last, h.ModTime, h.Uid, h.Uname)
		}
		last = h.Name
		modes[strings.TrimPrefix(h.Name, "mcpeval_1.2.3_linux_arm64/")] = h.Mode
	}
	for _, name := range needed {
		if modes[name] != 0o644 {
			t.Errorf("%s has the mode %o", name, modes[name])
		}
	}
	if modes["mcpeval"] != 0o755 {
		t.Errorf("the program has the mode %o", modes["mcpeval"])
	}

	archive := made["mcpeval_1.2.3_windows_amd64.zip"]
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(needed, "mcpeval.exe") {
		if _, err := r.Open("mcpeval_1.2.3_windows_amd64/" + name); err != nil {
			t.Error(err)
		}
	}
}

// billed checks that the bill names what is compiled in.
func billed(t *testing.T, made map[string][]byte) {
	var b bom
	if err := json.Unmarshal(made["mcpeval_1.2.3.cdx.json"], &b); err != nil {
		t.Fatal(err)
	}
	if b.Metadata.Component.PURL != "pkg:golang/github.com/mcpeval/mcpeval@1.2.3" || b.Spec != "1.6" {
		t.Errorf("%+v", b.Metadata)
	}
	seen := make(map[string]component)
	for _, c := range b.Components {
		if c.Version == "" || seen[c.Ref].Ref != "" {
			t.Errorf("%+v", c)
		}
		seen[c.Ref] = c
	}
	for _, want := range []string{"pkg:golang/std@", "pkg:golang/github.com/urfave/cli/v2@", "pkg:golang/zombiezen.com/go/sqlite@"} {
		found := false
		for ref := range seen {
			found = found || strings.HasPrefix(ref, want)
		}
		if !found {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestNothingToPack(t *testing.T) {
	if err := run(t.TempDir(), "../..", "1.2.3", time.Unix(0, 0)); !errors.Is(err, errNoBinaries) {
		t.Errorf("got %v", err)
	}
}
