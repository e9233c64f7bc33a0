//lint:file-ignore SA1019 sampling is deprecated, and still has to be asked for

package demo_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/probes/demo"
)

// pipes joins a client to ServeStdio of a server.
func pipes(t *testing.T, s *demo.Server) mcp.Transport {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeStdio(context.Background(), fromClient, toClient)
		toClient.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
}

// serveHTTP starts an HTTP server and returns its URL. Its clients must use the
// returned transport, which is closed with it.
func serveHTTP(t *testing.T, s *demo.Server) (string, *http.Client) {
	t.Helper()
	h := httptest.NewServer(s)
	transport := &http.Transport{}
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
		h.Close()
	})
	return h.URL, &http.Client{Transport: transport}
}

// The official client finds everything it may use, over both transports and in
// both lifecycles.
func TestOfficialClient(t *testing.T) {
	for _, tt := range []struct {
		name     string
		revision string
		http     bool
		json     bool
	}{
		{"stdio stateful", "2025-11-25", false, false},
		{"stdio older", "2025-06-18", false, false},
		{"stdio oldest", "2024-11-05", false, false},
		{"stdio stateless", "2026-07-28", false, false},
		{"http stateful", "2025-11-25", true, false},
		{"http stateful json", "2025-03-26", true, true},
		{"http stateless", "2026-07-28", true, false},
		{"http stateless json", "2026-07-28", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			updated := make(chan string, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "Pack warm."}}, nil
				},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"days": 5}}, nil
				},
				ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
			})
			s := newServer(t, demo.Options{HTTPJSON: tt.json, PageSize: 4})
			var transport mcp.Transport
			if tt.http {
				url, c := serveHTTP(t, s)
				transport = &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: c, MaxRetries: -1}
			} else {
				transport = pipes(t, s)
			}
			session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: tt.revision})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.InitializeResult().ProtocolVersion; got != tt.revision {
				t.Errorf("revision %s", got)
			}
			var names []string
			for tool, err := range session.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if len(names) != 14 || !slices.Contains(names, "wait_for_tide") {
				t.Errorf("tools %v", names)
			}
			structured := tt.revision >= "2025-06-18"
			for tool, want := range map[string]any{
				"get_weather":    map[string]any{"city": "oslo", "temperature": -3.0, "unit": "celsius", "conditions": "snow"},
				"summarize_note": map[string]any{"summary": "Pack warm.", "sampled": true},
				"plan_trip":      map[string]any{"city": "oslo", "days": 5.0, "answer": "accept"},
			} {
				args := map[string]any{"city": "oslo"}
				if tool == "summarize_note" {
					args = map[string]any{"id": "note-1"}
				}
				got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
				if err != nil || got.IsError {
					t.Errorf("%s: %v %v", tool, err, got)
					continue
				}
				if diff := cmp.Diff(want, got.StructuredContent); structured && diff != "" {
					t.Errorf("%s: %s", tool, diff)
				}
			}
			checkSurfaces(t, session, tt.revision)
			checkSubscription(t, session, tt.revision, updated)
		})
	}
}

func checkSurfaces(t *testing.T, session *mcp.ClientSession, revision string) {
	t.Helper()
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 2 {
		t.Errorf("prompts: %v %v", err, prompts)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("templates: %v %v", err, templates)
	}
	resources, err := session.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 7 {
		t.Errorf("resources: %v %v", err, resources)
	}
	prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "trip_letter", Arguments: map[string]string{"city": "oslo"}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Errorf("prompt: %v %v", err, prompt)
	}
	if revision < "2025-03-26" {
		return
	}
	completion, err := session.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "trip_letter"},
		Argument: mcp.CompleteParamsArgument{Name: "season", Value: "s"},
	})
	if err != nil || !slices.Equal(completion.Completion.Values, []string{"spring", "summer"}) {
		t.Errorf("completion: %v %v", err, completion)
	}
}

func checkSubscription(t *testing.T, session *mcp.ClientSession, revision string, updated chan string) {
	t.Helper()
	const uri = "demo://stations/oslo"
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
		t.Error(err)
	}
	if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Errorf("subscribe: %v", err)
		return
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "refresh_station", Arguments: map[string]any{"city": "oslo"}}); err != nil {
		t.Error(err)
	}
	if got := <-updated; got != uri {
		t.Errorf("update of %s", got)
	}
	if revision < "2026-07-28" {
		if err := session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
			t.Error(err)
		}
	}
}
