package home_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/home"
)

func TestResolve(t *testing.T) {
	tests := []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"explicit", "linux", map[string]string{"MCPEVAL_HOME": "/x", "HOME": "/home/ann"}, "/x"},
		{"explicit on Windows", "windows", map[string]string{"MCPEVAL_HOME": `D:\x`, "HOME": `C:\h`, "USERPROFILE": `C:\u`}, `D:\x`},
		{"home", "linux", map[string]string{"HOME": "/home/ann"}, "/home/ann/.mcp-eval"},
		{"home with a slash", "linux", map[string]string{"HOME": "/home/ann/"}, "/home/ann/.mcp-eval"},
		{"home is the root", "linux", map[string]string{"HOME": "/"}, "/.mcp-eval"},
		{"empty means unset", "linux", map[string]string{"MCPEVAL_HOME": "", "HOME": "/h"}, "/h/.mcp-eval"},
		{"HOME on Windows", "windows", map[string]string{"HOME": `C:\h`, "USERPROFILE": `C:\u`}, `C:\h\.mcp-eval`},
		{"profile", "windows", map[string]string{"USERPROFILE": `C:\Users\ann`}, `C:\Users\ann\.mcp-eval`},
		{"profile is a drive", "windows", map[string]string{"USERPROFILE": `C:\`}, `C:\.mcp-eval`},
		{"HOME with slashes on Windows", "windows", map[string]string{"HOME": `/c/Users/ann/`}, `/c/Users/ann/.mcp-eval`},
		{"profile counts on Windows only", "linux", map[string]string{"USERPROFILE": "/u"}, ""},
		{"nothing", "linux", nil, ""},
		{"nothing on Windows", "windows", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := home.Resolve(func(k string) string { return tt.env[k] }, tt.goos)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if errors.Is(err, home.ErrNoHome) != (tt.want == "") {
				t.Errorf("error %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "set MCPEVAL_HOME") {
				t.Errorf("%q does not say what to do", err)
			}
		})
	}
}

func open(t *testing.T) *home.Home {
	t.Helper()
	h, err := home.Open(filepath.Join(t.TempDir(), "a", "home"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "home")
	h, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := home.Open(dir)
	if err != nil || again.Dir != h.Dir || h.Dir != dir {
		t.Fatalf("opened again: %v", err)
	}
	for got, want := range map[string]string{
		h.Store(): "store", h.IndexPath(): "index.db", h.LedgerPath(): "ledger.db", h.LockPath(): ".index.lock",
		h.SaltPath(): ".salt", h.ConfigPath(): "config.json", h.QuarantineDir(): "quarantine",
	} {
		if got != filepath.Join(dir, want) {
			t.Errorf("path %s, want %s in the home", got, want)
		}
	}
	if runtime.GOOS != "windows" {
		for _, p := range []string{dir, h.Store()} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: mode %v, %v; want 0700", p, info.Mode(), err)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("Open created %v, want store only", entries)
	}
}

func TestOpenFails(t *testing.T) {
	if _, err := home.Open(""); !errors.Is(err, home.ErrNoHome) {
		t.Errorf("no path: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := home.Open(dir); err == nil || !strings.HasPrefix(err.Error(), "create home: ") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestOpenMakesThePathAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	h, err := home.Open("relative")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if _, err := os.Stat(h.Store()); err != nil {
		t.Errorf("the home moved with the working folder: %v", err)
	}
}

func TestConfig(t *testing.T) {
	tests := []struct {
		name, in string
		want     home.Config
		err      string // part of the message; empty for none
	}{
		{"empty object", `{}`, home.Config{}, ""},
		{"threshold", "{\n \"promotion_threshold\": 0.75\n}\n", home.Config{PromotionThreshold: 0.75, HasPromotionThreshold: true}, ""},
		{"zero", `{"promotion_threshold":0}`, home.Config{HasPromotionThreshold: true}, ""},
		{"exponent", `{"promotion_threshold":1e2}`, home.Config{PromotionThreshold: 100, HasPromotionThreshold: true}, ""},
		{"tiny", `{"promotion_threshold":1e-999}`, home.Config{HasPromotionThreshold: true}, ""},
		{"unknown", `{"promotion_threshold":1,"secret_setting":2}`, home.Config{}, "field 2 is unknown"},
		{"case", `{"Promotion_threshold":1}`, home.Config{}, "field 1 is unknown"},
		{"repeated", `{"promotion_threshold":1,"promotion_threshold":1}`, home.Config{}, "field 2 repeats promotion_threshold"},
		{"repeated through an escape", `{"promotion_threshold":1,"promotion\u005fthreshold":1}`, home.Config{}, "field 2 repeats"},
		{"text", `{"promotion_threshold":"secret_setting"}`, home.Config{}, "must be a number"},
		{"null", `{"promotion_threshold":null}`, home.Config{}, "must be a number"},
		{"negative", `{"promotion_threshold":-1}`, home.Config{}, "0 or more"},
		{"infinite", `{"promotion_threshold":1e999}`, home.Config{}, "0 or more"},
		{"array", `["secret_setting"]`, home.Config{}, "want one object"},
		{"no JSON", `secret_setting`, home.Config{}, "config.json: "},
		{"trailing", `{} secret_setting`, home.Config{}, "config.json: "},
		{"empty file", ``, home.Config{}, "config.json: "},
		{"comment", "{} // secret_setting", home.Config{}, "config.json: "},
		{"too long", "{" + strings.Repeat(" ", 64<<10) + "}", home.Config{}, "longer than 64 KiB"},
	}
	h := open(t)
	if c, err := h.Config(); err != nil || c != (home.Config{}) {
		t.Errorf("no file: %+v, %v", c, err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(h.ConfigPath(), []byte(tt.in), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := h.Config()
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			switch {
			case tt.err == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want %q in it", err, tt.err)
			case err != nil && strings.Contains(err.Error(), "secret_setting"):
				t.Errorf("the error quotes the file: %v", err)
			}
		})
	}
}
