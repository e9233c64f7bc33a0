package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

// probed is a real server that init writes a manifest for.
type probed struct {
	name  string
	args  []string // for init beside the target
	files map[string]string
	env   []string
	// command or url, in which DIR is the server's own folder
	command []string
	url     string

	// scored is the least total that score gives; 0 does not ask for it.
	scored   float64
	kinds    map[manifest.Kind]int // cases of these kinds in the manifest
	never    []string              // tools that must not be in it
	protocol string
}

// TestEndToEndProbe writes a manifest for real servers and probes them with it:
// the reference servers from npm, and the Go SDK's.
func TestEndToEndProbe(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	mcpeval := buildBinary(t)
	t.Run("npm", func(t *testing.T) {
		modules := filepath.Join(npmInstall(t), "@modelcontextprotocol")
		for _, p := range npmServers(t, modules) {
			t.Run(p.name, func(t *testing.T) { p.run(t, mcpeval) })
		}
	})
	t.Run("go", func(t *testing.T) {
		for _, p := range goServers(t) {
			t.Run(p.name, func(t *testing.T) { p.run(t, mcpeval) })
		}
	})
}

func npmServers(t *testing.T, modules string) []probed {
	script := func(name string) string { return filepath.Join(modules, "server-"+name, "dist", "index.js") }
	// The long operation would take ten seconds a call.
	quick := `{"trigger-long-running-operation": {"duration": 0.2, "steps": 1}}`
	everything := []string{"--confirm-read-only", "--arguments", "arguments.json"}
	return []probed{{
		name: "everything", command: []string{"node", script("everything")},
		args: everything, files: map[string]string{"arguments.json": quick},
		kinds: map[manifest.Kind]int{manifest.KindSurfaceListing: 1, manifest.KindContention: 1, manifest.KindPayloadBounds: 1},
		never: []string{"toggle-simulated-logging"}, protocol: "2025-11-25",
	}, {
		name: "everything over HTTP", url: startHTTP(t, []string{"node", script("everything"), "streamableHttp"}, "PORT=%s"),
		args: everything, files: map[string]string{"arguments.json": quick},
		kinds: map[manifest.Kind]int{manifest.KindSurfaceListing: 1, manifest.KindContention: 1, manifest.KindPayloadBounds: 1},
		never: []string{"toggle-simulated-logging"}, protocol: "2025-11-25",
	}, {
		name: "filesystem", command: []string{"node", script("filesystem"), "DIR"},
		args: []string{"--arguments", "arguments.json"},
		files: map[string]string{"readme.txt": "some text\n", "arguments.json": `{
			"read_text_file": {"path": "DIR/readme.txt"}, "list_directory": {"path": "DIR"},
			"get_file_info": {"path": "DIR/readme.txt"}, "search_files": {"path": "DIR", "pattern": "*.txt"}}`},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 6, manifest.KindOutputSchema: 6},
		never: []string{"write_file", "edit_file", "move_file", "create_directory"}, protocol: "2025-11-25", scored: 75,
	}, {
		name: "memory", command: []string{"node", script("memory")}, env: []string{"MEMORY_FILE_PATH=DIR/memory.jsonl"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 3},
		never: []string{"create_entities", "delete_entities", "add_observations"}, protocol: "2025-11-25", scored: 75,
	}, {
		name: "sequential-thinking", command: []string{"node", script("sequential-thinking")}, args: []string{"--confirm-read-only"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1}, protocol: "2025-11-25", scored: 75,
	}}
}

func goServers(t *testing.T) []probed {
	example := func(name string) string { return buildExample(t, name) }
	return []probed{{
		name: "hello", command: []string{example("hello")}, args: []string{"--confirm-read-only"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1, manifest.KindPayloadBounds: 1}, protocol: "2026-07-28",
	}, {
		name: "hello, stateful", command: []string{example("hello")}, args: []string{"--confirm-read-only", "--protocol", "2025-06-18"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1}, protocol: "2025-06-18",
	}, {
		// The others ask the client for something, and one waits for it without end.
		name: "everything", command: []string{example("everything")}, args: []string{"--confirm-read-only", "--tool", "greet", "--tool", "greet (structured)"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 2, manifest.KindSurfaceListing: 1, manifest.KindOutputSchema: 1}, protocol: "2026-07-28",
	}, {
		name: "memory", command: []string{example("memory")}, args: []string{"--confirm-read-only"},
		kinds: map[manifest.Kind]int{manifest.KindContention: 1}, protocol: "2026-07-28",
	}, {
		name: "sequentialthinking over HTTP", url: startHTTP(t, []string{example("sequentialthinking"), "-http"}, ""),
		args:  []string{"--confirm-read-only", "--tool", "start_thinking"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1}, protocol: "2025-11-25",
	}, {
		name: "stateful over HTTP", url: serveSDK(t, &mcp.StreamableHTTPOptions{}),
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1, manifest.KindOutputSchema: 1}, protocol: "2025-11-25",
	}, {
		name: "stateless over HTTP", url: serveSDK(t, &mcp.StreamableHTTPOptions{Stateless: true}),
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1, manifest.KindOutputSchema: 1}, protocol: "2026-07-28",
	}, {
		name: "stateless over HTTP, spoken to in the old way", url: serveSDK(t, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
		args:  []string{"--protocol", "2025-06-18"},
		kinds: map[manifest.Kind]int{manifest.KindSchemaGuessability: 1}, protocol: "2025-06-18",
	}}
}

// run writes the server's manifest and probes the server with it.
func (p probed) run(t *testing.T, mcpeval string) {
	dir := t.TempDir()
	in := func(s string) string { return strings.ReplaceAll(s, "DIR", filepath.ToSlash(dir)) }
	for name, text := range p.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(in(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	target := []string{"--url", p.url}
	if p.url == "" {
		target = []string{"--"}
		for _, word := range p.command {
			target = append(target, in(word))
		}
	}
	home := filepath.Join(t.TempDir(), "home")
	do := func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, mcpeval, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home)
		for _, v := range p.env {
			cmd.Env = append(cmd.Env, in(v))
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mcpeval %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	said := do(append(append([]string{"init", "--server", "e2e", "--output", "m.json"}, p.args...), target...)...)
	text, err := os.ReadFile(filepath.Join(dir, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[manifest.Kind]int{}
	for _, c := range m.Cases {
		got[c.Base().Probe]++
		for _, call := range manifest.ToolCalls(c) {
			for _, never := range p.never {
				if call.Tool == never {
					t.Errorf("a case calls %s", never)
				}
			}
		}
	}
	for kind, want := range p.kinds {
		if got[kind] != want {
			t.Errorf("%d cases of %s, want %d:\n%s", got[kind], kind, want, said)
		}
	}
	var protocol []string
	for i, arg := range p.args {
		if arg == "--protocol" {
			protocol = p.args[i : i+2]
		}
	}
	said = do(append(append([]string{"probe", "--gate-only", "--server", "e2e", "--manifest", "m.json", "--brief"}, protocol...), target...)...)
	if want := fmt.Sprintf("protocol %s,", p.protocol); !strings.Contains(said, want) {
		t.Errorf("not %s:\n%s", want, said)
	}
	if want := fmt.Sprintf("gate: passed: %d passed, 0 failed of %d", len(m.Cases), len(m.Cases)); !strings.Contains(said, want) && !strings.Contains(said, "not applicable") {
		t.Errorf("not %q:\n%s", want, said)
	}
	var index struct {
		Calls, Captures int64
		Synthetic       int64 `json:"synthetic_calls"`
	}
	if err := json.Unmarshal([]byte(do("index", "--format", "json")), &index); err != nil {
		t.Fatal(err)
	}
	if index.Calls != 0 || index.Captures != 1 || index.Synthetic == 0 {
		t.Errorf("index %+v", index)
	}
	if p.scored > 0 {
		p.score(t, dir, do, target)
	}
	do("audit")
	do("doctor", "--check-redaction")
}

// score scores the server twice: the digests are the same, and the points
// reasonable.
func (p probed) score(t *testing.T, dir string, do func(...string) string, target []string) {
	t.Helper()
	args := append(append([]string{"score", "--server", "e2e", "--format", "json"}, p.args...), target...)
	var digests []string
	for range 2 {
		text := do(args...)
		var d struct {
			Readiness struct{ Total float64 }
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if d.Readiness.Total < p.scored {
			t.Errorf("%v points:\n%s", d.Readiness.Total, text)
		}
		if err := os.WriteFile(filepath.Join(dir, "score.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, do("report", "score.json", "--digest"))
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %v", digests)
	}
}

// buildExample compiles a server of the Go SDK's examples.
func buildExample(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	if text, err := exec.Command("go", "build", "-o", out, "github.com/modelcontextprotocol/go-sdk/examples/server/"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

// serveSDK is a server of the Go SDK with one tool, in this process.
func serveSDK(t *testing.T, o *mcp.StreamableHTTPOptions) string {
	t.Helper()
	type in struct {
		City string `json:"city" jsonschema:"the city"`
	}
	type out struct {
		Degrees int `json:"degrees"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "weather", Description: "The weather of a city.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, out, error) {
			return nil, out{Degrees: 21}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// startHTTP starts a command that serves Streamable HTTP on a port of its own: the
// address is its last argument, or with env the port in a variable. It returns the
// URL once somebody listens.
func startHTTP(t *testing.T, command []string, env string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	if env == "" {
		command = append(command, address)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = os.Environ()
	if env != "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf(env, port))
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			tick.Stop()
			return "http://" + address + "/mcp"
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s does not listen", command[0])
		}
	}
}
