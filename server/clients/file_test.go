package clients_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/server/clients"
)

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func open(t *testing.T, path string) *clients.File {
	t.Helper()
	f, err := clients.Open(clients.Place{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// only are the names of what stands in a folder.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	put(t, path, "one", 0o640)
	f := open(t, path)
	if err := f.Write([]byte("two")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "mcp.json", "mcp.json.mcpeval-backup")
	if runtime.GOOS != "windows" {
		for _, p := range []string{path, f.Backup()} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%s: %v, %v", p, info.Mode(), err)
			}
		}
	}

	// The second change does not touch the backup.
	f = open(t, path)
	if err := f.Write([]byte("three")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, f.Backup()); got != "one" {
		t.Errorf("the backup is %q", got)
	}
	if got := get(t, path); got != "three" {
		t.Errorf("the file is %q", got)
	}

	if left, err := f.Settle([]byte("three")); !left || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	if left, err := f.Settle([]byte("one")); left || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	only(t, dir, "mcp.json")
	if left, err := f.Settle([]byte("one")); left || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// A client that writes its configuration between our reading and our writing
// loses nothing.
func TestWriteOfWhatChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	put(t, path, "one", 0o600)
	f := open(t, path)
	put(t, path, "the client's", 0o600)
	if err := f.Write([]byte("two")); !errors.Is(err, clients.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if got := get(t, path); got != "the client's" {
		t.Errorf("the file is %q", got)
	}
	only(t, dir, "mcp.json", "mcp.json.mcpeval-backup")
}

func TestLinks(t *testing.T) {
	dir, dotfiles := t.TempDir(), t.TempDir()
	real, link := filepath.Join(dotfiles, "real.json"), filepath.Join(dir, "mcp.json")
	put(t, real, "one", 0o600)
	if err := os.Symlink(real, link); err != nil {
		t.Skip("this system has no links for us")
	}
	f := open(t, link)
	if err := f.Write([]byte("two")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "mcp.json")
	only(t, dotfiles, "real.json", "real.json.mcpeval-backup")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if got := get(t, real); got != "two" {
		t.Errorf("the file is %q", got)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, at("closed"), "{}", 0)
	big, err := os.Create(at("big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(big.Truncate(64<<20+1), big.Close()); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		want error
	}{
		{"missing", fs.ErrNotExist},
		{"folder", clients.ErrNotRegular},
		{"big", clients.ErrTooLarge},
	}
	if os.Symlink(at("nothing"), at("dangling")) == nil {
		tests = append(tests, struct {
			name string
			want error
		}{"dangling", clients.ErrDangling})
	}
	if os.Geteuid() > 0 {
		tests = append(tests, struct {
			name string
			want error
		}{"closed", fs.ErrPermission})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := clients.Open(clients.Place{Path: at(tt.name)}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A folder that cannot be written to keeps its file and gets no others.
func TestWriteFails(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("no folder is closed to root, nor to anyone on Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	put(t, path, "one", 0o600)
	f := open(t, path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if err := f.Write([]byte("two")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	only(t, dir, "mcp.json")
}

func TestPlaces(t *testing.T) {
	const home = "/home/u"
	for _, tt := range []struct {
		os   string
		env  map[string]string
		want []string
	}{
		{"linux", map[string]string{"HOME": home}, []string{
			"claude-desktop /home/u/.config/Claude/claude_desktop_config.json",
			"claude-code /home/u/.claude.json",
			"cursor /home/u/.cursor/mcp.json",
			"vscode /home/u/.config/Code/User/mcp.json",
			"vscode /home/u/.config/Code/User/settings.json",
			"vscode /home/u/.config/Code - Insiders/User/mcp.json",
			"vscode /home/u/.config/Code - Insiders/User/settings.json",
			"vscode /home/u/.config/VSCodium/User/mcp.json",
			"vscode /home/u/.config/VSCodium/User/settings.json",
			"windsurf /home/u/.codeium/windsurf/mcp_config.json",
			"zed /home/u/.config/zed/settings.json",
		}},
		{"linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c"}, []string{
			"claude-desktop /x/Claude/claude_desktop_config.json",
			"claude-code /c/.claude.json",
			"zed /x/zed/settings.json",
		}},
		{"darwin", map[string]string{"HOME": home}, []string{
			"claude-desktop /home/u/Library/Application Support/Claude/claude_desktop_config.json",
			"vscode /home/u/Library/Application Support/Code/User/mcp.json",
			"zed /home/u/.config/zed/settings.json",
		}},
		{"windows", map[string]string{"USERPROFILE": home, "APPDATA": "/roaming", "LOCALAPPDATA": "/local"}, []string{
			"claude-desktop /roaming/Claude/claude_desktop_config.json",
			"claude-desktop /local/Packages/Claude_x/LocalCache/Roaming/Claude/claude_desktop_config.json",
			"claude-code /home/u/.claude.json",
			"cursor /home/u/.cursor/mcp.json",
			"zed /roaming/Zed/settings.json",
		}},
		{"windows", map[string]string{"USERPROFILE": home, "HOME": "/other"}, []string{
			"claude-desktop /home/u/AppData/Roaming/Claude/claude_desktop_config.json",
		}},
		{"linux", nil, nil},
	} {
		s := &clients.System{OS: tt.os, Getenv: func(k string) string { return tt.env[k] }, Glob: func(pattern string) ([]string, error) {
			return []string{strings.Replace(pattern, "*", "x", 1)}, nil
		}}
		got := map[string]bool{}
		for _, p := range s.Places() {
			got[p.Client+" "+filepath.ToSlash(p.Path)] = true
		}
		for _, want := range tt.want {
			if !got[want] {
				t.Errorf("%s %v: %s is missing from %v", tt.os, tt.env, want, got)
			}
		}
		if tt.want == nil && len(got) > 0 {
			t.Errorf("%s without a home: %v", tt.os, got)
		}
	}
}
