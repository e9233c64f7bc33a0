package cli_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeTable prints the row of the performance table for the data tools of
// serve: twelve clients in a loop, alone and beside an evaluation that holds its
// worker. It asserts nothing.
func TestServeTable(t *testing.T) {
	if os.Getenv("MCPEVAL_BENCH") == "" {
		t.Skip("set MCPEVAL_BENCH")
	}
	s := newServed(t)
	fmt.Println("serve: data tools, 12 clients at once | p50 | p99 | aim 50 ms")
	s.clients("alone")
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = s.mcp.CallTool(ctx, &mcp.CallToolParams{Name: "scaffold", Arguments: arguments{"command": []string{"sh", "-c", "while :; do sleep 1; done"}}})
	}()
	for { // until it runs
		result, err := s.mcp.CallTool(context.Background(), &mcp.CallToolParams{Name: "scaffold", Arguments: arguments{"command": []string{"/no/such"}}})
		if err == nil && strings.Contains(result.Content[0].(*mcp.TextContent).Text, "retry") {
			break
		}
	}
	s.clients("beside an evaluation")
	cancel()
	<-over
}

func (s *served) clients(name string) {
	const clients, calls = 12, 200
	var (
		mu   sync.Mutex
		took []time.Duration
		all  sync.WaitGroup
	)
	for range clients {
		all.Go(func() {
			transport := &http.Transport{MaxConnsPerHost: 1}
			defer transport.CloseIdleConnections()
			for i := range calls {
				tool := []string{"list_findings", "get_readiness_trends"}[i%2]
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i, tool)
				request, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(body))
				if err != nil {
					s.t.Error(err)
					return
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream")
				began := time.Now()
				response, err := transport.RoundTrip(request)
				if err != nil {
					s.t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	fmt.Printf("%s | %v | %v\n", name, took[len(took)/2].Round(10*time.Microsecond), took[len(took)*99/100].Round(10*time.Microsecond))
}
