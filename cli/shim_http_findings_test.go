package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/projections/query"
)

// TestShimHTTPPromotes: two MCP sessions through one long-running shim-http are
// two sessions, so that what fails in both is a finding; what fails in one of
// them, however often, is none.
func TestShimHTTPPromotes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing here can send the process an interrupt")
	}
	program, err := exec.LookPath("mcpeval") // this test binary
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "home")
	upstream := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	for _, name := range []string{"both", "one"} {
		upstream.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, refuse)
	}
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return upstream }, nil))
	defer server.Close()
	shim := startShimHTTP(t, program, dir, server.URL+"/mcp")
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	for _, tools := range [][]string{{"both", "both", "one", "one", "one"}, {"both", "both"}} {
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: shim.url}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool}); err != nil || !r.IsError {
				t.Fatalf("%s: %v, %v", tool, r, err)
			}
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	shim.interrupt()
	mcpeval(t, dir, "index")
	var document struct{ Findings []query.Finding }
	if err := json.Unmarshal([]byte(mcpeval(t, dir, "findings", "--format", "json")), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Findings) != 1 {
		t.Fatalf("%d findings, want that of both: %+v", len(document.Findings), document.Findings)
	}
	f := document.Findings[0]
	if f.Tool != "both" || f.Server != "http" || f.Class != query.ClassRecurringError || f.Sessions != 2 || f.Failures != 4 || f.Calls != 4 || len(f.Evidence) != 4 {
		t.Errorf("got %+v", f)
	}
	if got, want := mcpeval(t, dir, "promote"), "promoted 1 of 2 issues (1 seen in one session only, 0 below threshold 0.16)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// refuse is a tool that always fails.
func refuse(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such thing"}}}, nil
}
