//lint:file-ignore SA1019 sampling is deprecated, and still has to pass

package cli_test

import (
	"bytes"
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pythonPackage is the official Python SDK, pinned.
const pythonPackage = "mcp==2.3.0"

// httpUpstream is a Streamable HTTP server and what is asked of it.
type httpUpstream struct {
	name  string
	calls []e2eCall
	start func(t *testing.T, modules string) (url string, calls func() int64) // calls is nil where nobody counts
}

func httpUpstreams() []httpUpstream {
	type args = map[string]any
	goCalls := []e2eCall{
		{"echo", args{"message": "<&> \u2028"}}, {"progress", args{}}, {"ask", args{}}, {"no_such_tool", args{}},
	}
	ofGo := func(stateless bool) func(*testing.T, string) (string, func() int64) {
		return func(t *testing.T, _ string) (string, func() int64) {
			s := newHTTPServer(stateless)
			server := httptest.NewServer(s.handler)
			t.Cleanup(server.Close)
			return server.URL, s.calls.Load
		}
	}
	return []httpUpstream{
		{"everything", []e2eCall{
			{"echo", args{"message": "hi <&> \u2028 there"}},
			{"echo", args{"message": 5}},
			{"get-sum", args{"a": 1, "b": 2}},
			{"get-tiny-image", nil},
			{"trigger-long-running-operation", args{"duration": 0.3, "steps": 3}},
			{"trigger-sampling-request", args{"prompt": "hi", "maxTokens": 10}},
			{"trigger-elicitation-request", nil},
			{"no_such_tool", nil},
		}, startEverything},
		{"go-stateful", append(goCalls[:4:4], e2eCall{"resume", args{}}), ofGo(false)},
		{"go-stateless", goCalls, ofGo(true)},
	}
}

// startEverything runs the reference server on a free port.
func startEverything(t *testing.T, modules string) (string, func() int64) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	cmd := exec.Command("node", filepath.Join(modules, "@modelcontextprotocol", "server-everything", "dist", "index.js"), "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
			return url, nil
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("server-everything does not listen")
		}
	}
}

// TestEndToEndHTTP runs official clients against real Streamable HTTP servers,
// bare and through the shim: the client sees the same, and the journal has
// exactly the calls that were made.
func TestEndToEndHTTP(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	modules := npmInstall(t)
	typescript := func(sdk string) func(*testing.T, string, string) string {
		return func(t *testing.T, calls, url string) string {
			return runClient(t, nil, "node", "testdata/e2e/http-client.mjs", filepath.Join(modules, "@modelcontextprotocol", sdk), calls, url)
		}
	}
	clients := []struct {
		name string
		run  func(t *testing.T, calls, url string) string
	}{
		{"typescript", typescript("sdk")},
		{"typescript-2", typescript("client")},
		{"python", func(t *testing.T, calls, url string) string {
			return runClient(t, []string{"PYTHONPATH=" + pipInstall(t)}, "python3", "testdata/e2e/http-client.py", calls, url)
		}},
		{"go", runGoHTTP},
	}
	mcpeval := buildBinary(t)
	for _, server := range httpUpstreams() {
		t.Run(server.name, func(t *testing.T) {
			url, counted := server.start(t, modules)
			text, err := json.Marshal(server.calls)
			if err != nil {
				t.Fatal(err)
			}
			calls := filepath.Join(t.TempDir(), "calls.json")
			if err := os.WriteFile(calls, text, 0o600); err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(t.TempDir(), "home")
			shim := startShimHTTP(t, mcpeval, home, url)
			want := int64(0)
			for _, client := range clients {
				t.Run(client.name, func(t *testing.T) {
					bare := client.run(t, calls, url)
					var before int64
					if counted != nil {
						before = counted()
					}
					shimmed := client.run(t, calls, shim.url)
					if diff := cmp.Diff(bare, shimmed); diff != "" {
						t.Errorf("the client saw something else through the shim:\n%s", diff)
					}
					if counted != nil {
						want += counted() - before
					} else {
						want += int64(len(server.calls))
					}
				})
			}
			shim.interrupt()
			for _, args := range [][]string{{"index"}, {"audit"}, {"doctor", "--check-redaction"}} {
				cmd := exec.Command(mcpeval, args...)
				cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("mcpeval %s: %v\n%s", args[0], err, out)
				}
				if line := fmt.Sprintf("indexed %d calls ", want); args[0] == "index" && !strings.HasPrefix(string(out), line) {
					t.Errorf("index said %q, want %q", out, line)
				}
			}
		})
	}
}

// runClient runs a client program and returns what it saw.
func runClient(t *testing.T, env []string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client: %v\n%s", err, stderr.String())
	}
	return string(out)
}

// runGoHTTP is an ordinary client on the Go SDK.
func runGoHTTP(t *testing.T, calls, url string) string {
	t.Helper()
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	var list []e2eCall
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1.0.0"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			asked.Add(1)
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "42"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	saw := []any{session.InitializeResult()}
	for _, call := range list {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			saw = append(saw, err.Error())
			continue
		}
		saw = append(saw, result)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if text, err = json.MarshalIndent(append(saw, asked.Load()), "", " "); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pipInstall installs the Python SDK below the user's cache and returns its
// folder. Only where pip is absent or its index does not answer is the test
// skipped.
func pipInstall(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "mcpeval-e2e-python")
	marker := filepath.Join(dir, "installed")
	if got, err := os.ReadFile(marker); err == nil && string(got) == pythonPackage {
		return filepath.Join(dir, "site")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--upgrade", "--target", filepath.Join(dir, "site"), pythonPackage).CombinedOutput(); err != nil {
		t.Skipf("pip does not answer: %v\n%s", err, out)
	}
	if err := os.WriteFile(marker, []byte(pythonPackage), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "site")
}
