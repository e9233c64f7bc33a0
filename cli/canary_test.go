package cli_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// canaries mints secrets of the kinds that people have: credentials, words that
// mean something, and keys. Each is new, so that it is found wherever it went.
type canaries struct {
	mu  sync.Mutex // servers mint while the test does
	all []string
}

func (c *canaries) mint(form string) string {
	var b [12]byte
	rand.Read(b[:])
	s := fmt.Sprintf(form, hex.EncodeToString(b[:]))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, s)
	return s
}

func (c *canaries) credential() string { return c.mint("sk-live-%s") }
func (c *canaries) phrase() string     { return c.mint("the %s merger, ann@example.com, /home/ann") }

// TestCanary plants secrets in every position of the traffic and of the shim's
// surroundings. None may be in a file of the home or in what any verb prints.
func TestCanary(t *testing.T) {
	c := &canaries{}
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var frames strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&frames, format+"\n", args...) }
	for _, secret := range []func() string{c.credential, c.phrase} {
		s := func() string { return quote(secret()) }
		line(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%s,"capabilities":{%s:{}},"clientInfo":{"name":%s,"version":%s}}}`, s(), s(), s(), s(), s())
		line(`{"jsonrpc":"2.0","id":1,"method":%s,"params":{%s:%s}}`, s(), s(), s())
		line(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%s,"arguments":{%s:%s,"a":[%s],"b":{%s:1}},"_meta":{"progressToken":%s}}}`, s(), s(), s(), s(), s(), s())
		line(`{"jsonrpc":"2.0","id":2,"error":{"code":%s,"message":%s,"data":{"retryable":%s,"kind":%s,"layer":%s,%s:%s}}}`, s(), s(), s(), s(), s(), s(), s())
		line(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}`, s())
		line(`{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":%s}],"structuredContent":{%s:%s}}}`, s(), s(), s())
		line(`{"jsonrpc":"2.0","method":%s,"params":{"data":%s}}`, s(), s())
		line(`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"https://example.com/%s"}}`, secret())
		line(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
		line(`{"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{%s:{"enum":[%s]}}}}]}}`, s(), s(), s(), s())
		line(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"x","requestState":%s,"inputResponses":{%s:%s}}}`, s(), s(), s())
		line(`{"jsonrpc":"2.0","id":6,"result":{"resultType":%s,"requestState":%s}}`, s(), s())
		line(`[{"jsonrpc":"2.0","id":7,"method":"ping","x":%s}]`, s())
		line(`%s`, secret())
		line(`{%s`, quote(secret()))
		line(`{"Method":%s,"method":%s,"id":%s}`, s(), s(), s())
	}
	home := filepath.Join(t.TempDir(), "home")
	env := append(os.Environ(), "MCPEVAL_HOME="+home, "MCPEVAL_SESSION="+c.phrase(), "A_SECRET="+c.credential())
	run := func(stdin string, args ...string) string {
		cmd := exec.Command("mcpeval", args...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("mcpeval %s: %v", args[0], err)
		}
		return string(out)
	}
	// The echo makes every frame a server's too.
	if got := run(frames.String(), "shim", "--server", "demo", "--", "child", "cat", c.credential(), c.phrase()); got != frames.String() {
		t.Fatalf("the shim changed what passed:\n%s", got)
	}
	// A log that someone damaged, and one of the earlier format.
	logs, err := filepath.Glob(filepath.Join(home, "store", "captures", "*", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	capture := strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	verbs := [][]string{
		{"index"}, {"index", "--rebuild", "--format", "json"}, {"calls"}, {"calls", "--list", "--format", "json"},
		{"journal", "ls"}, {"journal", "cat", capture}, {"journal", "tail", capture},
		{"audit"}, {"audit", "--format", "json"}, {"doctor", "--check-redaction"}, {"doctor", "--format", "json"},
	}
	outputs := func() string {
		var all strings.Builder
		for _, verb := range verbs {
			all.WriteString(run("", verb...))
		}
		return all.String()
	}
	printed := outputs()
	if !strings.Contains(printed, `"method": "tools/call"`) {
		t.Fatalf("nothing was recorded:\n%s", printed)
	}
	c.notIn(t, "the output of a verb", []byte(printed))

	// Nor in what is made outside of the home.
	outside := t.TempDir()
	for _, verb := range [][]string{
		{"share", "--dir", filepath.Join(outside, "envelope"), "--include-annotation-notes", "--include-probe-history"},
		{"share", "--dir", filepath.Join(outside, "envelope"), "--force", "--format", "json"},
		{"journal", "import", filepath.Join(outside, "envelope")},
		{"replay", "--until", "2999-01-01T00:00:00Z", "--out", filepath.Join(outside, "replay.db")},
	} {
		printed := run("", verb...)
		if strings.Contains(printed, "mcpeval: ") {
			t.Errorf("mcpeval %s failed: %s", verb[0], printed)
		}
		c.notIn(t, "the output of mcpeval "+verb[0], []byte(printed))
	}
	if n := c.notBelow(t, outside); n != 3 {
		t.Errorf("looked at %d files outside of the home, want a log, its list and a replay", n)
	}
	if n := c.notBelow(t, home); n < 4 {
		t.Errorf("looked at %d files of the home", n)
	}

	// What somebody put into the store is not printed either.
	damaged := append([]byte(c.phrase()+"\n{\"schema\":\"mcpeval.event/v1\",\""+c.credential()+"\":1}\n"), mustRead(t, logs[0])...)
	if err := os.WriteFile(logs[0], damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	legacy := fmt.Sprintf(`{"ts":"2025-01-02T03:04:05Z","session":%s,"seq":1,"server":%s,"method":%s,"tool":%s,"args":{%s:%s},"outcome":%s,"error":{"code":%s,"template":%s}}`,
		quote(c.phrase()), quote(c.phrase()), quote(c.credential()), quote(c.credential()), quote(c.phrase()), quote(c.phrase()), quote(c.phrase()), quote(c.phrase()), quote(c.phrase()))
	if err := os.WriteFile(filepath.Join(home, "store", "calls-2025.jsonl"), []byte(legacy+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	envelope := filepath.Join(outside, "refused")
	printed = run("", "share", "--dir", envelope) + run("", "share", "--dir", envelope, "--format", "json") +
		run("", "journal", "import", filepath.Dir(mustCopy(t, logs[0]))) + run("", "journal", "import", mustCopy(t, filepath.Join(home, "store", "calls-2025.jsonl")))
	if _, err := os.Stat(envelope); !strings.Contains(printed, "calls-2025.jsonl:1") || err == nil {
		t.Errorf("what somebody put into the store was shared: %s", printed)
	}
	printed += outputs() + run("", "journal", "repair", "calls-2025.jsonl") + run("", "journal", "repair", logs[0]) + outputs()
	c.notIn(t, "the output of a verb about a damaged store", []byte(printed))
	for _, name := range []string{"index.db", "ledger.db"} {
		c.notIn(t, name, mustRead(t, filepath.Join(home, name)))
	}
}

// notBelow fails for every file below a folder that holds a secret, and counts
// the files.
func (c *canaries) notBelow(t *testing.T, dir string) (files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		c.notIn(t, d.Name(), mustRead(t, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mustCopy copies a file into a folder of its own.
func mustCopy(t *testing.T, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(to, mustRead(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// notIn fails for every secret that text holds, whole or in its random part.
func (c *canaries) notIn(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, secret := range c.all {
		random := strings.Trim(strings.Fields(strings.NewReplacer("sk-live-", "", "the ", "").Replace(secret))[0], ",")
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(random)) {
			t.Errorf("%s holds the secret %q", where, secret)
		}
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
