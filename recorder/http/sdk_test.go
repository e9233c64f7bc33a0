//lint:file-ignore SA1019 sampling is deprecated, and still has to pass

package httpshim_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	httpshim "github.com/mcpeval/mcpeval/recorder/http"
)

// sdkServer is a server of the official SDK with a tool for each thing a shim
// may get wrong.
func sdkServer(stateless bool) http.Handler {
	reconnected := make(chan struct{}, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	said := func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	tool := func(name string, do mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, do)
	}
	tool("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(string(r.Params.Arguments))
	})
	tool("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, _ := said("it failed")
		result.IsError = true
		return result, nil
	})
	tool("progress", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)}); err != nil {
				return nil, err
			}
		}
		return said("done")
	})
	// Asks for both kinds of input: requests of its own where there are sessions,
	// an interim result where there are none.
	tool("ask", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(r.Params.InputResponses) > 0 {
			return said(fmt.Sprint(slices.Sorted(maps.Keys(r.Params.InputResponses))))
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
			"name":  &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}},
			"guess": &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "guess"}}}},
		}}, nil
	})
	// Answers only after its client has resumed the stream that it closes.
	tool("resume", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") != "" {
			select {
			case reconnected <- struct{}{}:
			default:
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// sdkClient drives a server through the official client and writes down all that
// the client saw.
func sdkClient(t *testing.T, endpoint string, tools []string) string {
	t.Helper()
	var mu sync.Mutex
	var seen strings.Builder
	see := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&seen, format+"\n", args...)
	}
	progressed := make(chan struct{}, 3)
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "42"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			see("progress %v of %v", r.Params.Progress, r.Params.ProgressToken)
			progressed <- struct{}{}
		},
	})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: transport}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	see("protocol %s", session.InitializeResult().ProtocolVersion)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	see("%d tools", len(list.Tools))
	for _, name := range tools {
		params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{"a": "<&>\u2028"}}
		params.SetProgressToken("token")
		result, err := session.CallTool(t.Context(), params)
		if err != nil {
			see("%s: %v", name, err)
			continue
		}
		if name == "progress" {
			for range 3 {
				<-progressed
			}
		}
		for _, c := range result.Content {
			see("%s: %s %t", name, c.(*mcp.TextContent).Text, result.IsError)
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	return seen.String()
}

// The official client sees the same with the shim as without it, and the record
// has exactly what was asked.
func TestGoSDK(t *testing.T) {
	tests := []struct {
		name      string
		stateless bool
		tools     []string
		want      map[string]int
	}{
		{"stateful", false, []string{"echo", "fail", "progress", "ask", "resume", "missing"}, map[string]int{
			"client server/discover ok":          1, // names no revision without sessions
			"client initialize ok":               1,
			"handshake":                          1,
			"client notifications/initialized":   1,
			"client tools/list ok":               1,
			"client tools/call ok":               4,
			"client tools/call error tool-error": 1,
			"client tools/call error -32602":     1,
			"server notifications/progress":      3,
			"server elicitation/create ok":       1,
			"server sampling/createMessage ok":   1,
		}},
		{"stateless", true, []string{"echo", "fail", "progress", "ask", "missing"}, map[string]int{
			"client server/discover ok":          1,
			"handshake":                          1,
			"client tools/list ok":               1,
			"client tools/call ok":               3,
			"client tools/call input_required":   1,
			"client tools/call error tool-error": 1,
			"client tools/call error -32602":     1,
			"server notifications/progress":      3,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			direct := httptest.NewServer(sdkServer(tt.stateless))
			defer direct.Close()
			bare := sdkClient(t, direct.URL, tt.tools)
			g := newRig(t, sdkServer(tt.stateless))
			shimmed := sdkClient(t, g.url, tt.tools)
			if diff := cmp.Diff(bare, shimmed); diff != "" {
				t.Errorf("the client saw something else (-without +with the shim):\n%s", diff)
			}
			got := make(map[string]int)
			for _, events := range g.captures() {
				for _, line := range lines(events) {
					got[line]++
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			if !strings.Contains(bare, "echo: ") || !strings.Contains(bare, "ask: [guess name]") {
				t.Errorf("the run shows nothing:\n%s", bare)
			}
		})
	}
}

// A certificate that nobody vouches for is not accepted.
func TestUnknownCertificate(t *testing.T) {
	upstream := httptest.NewUnstartedServer(reply("application/json", pong))
	upstream.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	upstream.StartTLS()
	defer upstream.Close()
	u, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	g := newRig(t, nil, func(o *httpshim.Options) { o.Upstream = u })
	resp := g.do("POST", "http://"+g.host()+"/", ping)
	if body := text(t, resp); resp.StatusCode != 502 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
