package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

func TestDoctor(t *testing.T) {
	enough := func(string) (int64, error) { return 1 << 40, nil }
	tests := []struct {
		name   string
		change func(t *testing.T, h *home.Home)
		free   func(string) (int64, error)
		bad    string // names of the bad checks
	}{
		{"all well", nil, enough, ""},
		{"disk full", nil, func(string) (int64, error) { return 1 << 20, nil }, "disk"},
		{"disk unknown", nil, func(string) (int64, error) { return 0, errors.ErrUnsupported }, ""},
		{"disk error", nil, func(string) (int64, error) { return 0, errors.New("no") }, "disk"},
		{"salt too short", func(t *testing.T, h *home.Home) { write(t, h.SaltPath(), "short") }, enough, "salt"},
		{"config unknown field", func(t *testing.T, h *home.Home) { write(t, h.ConfigPath(), `{"x":1}`) }, enough, "config"},
		{"config good", func(t *testing.T, h *home.Home) { write(t, h.ConfigPath(), `{"promotion_threshold":0.5}`) }, enough, ""},
		{"log broken", func(t *testing.T, h *home.Home) {
			write(t, filepath.Join(h.Store(), "captures", "x.jsonl"), "garbage\n")
		}, enough, "logs"},
		{"log begun and left", func(t *testing.T, h *home.Home) {
			write(t, filepath.Join(h.Store(), "captures", "x.jsonl"), "")
			write(t, filepath.Join(h.Store(), "captures", "y.jsonl"), `{"schema`)
		}, enough, ""},
		{"log without an end", func(t *testing.T, h *home.Home) {
			write(t, filepath.Join(h.Store(), "captures", "x.jsonl"), strings.Repeat("x", journal.MaxLine))
		}, enough, "logs"},
		{"lock a folder", func(t *testing.T, h *home.Home) { mkdir(t, h.LockPath()) }, enough, "store"},
		{"index a folder", func(t *testing.T, h *home.Home) { mkdir(t, h.IndexPath()) }, enough, "store index"},
		{"ledger a folder", func(t *testing.T, h *home.Home) { mkdir(t, h.LedgerPath()) }, enough, "store"},
		{"captures a file", func(t *testing.T, h *home.Home) {
			if err := os.RemoveAll(filepath.Join(h.Store(), "captures")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(h.Store(), "captures"), "")
		}, enough, "store"},
		{"captures a link", func(t *testing.T, h *home.Home) {
			elsewhere := filepath.Join(t.TempDir(), "captures")
			if err := os.Rename(filepath.Join(h.Store(), "captures"), elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, filepath.Join(h.Store(), "captures")); err != nil {
				t.Skip("no symbolic links here")
			}
		}, enough, "store"},
		{"store a link", func(t *testing.T, h *home.Home) {
			elsewhere := filepath.Join(t.TempDir(), "store")
			if err := os.Rename(h.Store(), elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, h.Store()); err != nil {
				t.Skip("no symbolic links here")
			}
		}, enough, ""},
		{"index garbage", func(t *testing.T, h *home.Home) { write(t, h.IndexPath(), strings.Repeat("garbage", 1000)) }, enough, "index"},
		{"home open to all", func(t *testing.T, h *home.Home) {
			if runtime.GOOS == "windows" {
				t.Skip("no such permissions")
			}
			if err := os.Chmod(h.Dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}, enough, "home"},
		{"home listed by all", func(t *testing.T, h *home.Home) {
			if err := os.Chmod(h.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}, enough, ""},
		{"home a file", func(t *testing.T, h *home.Home) {
			if err := os.RemoveAll(h.Dir); err != nil {
				t.Fatal(err)
			}
			write(t, h.Dir, "x")
		}, enough, "home"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			if _, err := h.Salt(); err != nil {
				t.Fatal(err)
			}
			record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 1)
			if tt.change != nil {
				tt.change(t, h)
			}
			checks, err := app.Doctor(t.Context(), &app.DoctorOptions{Home: h.Dir, Free: tt.free})
			if err != nil {
				t.Fatal(err)
			}
			var bad []string
			for _, c := range checks {
				if c.Status == app.StatusBad {
					bad = append(bad, c.Name)
				}
				if (c.Fix == "") != (c.Status == app.StatusOK) || c.Detail == "" {
					t.Errorf("%+v does not say what it should", c)
				}
			}
			// A home that is a file has nothing in it that could be well.
			if got := strings.Join(bad, " "); got != tt.bad && (tt.bad != "home" || bad[0] != "home") {
				t.Errorf("bad: %q, want %q", got, tt.bad)
			}
		})
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheckRedaction(t *testing.T) {
	const token = "session:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	const head = `{"ts":"2025-01-02T03:04:05Z","session":"` + token + `","seq":1,`
	tests := []struct {
		name, file, line string
		clean            bool
	}{
		{"call", "calls-1.jsonl", head + `"server":"demo","method":"tools/call","tool":"read_file","args":{"path":"str32","n":{"array":2,"items":"num:7"}},"latency_ms":12,"outcome":"ok","error":null,"shim_self_us":40,"kind":"real"}`, true},
		{"call with blanks", "calls-1.jsonl", head + ` "server": "demo", "method": "tools/list", "args": {"a": "bool:true"}, "outcome": "ok"}`, true},
		{"error", "calls-1.jsonl", head + `"server":"demo","method":"tools/call","outcome":"error","error":{"code":-32602,"layer":"tool","retryable":true,"template":"{message}","template_id":"0123456789abcdef"}}`, true},
		{"unparsed", "calls-1.jsonl", head + `"server":"demo","method":"unparsed/inbound","kind":"unparsed","outcome":"unparsed"}`, true},
		{"identity", "calls-1.jsonl", head + `"server":"demo","method":"ping","outcome":"ok","identity":{"capture_id":"8f14e45f-ceea-4e1b-8a3c-0123456789ab","event_id":"0191e7a2-aaaa-4bbb-8ccc-0123456789ab"}}`, true},
		{"annotation", "annotations-1.jsonl", head + `"kind":"workaround","note":"asked again"}`, true},
		{"history", "probes/history.jsonl", `{"anything":"at all"}`, true},

		{"raw session", "calls-1.jsonl", `{"ts":"2025-01-02T03:04:05Z","session":"mine","seq":1,"server":"demo","method":"ping"}`, false},
		{"raw argument", "calls-1.jsonl", head + `"method":"tools/call","args":{"path":"plans for the party"}}`, false},
		{"raw key", "calls-1.jsonl", head + `"method":"tools/call","args":{"my plans":"str8"}}`, false},
		{"raw number", "calls-1.jsonl", head + `"method":"tools/call","args":{"n":42}}`, false},
		{"raw tool", "calls-1.jsonl", head + `"method":"tools/call","tool":"not a tool"}`, false},
		{"raw method", "calls-1.jsonl", head + `"method":"acme/secret"}`, false},
		{"raw server", "calls-1.jsonl", head + `"server":"my server!","method":"ping"}`, false},
		{"raw error text", "calls-1.jsonl", head + `"method":"ping","error":{"template":"no such user"}}`, false},
		{"raw code", "calls-1.jsonl", head + `"method":"ping","error":{"code":"no such user"}}`, false},
		{"raw layer", "calls-1.jsonl", head + `"method":"ping","error":{"layer":"my database"}}`, false},
		{"raw identity", "calls-1.jsonl", head + `"method":"ping","identity":{"capture_id":"mine"}}`, false},
		{"unknown member", "calls-1.jsonl", head + `"method":"ping","user":"x"}`, false},
		{"unknown error member", "calls-1.jsonl", head + `"method":"ping","error":{"data":1}}`, false},
		{"unknown outcome", "calls-1.jsonl", head + `"method":"ping","outcome":"splendid"}`, false},
		{"mail in a note", "annotations-1.jsonl", head + `"kind":"workaround","note":"ask ann@example.com"}`, false},
		{"home in a note", "annotations-1.jsonl", head + `"kind":"workaround","note":"see /home/ann/plans"}`, false},
		{"credential as tool", "calls-1.jsonl", head + `"method":"tools/call","tool":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`, false},
		{"no record", "calls-1.jsonl", `[]`, false},
		{"no event", "captures/x.jsonl", head + `"method":"ping"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			write(t, filepath.Join(h.Store(), filepath.FromSlash(tt.file)), tt.line+"\n"+tt.line+"\n{\"torn")
			got, err := app.CheckRedaction(t.Context(), h.Store(), nil)
			if err != nil || got.Files != 1 || got.Lines != 2 {
				t.Fatalf("%+v, %v", got, err)
			}
			want := 2
			if tt.clean {
				want = 0
			}
			if len(got.Findings) != want {
				t.Errorf("%d findings, want %d", len(got.Findings), want)
			}
			if want == 2 && got.Findings[1].String() != tt.file+":2" {
				t.Errorf("the second finding is at %s", got.Findings[1])
			}
		})
	}
}

func TestCheckRedactionOfEvents(t *testing.T) {
	h := newHome(t)
	rel := record(t, h, time.Unix(1e9, 0), journal.RecorderShim, 5)
	long := strings.Repeat("x", 5<<20)
	write(t, filepath.Join(h.Store(), "captures", "z.jsonl"), long+"\n")
	var told [2]int64
	got, err := app.CheckRedaction(t.Context(), h.Store(), func(done, total int64) { told = [2]int64{done, total} })
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 1 || got.Findings[0].Path != "captures/z.jsonl" || got.Lines < 7 {
		t.Errorf("got %+v, want a finding in the other file than %s", got, rel)
	}
	if told[0] != told[1] || told[0] < 5<<20 {
		t.Errorf("progress ended at %v", told)
	}
}
