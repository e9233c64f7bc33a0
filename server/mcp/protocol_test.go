package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/server/mcp"
)

var (
	dataTools       = []string{"list_findings", "get_finding", "get_readiness_trends", "record_annotation"}
	evaluationTools = []string{"run_probe", "scaffold", "score", "verify_finding"}
)

// modernMeta are the members of _meta of a stateless client.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// The four evaluation tools launch the server process the agent names, so they are
// listed and callable only with --allow-spawn.
func TestListedTools(t *testing.T) {
	for _, spawn := range []bool{false, true} {
		for _, revision := range []string{"2025-03-26", "2025-06-18", legacy, modern} {
			r := newRig(t, func(o *mcp.Options) { o.AllowSpawn = spawn })
			session := r.connect(revision, nil)
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			want := dataTools
			if spawn {
				want = append(want[:len(want):len(want)], evaluationTools...)
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("spawn %v, %s:\n%s", spawn, revision, diff)
			}
			for _, name := range evaluationTools {
				_, message, _ := r.post(call(1, name, `{"command":["x"]}`))
				got := parse(t, message)
				if refused := got.Error != nil && got.Error.Code == -32602 && got.Error.Message == "no such tool is listed"; refused == spawn {
					t.Errorf("spawn %v: %s answers %s", spawn, name, message)
				}
			}
		}
	}
}

// Data tools are annotated read-only and idempotent; record_annotation as a
// non-idempotent local write; the evaluation tools carry conservative destructive
// and open-world hints. Every tool advertises an output schema, and every input
// schema refuses unknown members.
func TestAnnotations(t *testing.T) {
	type hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }
	reads := hints{ReadOnly: true, Idempotent: true}
	evaluates := hints{Destructive: true, OpenWorld: true}
	want := map[string]hints{
		"list_findings": reads, "get_finding": reads, "get_readiness_trends": reads, "record_annotation": {},
		"run_probe": evaluates, "scaffold": evaluates, "score": evaluates, "verify_finding": evaluates,
	}
	_, message, _ := newRig(t, nil).post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Result struct {
			Tools []struct {
				Name, Description string
				Annotations       map[string]bool
				InputSchema       struct {
					Type                 string
					AdditionalProperties *bool
					Properties           map[string]struct{ Type, Description string }
				}
				OutputSchema struct {
					Type       string
					Properties map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(message), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]hints{}
	for _, tool := range list.Result.Tools {
		a := tool.Annotations
		if len(a) != 4 {
			t.Errorf("%s declares only the hints %v", tool.Name, a)
		}
		got[tool.Name] = hints{a["readOnlyHint"], a["destructiveHint"], a["idempotentHint"], a["openWorldHint"]}
		if in := tool.InputSchema; in.Type != "object" || in.AdditionalProperties == nil || *in.AdditionalProperties {
			t.Errorf("%s takes unknown members", tool.Name)
		}
		for name, property := range tool.InputSchema.Properties {
			if property.Type == "" || property.Description == "" {
				t.Errorf("%s does not describe %s", tool.Name, name)
			}
		}
		if tool.OutputSchema.Type != "object" || len(tool.OutputSchema.Properties) == 0 {
			t.Errorf("%s has no output schema", tool.Name)
		}
		if len(tool.Description) < 40 {
			t.Errorf("%s is hardly described", tool.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// The evaluation tools advertise the report's top-level fields.
	report := []string{"schema", "generator", "server", "manifest_sha256", "passed", "gate", "readiness", "readiness_error", "cases"}
	for _, tool := range list.Result.Tools {
		if tool.Name != "run_probe" && tool.Name != "score" {
			continue
		}
		for _, name := range report {
			if _, ok := tool.OutputSchema.Properties[name]; !ok || len(tool.OutputSchema.Properties) != len(report) {
				t.Errorf("%s advertises %v", tool.Name, tool.OutputSchema.Properties)
			}
		}
	}
}

// The whole catalog costs a session less than what our own standard pays in full.
func TestCatalogIsCheap(t *testing.T) {
	_, message, _ := newRig(t, nil).post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	whole, err := rawjson.Parse([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	result, _ := whole.Get("result")
	tools, _ := result.Get("tools")
	c := battery.NewCatalog(slices.Collect(tools.Elements()))
	t.Logf("%d tools, %d tokens, the heaviest %d", len(c.Entries), c.Tokens, c.Heaviest)
	if len(c.Entries) != len(dataTools)+len(evaluationTools) || c.Tokens > 2000 || c.Heaviest > 500 {
		t.Errorf("the catalog of %d tools has %d tokens, its heaviest tool %d", len(c.Entries), c.Tokens, c.Heaviest)
	}
}

// The service answers ping, and what is no call of a tool.
func TestProtocol(t *testing.T) {
	r := newRig(t, nil)
	meta := []string{"Mcp-Protocol-Version", modern}
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		want       string // in the message
	}{
		{"ping", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, nil, 200, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{"ping of 2026-07-28", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + modernMeta + `}}`, append([]string{"Mcp-Method", "ping"}, meta...), 404, `-32601`},
		{"prompts are declared and empty", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil, 200, `"prompts":[]`},
		{"resources are declared and empty", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, nil, 200, `"resources":[]`},
		{"templates are empty", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, nil, 200, `"resourceTemplates":[]`},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"CANARY"}`, nil, 200, `-32601`},
		{"an unknown method of 2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"CANARY","params":{` + modernMeta + `}}`, meta, 404, `-32601`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ``},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/CANARY"}`, nil, 202, ``},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ``},
		{"no JSON", `CANARY`, nil, 400, `-32700`},
		{"nothing", ``, nil, 400, `-32700`},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, nil, 400, `-32700`},
		{"no JSON-RPC", `{"id":"CANARY-1","method":"ping"}`, nil, 200, `{"jsonrpc":"2.0","id":"CANARY-1","error":{"code":-32600`},
		{"a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, `"id":null,"error":{"code":-32600`},
		{"an id beyond what is exact", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 400, `"id":null,"error":{"code":-32600`},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, `-32600`},
		{"a string id", `{"jsonrpc":"2.0","id":"1","method":"ping"}`, nil, 200, `"id":"1"`},
		{"a repeated method", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, nil, 200, `-32600`},
		{"a call without params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 200, `-32602`},
		{"params that are a list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":["CANARY"]}`, nil, 200, `-32602`},
		{"a bogus cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"CANARY"}}`, nil, 200, `-32602`},
		{"a revision that is none", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, `"requested":"1999-01-01","supported":["2`},
		{"a revision to come", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.ReplaceAll(modernMeta, modern, "2099-01-01") + `}}`,
			[]string{"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list"}, 400, `-32022`},
		{"a batch where there are some", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`, nil, 200, `"id":1,"result":{}`},
		{"a batch where there are none", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"Mcp-Protocol-Version", legacy}, 400, `-32600`},
		{"a batch with what is not served", `[{"jsonrpc":"2.0","id":1,"method":"CANARY"}]`, nil, 400, `-32601`},
		{"a client that takes JSON only", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Accept", "application/json"}, 400, `-32600`},
		{"an encoded name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scaffold","arguments":{"CANARY":1},` + modernMeta + `}}`,
			append([]string{"Mcp-Method", "tools/call", "Mcp-Name", "=?base64?c2NhZmZvbGQ=?="}, meta...), 400, `arguments of scaffold`},
		{"another name in the header", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scaffold","arguments":{},` + modernMeta + `}}`,
			append([]string{"Mcp-Method", "tools/call", "Mcp-Name", "run_probe"}, meta...), 400, `-32020`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, message, head := r.post(c.body, c.headers...)
			if status != c.status || !strings.Contains(message, c.want) || c.want == "" && message != "" {
				t.Errorf("got %d %s, want %d %s", status, message, c.status, c.want)
			}
			if strings.Contains(strings.ReplaceAll(message, `"id":"CANARY-1"`, ""), "CANARY") {
				t.Errorf("the answer quotes the request: %s", message)
			}
			if message != "" && !strings.HasPrefix(head.Get("Content-Type"), "application/json") && !strings.HasPrefix(head.Get("Content-Type"), "text/event-stream") {
				t.Errorf("the answer is %s", head.Get("Content-Type"))
			}
		})
	}
}

// subscriptions/listen ends at once and holds no worker: nothing ever changes.
func TestListenEndsAtOnce(t *testing.T) {
	r := newRig(t, nil)
	for range 10 {
		status, message, _ := r.post(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`,
			"Mcp-Protocol-Version", modern, "Mcp-Method", "subscriptions/listen")
		if status != 200 || !strings.Contains(message, `"result"`) {
			t.Fatalf("got %d %s", status, message)
		}
	}
}

// initialize gets a session of its own, visible ASCII; a stateless client none.
func TestSessions(t *testing.T) {
	r := newRig(t, nil)
	seen := map[string]bool{}
	for range 3 {
		_, _, head := r.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		id := head.Get("Mcp-Session-Id")
		if len(id) < 20 || seen[id] {
			t.Errorf("session %q", id)
		}
		seen[id] = true
	}
	_, _, head := r.post(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`, "Mcp-Protocol-Version", modern, "Mcp-Method", "server/discover")
	if id := head.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("a stateless client got the session %q", id)
	}
}

// A call naming no listed tool, or with arguments violating a schema-validated
// tool's input schema, answers JSON-RPC -32602, never isError. score and
// verify_finding reject unknown arguments, including attempted authorization
// overrides, and so does every other tool.
func TestInvalidArguments(t *testing.T) {
	r := newRig(t, nil)
	target := `"command":["/no/such/program"]`
	overrides := []string{"allow_mutation", "allow-mutation", "allowMutation", "allow_remote_http", "allow_remote", "authorization", "protocol", "arguments", "CANARY"}
	valid := map[string]string{
		"list_findings": ``, "get_finding": `"finding_id":"finding-0000000000000000"`, "get_readiness_trends": ``,
		"record_annotation": `"event_id":"x","kind":"workaround","note":"n"`, "run_probe": target + `,"manifest":{}`, "scaffold": target, "score": target,
		"verify_finding": target + `,"finding_id":"f","case_id":"c","manifest":{}`,
	}
	bad := map[string][]string{
		"no_such_tool":         {`{}`},
		"list_findings":        {`{"state":"CANARY"}`, `{"state":1}`, `{"server":["CANARY"]}`, `{"State":"open"}`},
		"get_finding":          {`{}`, `{"finding_id":7}`, `{"finding_id":""}`},
		"get_readiness_trends": {`{"last":0}`, `{"last":1.5}`, `{"last":"CANARY"}`},
		"record_annotation": {
			`{}`, `{"event_id":"x","kind":"CANARY","note":"n"}`, `{"event_id":"x","kind":"workaround"}`,
			`{"event_id":"x","kind":"workaround","note":"` + strings.Repeat("\u00e9", 241) + `"}`,
			`{"event_id":"x","kind":"workaround","note":"a\nb"}`, `{"event_id":"x","kind":"workaround","note":"a\u0085b"}`, `{"event_id":"x","kind":"workaround","note":"a\u007fb"}`,
			`{"kind":"workaround","note":"n"}`, `{"event_id":"x","session":"s","seq":1,"kind":"workaround","note":"n"}`,
			`{"session":"s","kind":"workaround","note":"n"}`, `{"seq":1,"kind":"workaround","note":"n"}`,
			`{"event_id":"x","seq":1,"kind":"workaround","note":"n"}`, `{"session":"s","seq":-1,"kind":"workaround","note":"n"}`,
		},
		"run_probe":      {`{}`, `{` + target + `}`, `{"manifest":{}}`, `{` + target + `,"url":"http://127.0.0.1:1/mcp","manifest":{}}`, `{"command":"x","manifest":{}}`, `{"command":[],"manifest":{}}`, `{"command":[""],"manifest":{}}`, `{"command":["x"],"manifest":"CANARY"}`, `{` + target + `,"command":["y"],"manifest":{}}`},
		"scaffold":       {`{}`, `{` + target + `,"confirm_read_only":"yes"}`, `{` + target + `,"server_label":"CANARY CANARY"}`, `[]`},
		"score":          {`{}`, `{` + target + `,"skip_tools":"CANARY"}`},
		"verify_finding": {`{}`, `{` + target + `,"finding_id":"f","case_id":"c"}`, `{` + target + `,"finding_id":"f","case_id":"c","manifest":{},"server_label":"x"}`},
	}
	for name, arguments := range valid {
		for _, member := range overrides {
			for _, value := range []string{"true", `"Bearer CANARY"`} {
				bad[name] = append(bad[name], strings.Replace("{"+arguments+`,"`+member+`":`+value+"}", "{,", "{", 1))
			}
		}
	}
	for name, list := range bad {
		for _, arguments := range list {
			for _, revision := range []string{legacy, modern} {
				body, headers := call(1, name, arguments), []string{"Mcp-Protocol-Version", revision}
				if revision == modern {
					body = strings.Replace(body, `"params":{`, `"params":{`+modernMeta+`,`, 1)
					headers = append(headers, "Mcp-Method", "tools/call", "Mcp-Name", name)
				}
				_, message, _ := r.post(body, headers...)
				got := parse(t, message)
				if got.Error == nil || got.Error.Code != -32602 {
					t.Errorf("%s %s answers %s", name, arguments, message)
				}
				if strings.Contains(message, "CANARY") {
					t.Errorf("the answer quotes the request: %s", message)
				}
			}
		}
	}
}

// The evaluation tools never authorize mutation or remote HTTP: a mutating case, a
// sandbox, or another machine is a tool error, and nothing is started.
func TestNeverMutationNeverRemote(t *testing.T) {
	r := newRig(t, nil)
	touched := t.TempDir() + "/touched"
	url := demoURL(t, &demo.Options{Observe: func(demo.Received) { t.Error("the server was talked to") }})
	for _, c := range []struct{ name, tool, arguments, want string }{
		{"a mutating case", "run_probe", `{"command":["/usr/bin/touch","` + touched + `"],"manifest":{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[{"id":"c","probe":"degradation-over-n","access":"mutating","sandbox":"s","tool":"t","arguments":{},"max_attempts":2}]}}`, "not run here"},
		{"a mutating case over HTTP", "run_probe", `{"url":"` + url + `","manifest":{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[{"id":"c","probe":"degradation-over-n","access":"mutating","sandbox":"s","tool":"t","arguments":{},"max_attempts":2}]}}`, "not run here"},
		{"a sandbox alone", "run_probe", `{"url":"` + url + `","manifest":{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[{"id":"c","probe":"discovery-cost","access":"read_only","max_tools":100,"max_schema_bytes":1000}]}}`, "not run here"},
		{"another machine", "run_probe", `{"url":"https://mcp.example.com/mcp","manifest":{"version":1,"probes":[{"id":"c","probe":"discovery-cost","access":"read_only","max_tools":100,"max_schema_bytes":1000}]}}`, "on this machine"},
		{"another machine, scaffold", "scaffold", `{"url":"https://mcp.example.com/mcp"}`, "on this machine"},
		{"another machine, score", "score", `{"url":"http://10.0.0.1/mcp"}`, "on this machine"},
		{"a bad manifest", "run_probe", `{"url":"` + url + `","manifest":{"CANARY":1}}`, "manifest: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, message, _ := r.post(call(1, c.tool, c.arguments))
			got := parse(t, message)
			if got.Result == nil || !got.Result.IsError || !strings.Contains(got.text(), c.want) {
				t.Errorf("got %s, want an error with %q", message, c.want)
			}
		})
	}
}

// Progress comes when it was asked for, and only then.
func TestProgress(t *testing.T) {
	for _, revision := range []string{legacy, modern} {
		r := newRig(t, nil)
		var steps []float64
		session := r.connect(revision, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) {
				steps = append(steps, p.Params.Progress)
			},
		})
		for _, token := range []any{nil, "t"} {
			params := &sdk.CallToolParams{Name: "scaffold", Arguments: map[string]any{"url": demoURL(t, &demo.Options{})}}
			if token != nil {
				params.SetProgressToken(token)
			}
			result, err := session.CallTool(t.Context(), params)
			if err != nil || result.IsError {
				t.Fatalf("%v, %+v", err, result)
			}
			if asked := token != nil; asked != (len(steps) > 1) {
				t.Errorf("%s: token %v, steps %v", revision, token, steps)
			}
		}
	}
}
