package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/probes/client"
)

// sdkServer is a server of the official SDK.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	for _, name := range []string{"a", "b", "c"} {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name}}}, nil, nil
		})
	}
	return s
}

func TestOfficialSDK(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		want := client.Revision2025c
		if stateless {
			want = client.Revision2026
		}
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() },
			&mcp.StreamableHTTPOptions{Stateless: stateless})
		server := httptest.NewServer(handler)
		defer server.Close()
		checkSDK(t, dial(t, client.Target{URL: server.URL}, nil), want)
		if stateless {
			for _, revision := range client.Revisions()[1:4] {
				checkSDK(t, dial(t, client.Target{URL: server.URL}, &client.Options{Protocol: revision}), revision)
			}
		}
	}
	checkSDK(t, dial(t, target(t, "sdk"), nil), client.Revision2026)
	for _, revision := range client.Revisions() {
		checkSDK(t, dial(t, target(t, "sdk"), &client.Options{Protocol: revision}), revision)
	}
}

func checkSDK(t *testing.T, c *client.Conn, revision string) {
	t.Helper()
	if got := c.Facts().Revision; got != revision {
		t.Fatalf("revision %s, want %s", got, revision)
	}
	tools, pages, err := c.ListTools(context.Background())
	if err != nil || len(tools) != 3 || pages != 2 {
		t.Fatalf("%s: %d tools on %d pages: %v", revision, len(tools), pages, err)
	}
	r, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"b","arguments":{}}`))
	if err != nil || r.Error != nil || r.IsToolError() || !r.ExactID {
		t.Fatalf("%s: %+v, %v", revision, r, err)
	}
	r, err = c.Call(context.Background(), "tools/call", []byte(`{"name":"none","arguments":{}}`))
	if err != nil || r.Error == nil || r.Error.Code != -32602 {
		t.Fatalf("%s: unknown tool: %+v, %v", revision, r, err)
	}
	c.Close()
}

// serveSDK is the stdio mode of this program.
func serveSDK() int {
	if sdkServer().Run(context.Background(), &mcp.StdioTransport{}) != nil {
		return 1
	}
	return 0
}
