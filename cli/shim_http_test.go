//lint:file-ignore SA1019 sampling is deprecated, and still has to pass

package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shimHTTP is a running mcpeval shim-http.
type shimHTTP struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stderr strings.Builder
}

// startShimHTTP starts mcpeval shim-http before upstream.
func startShimHTTP(t *testing.T, mcpeval, home, upstream string) *shimHTTP {
	t.Helper()
	s := &shimHTTP{t: t, cmd: exec.Command(mcpeval, "shim-http", "--server", "http", "--listen", "127.0.0.1:0", "--upstream", upstream)}
	s.cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home, "MCPEVAL_SESSION=")
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("shim-http said %q, %v, %s", line, err, s.stderr.String())
	}
	s.url = url
	return s
}

// interrupt ends it as Ctrl-C does.
func (s *shimHTTP) interrupt() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil || s.stderr.Len() > 0 {
		s.t.Errorf("shim-http ended with %v and said %q", err, s.stderr.String())
	}
}

// httpServer is a Go SDK server that counts the tools/call requests it gets.
type httpServer struct {
	handler http.Handler
	calls   atomic.Int64
}

func newHTTPServer(stateless bool) *httpServer {
	reconnected := make(chan struct{}, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	said := func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	tool := func(name string, do mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, do)
	}
	tool("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(string(r.Params.Arguments))
	})
	tool("progress", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1)})
			if err != nil {
				return nil, err
			}
		}
		return said("done")
	})
	tool("ask", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if n := len(r.Params.InputResponses); n > 0 {
			return said(fmt.Sprintf("%d answers", n))
		}
		asks := mcp.InputRequestMap{
			"name": &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}},
		}
		if !stateless { // the SDK asks in any order: where it cannot ask, the error would depend on it
			asks["guess"] = &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "guess"}}}}
		}
		return &mcp.CallToolResult{InputRequests: asks}, nil
	})
	tool("resume", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Extra == nil || r.Extra.CloseSSEStream == nil {
			return said("cannot")
		}
		r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
		select {
		case <-reconnected:
		case <-ctx.Done():
		}
		return said("resumed")
	})
	o := &mcp.StreamableHTTPOptions{Stateless: stateless}
	if !stateless {
		o.EventStore = mcp.NewMemoryEventStore(nil)
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	s := new(httpServer)
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), `"tools/call"`) {
			s.calls.Add(1)
		}
		if r.Header.Get("Last-Event-Id") != "" {
			select {
			case reconnected <- struct{}{}:
			default:
			}
		}
		handler.ServeHTTP(w, r)
	})
	return s
}

// Two MCP sessions through one long-running process are two captures and two
// sessions, and the index counts exactly what was asked.
func TestShimHTTPProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing here can send the process an interrupt")
	}
	mcpeval, err := exec.LookPath("mcpeval") // this test binary
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	upstream := newHTTPServer(false)
	server := httptest.NewServer(upstream.handler)
	defer server.Close()
	shim := startShimHTTP(t, mcpeval, home, server.URL+"/mcp")
	if !strings.HasSuffix(shim.url, "/mcp") {
		t.Errorf("it listens on %s", shim.url)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	for range 2 {
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: shim.url}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"echo", "missing", "missing"} {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
			if (err == nil) != (tool == "echo") {
				t.Errorf("%s: %v", tool, err)
			}
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	// Refused by the guard, in the real process too.
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(shim.url, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 403 {
		t.Errorf("got %v, %v", resp, err)
	}
	shim.interrupt()
	if n := upstream.calls.Load(); n != 6 {
		t.Errorf("upstream got %d calls, want 6", n)
	}

	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(mcpeval, args...)
		cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mcpeval %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	if got := run("index"); !strings.HasPrefix(got, "indexed 6 calls ") {
		t.Errorf("index said %q", got)
	}
	run("audit")
	run("doctor", "--check-redaction")
	captures, named := 0, make(map[string]bool)
	for line := range strings.Lines(run("journal", "ls", "--format", "json")) {
		if _, after, ok := strings.Cut(line, `"session": "`); ok {
			captures++
			named[after] = true
		}
	}
	// One for what came before there was a session: the discovery of each client.
	if captures != 3 || len(named) != 3 {
		t.Errorf("%d captures of %d sessions, want 3 of 3", captures, len(named))
	}
}
