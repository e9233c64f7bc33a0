package scaffold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/scaffold"
	"github.com/mcpeval/mcpeval/probes/synth"
)

const (
	needsBuildable = `{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}`
	needsTheWorld  = `{"type":"object","required":["q"],"properties":{"q":{"type":"string","pattern":"^[0-9]{9}$"}}}`
)

func run(t *testing.T, f *fake, o *scaffold.Options) (*scaffold.Result, error) {
	t.Helper()
	o.Target = f.start(t)
	o.Version = "test"
	return scaffold.Run(t.Context(), o)
}

func mustRun(t *testing.T, f *fake, o *scaffold.Options) *scaffold.Result {
	t.Helper()
	r, err := run(t, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func arguments(t *testing.T, text string) *synth.File {
	t.Helper()
	f, err := synth.ParseFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func decisions(r *scaffold.Result) map[string]string {
	list := make(map[string]string)
	for _, t := range r.Tools {
		list[t.Name.String()] = string(t.Decision)
	}
	return list
}

// The seven strings, word for word, and which comes first when several apply.
func TestDecisions(t *testing.T) {
	mixed := []string{
		tool("ro", reads, "", ""),
		tool("rw", writes, "", ""),
		tool("gone", destroys, "", ""),
		tool("both", `{"readOnlyHint":true,"destructiveHint":true}`, needsTheWorld, ""),
		tool("worst", `{"readOnlyHint":false,"destructiveHint":true}`, "", ""),
		tool("plain", "", "", ""),
		tool("harmless", `{"destructiveHint":false,"readOnlyHint":"yes"}`, "", ""),
		tool("ro-needs", reads, needsTheWorld, ""),
		tool("rw-needs", writes, needsTheWorld, ""),
		tool("plain-needs", "", needsTheWorld, ""),
		tool("built", reads, needsBuildable, ""),
	}
	all := func(changes map[string]string) map[string]string {
		want := map[string]string{
			"ro": "candidate (readOnlyHint)", "rw": "skipped: readOnlyHint=false", "gone": "skipped: destructiveHint",
			"both": "skipped: destructiveHint", "worst": "skipped: destructiveHint", "plain": "needs --confirm-read-only",
			"harmless": "needs --confirm-read-only", "ro-needs": "skipped: required arguments", "rw-needs": "skipped: readOnlyHint=false",
			"plain-needs": "needs --confirm-read-only", "built": "candidate (readOnlyHint)",
		}
		for name, d := range changes {
			want[name] = d
		}
		return want
	}
	only := map[string]string{}
	for name := range all(nil) {
		only[name] = "skipped: not in --tool"
	}
	only["ro"] = "candidate (readOnlyHint)"
	tests := []struct {
		name string
		o    scaffold.Options
		want map[string]string
	}{
		{"nothing said", scaffold.Options{}, all(nil)},
		{"attested", scaffold.Options{ConfirmReadOnly: true}, all(map[string]string{
			"plain": "candidate (attested)", "harmless": "candidate (attested)", "plain-needs": "skipped: required arguments",
		})},
		{"an entry in the file", scaffold.Options{Arguments: arguments(t, `{"ro-needs":{"q":"123456789"}}`)}, all(map[string]string{"ro-needs": "candidate (readOnlyHint)"})},
		{"one tool", scaffold.Options{Tools: []string{"ro"}}, only},
		{"the file may speak of tools outside --tool", scaffold.Options{Tools: []string{"ro"}, Arguments: arguments(t, `{"ro-needs":{"q":"123456789"}}`)}, only},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := catalog(mixed...)
			o := tt.o
			o.DryRun = true
			o.BeforeCalls = func() { t.Error("a dry run was about to call") }
			r := mustRun(t, f, &o)
			if diff := cmp.Diff(tt.want, decisions(r)); diff != "" {
				t.Error(diff)
			}
			if r.Manifest != nil || f.calls != nil || r.Tools[0].Name.String() != "ro" {
				t.Errorf("a dry run: manifest %v, calls %v", r.Manifest, f.calls)
			}
		})
	}
}

func TestWrongNames(t *testing.T) {
	tools := []string{
		tool("ro", reads, needsBuildable, ""), tool("rw", writes, "", ""), tool("gone", destroys, "", ""),
		tool("plain", "", "", ""), tool("needs", reads, needsTheWorld, ""),
	}
	tests := []struct {
		name string
		o    scaffold.Options
		want string
	}{
		{"unknown", scaffold.Options{Tools: []string{"ro", "nothing"}}, "--tool nothing: the server lists no such tool"},
		{"a name that is not shown", scaffold.Options{Tools: []string{"a\x1b[2J"}}, "--tool unlisted: the server lists no such tool"},
		{"a writer", scaffold.Options{Tools: []string{"rw"}, ConfirmReadOnly: true}, "--tool rw: the tool is annotated readOnlyHint: false and is never called"},
		{"destructive", scaffold.Options{Tools: []string{"gone"}, ConfirmReadOnly: true}, "--tool gone: the tool is annotated destructiveHint: true and is never called"},
		{"not attested", scaffold.Options{Tools: []string{"plain"}}, "--tool plain: the tool is not annotated readOnlyHint: true; attest that it is read-only with --confirm-read-only"},
		{"required arguments", scaffold.Options{Tools: []string{"needs"}}, "--tool needs: no schema rule can build its required arguments; give them with --arguments"},
		{"arguments of no tool", scaffold.Options{Arguments: arguments(t, `{"nothing":{}}`)}, "arguments file: nothing: the server lists no such tool"},
		{"arguments of a writer", scaffold.Options{Arguments: arguments(t, `{"rw":{}}`), ConfirmReadOnly: true}, "arguments file: rw: the tool may not be called: it is annotated as a writer, or needs --confirm-read-only"},
		{"arguments of what is not attested", scaffold.Options{Arguments: arguments(t, `{"plain":{}}`)}, "arguments file: plain: the tool may not be called: it is annotated as a writer, or needs --confirm-read-only"},
		{"arguments that break the schema", scaffold.Options{Arguments: arguments(t, `{"ro":{"q":"x"},"needs":{"q":"x"}}`)}, "arguments file: needs: the arguments break the tool's input schema (pattern)"},
	}
	for _, tt := range tests {
		for _, dry := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/dry=%v", tt.name, dry), func(t *testing.T) {
				f := catalog(tools...)
				o := tt.o
				o.DryRun = dry
				r, err := run(t, f, &o)
				if r != nil || err == nil || err.Error() != tt.want {
					t.Errorf("got %v, %v, want %s", r, err, tt.want)
				}
				if f.calls != nil {
					t.Errorf("called %v", f.calls)
				}
			})
		}
	}
}

// caseIDs are the ids of a manifest's cases.
func caseIDs(m *manifest.Manifest) (ids []string) {
	for _, c := range m.Cases {
		ids = append(ids, c.Base().ID)
	}
	return ids
}

func TestManifest(t *testing.T) {
	f := catalog(
		tool("now", reads, "", ""),
		tool("find", reads, needsBuildable, `{"type":"object"}`),
		tool("read", reads, `{"type":"object","required":["path"],"properties":{"n":{"type":"integer"},"path":{"type":["null","string"]}}}`, ""),
		tool("save", writes, "", ""),
		tool("wrong", reads, "", ""),
	)
	f.capabilities = `{"tools":{},"prompts":{}}`
	f.call = func(tool string, _ json.RawMessage) string {
		if tool == "wrong" {
			return `"result":{"isError":true,"content":[],"structuredContent":{"code":"E_CANARY"}}`
		}
		return success
	}
	before := 0
	r := mustRun(t, f, &scaffold.Options{Arguments: arguments(t, `{"read": {"path": "/srv/data/readme.txt"}}`), BeforeCalls: func() { before++ }})
	if diff := cmp.Diff([]string{"now", "find", "read", "wrong"}, f.calls); diff != "" || before != 1 {
		t.Errorf("calls, before %d: %s", before, diff)
	}
	if diff := cmp.Diff([]string{`{}`, `{"q":"example"}`, `{"path":"/srv/data/readme.txt"}`, `{}`}, f.args); diff != "" {
		t.Error(diff)
	}
	text, err := r.Manifest.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"discovery-cost", "token-cost", "pagination", "protocol-negotiation", "surface-listing",
		"schema-guessability:now", "degradation-over-n:now", "latency-budget:now", "contention:now",
		"schema-guessability:find", "degradation-over-n:find", "latency-budget:find", "output-schema:find",
		"schema-guessability:read", "degradation-over-n:read", "latency-budget:read",
		"payload-bounds:find",
	}
	if diff := cmp.Diff(want, caseIDs(r.Manifest)); diff != "" {
		t.Fatal(diff)
	}
	numbers := map[string]string{
		"pagination":               `"max_pages":5`,
		"protocol-negotiation":     `"bogus_version":"2999-01-01"`,
		"degradation-over-n:read":  `"max_attempts":5`,
		"latency-budget:read":      `"attempts":3,"max_latency_ms":1000`,
		"schema-guessability:read": `"arguments":{"path":"/srv/data/readme.txt"}`,
		"payload-bounds:find":      `"field":"q","size_bytes":1000000,"expect_handled":false`,
		"discovery-cost":           `"max_tools":5,`,
	}
	for id, text := range numbers {
		encoded, err := json.Marshal(r.Manifest.Find(id))
		if err != nil || !strings.Contains(string(encoded), text) || !strings.Contains(string(encoded), `"access":"read_only"`) {
			t.Errorf("%s is %s, %v; want %s", id, encoded, err, text)
		}
	}
	for _, c := range r.Manifest.Cases {
		if slices.Contains(scaffold.NeverScaffolded(), c.Base().Probe) {
			t.Errorf("a case of %s was scaffolded", c.Base().Probe)
		}
	}
	if len(scaffold.NeverScaffolded()) != 9 {
		t.Errorf("never scaffolded: %v", scaffold.NeverScaffolded())
	}
	if strings.Contains(string(text), "CANARY") {
		t.Error("what the server said is in the manifest")
	}
	left := map[string]string{}
	for _, tool := range r.Tools {
		if (tool.Left == nil) == (tool.Cases == 0) {
			t.Errorf("%s has %d cases and is left for %v", tool.Name, tool.Cases, tool.Left)
		}
		if tool.Left != nil {
			left[tool.Name.String()] = tool.Left.String()
		}
	}
	wantLeft := map[string]string{
		"save":  "annotated readOnlyHint: false, so never called",
		"wrong": "the call failed: the tool answered with an error, code E_CANARY; arguments tried: {}; give working ones in an --arguments file",
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Error(diff)
	}
}

// The budgets are what the catalog measures: every entry on one line.
func TestBudgets(t *testing.T) {
	a := `{"name":"a","inputSchema":{"type":"object"},"description":"é"}`
	f := catalog("{ \"name\" : \"a\",\n\"inputSchema\":{\"type\":\"object\"}, \"description\":\"\\u00e9\" }", tool("b", "", "", ""))
	r := mustRun(t, f, &scaffold.Options{})
	b := tool("b", "", "", "")
	tokens := func(s string) int { return (len(s) + 3) / 4 }
	discovery := r.Manifest.Find("discovery-cost").(*manifest.DiscoveryCost)
	cost := r.Manifest.Find("token-cost").(*manifest.TokenCost)
	if discovery.MaxTools != 2 || discovery.MaxSchemaBytes != len(a)+len(b) || cost.MaxTotalTokens != tokens(a)+tokens(b) || cost.MaxToolTokens != max(tokens(a), tokens(b)) {
		t.Errorf("budgets %+v %+v, want %d bytes", discovery, cost, len(a)+len(b))
	}
	if diff := cmp.Diff([]string{"discovery-cost", "token-cost", "pagination", "protocol-negotiation"}, caseIDs(r.Manifest)); diff != "" {
		t.Error(diff)
	}
}

func TestSurfaceListing(t *testing.T) {
	for capabilities, want := range map[string]bool{
		`{"tools":{}}`: false, `{"tools":{},"resources":{}}`: true, `{"prompts":{"listChanged":true}}`: true, `{"resources":null}`: false,
	} {
		f := catalog()
		f.capabilities = capabilities
		r := mustRun(t, f, &scaffold.Options{})
		if got := r.Manifest.Find("surface-listing") != nil; got != want {
			t.Errorf("%s: surface-listing %v", capabilities, got)
		}
	}
}

func TestNoTools(t *testing.T) {
	f := &fake{capabilities: `{"resources":{}}`, pages: func(int) string { return "" }} // -32601
	r := mustRun(t, f, &scaffold.Options{})
	if len(r.Tools) != 0 || r.Manifest.Find("discovery-cost").(*manifest.DiscoveryCost).MaxTools != 1 {
		t.Errorf("tools %v", r.Tools)
	}
	if c := r.Manifest.Find("token-cost").(*manifest.TokenCost); c.MaxTotalTokens != 1 || c.MaxToolTokens != 0 {
		t.Errorf("token-cost %+v", c)
	}
}

func TestTwentyCalls(t *testing.T) {
	var tools []string
	for i := range 21 {
		tools = append(tools, tool(fmt.Sprintf("t%02d", i), reads, "", ""))
		if i == 3 {
			tools = append(tools, tool("save", writes, "", ""))
		}
	}
	f := catalog(tools...)
	r := mustRun(t, f, &scaffold.Options{})
	if len(f.calls) != 20 || f.calls[19] != "t19" {
		t.Errorf("%d calls: %v", len(f.calls), f.calls)
	}
	last := r.Tools[len(r.Tools)-1]
	if last.Cases != 0 || last.Left.String() != "past the twentieth candidate; --tool names the ones to call" {
		t.Errorf("the last tool has %d cases, %v", last.Cases, last.Left)
	}
	f = catalog(tools...)
	if mustRun(t, f, &scaffold.Options{Tools: []string{"t20"}}); !slices.Equal(f.calls, []string{"t20"}) {
		t.Errorf("calls %v", f.calls)
	}
}

func TestFailedCalls(t *testing.T) {
	f := catalog(tool("code", reads, "", ""), tool("long", reads, needsBuildable, ""), tool("asks", reads, "", ""), tool("odd", reads, "", ""),
		tool("breaks", reads, "", ""), tool("fine", reads, "", ""))
	f.call = func(tool string, _ json.RawMessage) string {
		switch tool {
		case "code":
			return `"error":{"code":-32602,"message":"CANARY"}`
		case "long":
			return `"result":{"isError":true,"content":[{"type":"text","text":"CANARY"}],"structuredContent":{"error":{"code":404}}}`
		case "asks":
			return `"result":{"resultType":"input_required","inputRequests":{}}`
		case "odd":
			return `"result":["CANARY"]`
		case "breaks":
			return ""
		}
		return success
	}
	r := mustRun(t, f, &scaffold.Options{Arguments: arguments(t, `{"code":{}}`)})
	want := []string{
		"the call failed: the server answered with a JSON-RPC error, code -32602; arguments tried: its entry in --arguments",
		"the call failed: the tool answered with an error, code 404; arguments tried: values built from its schema; give working ones in an --arguments file",
		"the call failed: the tool asked for input; arguments tried: {}; give working ones in an --arguments file",
		"the call failed: the answer is no result of a tool; arguments tried: {}; give working ones in an --arguments file",
		"the call failed: transport-closed; arguments tried: {}; give working ones in an --arguments file",
		"",
	}
	var got []string
	for _, t := range r.Tools {
		text := ""
		if t.Left != nil {
			text = t.Left.String()
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Tools[5].Cases != 5 { // three, contention and payload-bounds
		t.Errorf("the tool after a broken connection has %d cases", r.Tools[5].Cases)
	}
}

// No string property anywhere: the first tool gets the payload in a field that it
// does not have.
func TestPayloadField(t *testing.T) {
	tests := []struct {
		name  string
		tools []string
		want  string
	}{
		{"no text", []string{tool("a", reads, `{"type":"object","properties":{"n":{"type":"integer"}}}`, ""), tool("b", reads, "", "")}, "a payload"},
		{"the second tool", []string{tool("a", reads, "", ""), tool("b", reads, needsBuildable, "")}, "b q"},
		{"in the schema's own order", []string{tool("a", reads, `{"type":"object","properties":{"z":{"type":"string"},"b":{"type":"string"}}}`, "")}, "a z"},
		{"an odd schema", []string{tool("a", reads, `{"properties":7}`, "")}, "a payload"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mustRun(t, catalog(tt.tools...), &scaffold.Options{})
			c := r.Manifest.Cases[len(r.Manifest.Cases)-1].(*manifest.PayloadBounds)
			if got := c.Tool + " " + c.Field; got != tt.want || c.SizeBytes != 1_000_000 {
				t.Errorf("got %s of %d bytes, want %s", got, c.SizeBytes, tt.want)
			}
		})
	}
}

func TestLatencyBudget(t *testing.T) {
	for measured, want := range map[time.Duration]int{
		time.Millisecond: 1000, 250 * time.Millisecond: 1000, 251 * time.Millisecond: 1100, 20 * time.Second: 60000,
		0: 1000, 300 * time.Millisecond: 1200, 300*time.Millisecond + 1: 1300, 14999 * time.Millisecond: 60000, time.Hour: 60000, -time.Second: 1000,
	} {
		if got := scaffold.LatencyBudget(measured); got != want {
			t.Errorf("%v: %d, want %d", measured, got, want)
		}
	}
}

// Names outside the grammar of ids, and ones that meet there, get ids of their own.
func TestNames(t *testing.T) {
	long, list := strings.Repeat("x", 300), strings.Repeat("list_", 40)
	f := catalog(tool("a b", reads, "", ""), tool("a/b", reads, "", ""), tool("ä", reads, "", ""), tool("a b", writes, "", ""),
		tool(list, reads, "", ""), tool(list+"z", reads, "", ""), tool(long, reads, "", ""),
		`{"inputSchema":{"type":"object"}}`, `7`)
	r := mustRun(t, f, &scaffold.Options{})
	if r.Unnamed != 3 || len(r.Tools) != 5 || len(f.calls) != 5 {
		t.Errorf("%d unnamed, %d tools, %d calls", r.Unnamed, len(r.Tools), len(f.calls))
	}
	if a, b := r.Tools[0].Shown(), r.Tools[3].Shown(); a != "unlisted (entry 1)" || b != "unlisted (entry 5)" {
		t.Errorf("shown as %s and %s", a, b)
	}
	ids := caseIDs(r.Manifest)
	for _, want := range []string{"schema-guessability:a_b", "schema-guessability:a_b.2", "schema-guessability:_", "schema-guessability:" + list[:44], "schema-guessability:" + list[:42] + ".2"} {
		if !slices.Contains(ids, want) {
			t.Errorf("there is no case %s", want)
		}
	}
	if c := r.Manifest.Find("schema-guessability:a_b").(*manifest.SchemaGuessability); c.Tool != "a b" {
		t.Errorf("tool %q", c.Tool)
	}
}

// Reports show ids: a name that looks like a credential is in none.
func TestNamesScreened(t *testing.T) {
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	r := mustRun(t, catalog(tool(secret, reads, "", ""), tool("find "+secret, reads, "", "")), &scaffold.Options{})
	ids := caseIDs(r.Manifest)
	for _, want := range []string{"schema-guessability:unlisted", "schema-guessability:unlisted.2"} {
		if !slices.Contains(ids, want) {
			t.Errorf("there is no case %s", want)
		}
	}
	if shown := strings.Join(ids, "\n"); strings.Contains(shown, "16C7") {
		t.Errorf("shown: %s", shown)
	}
}

// A catalog that cannot be read to its end ends everything before the first call.
func TestDiscovery(t *testing.T) {
	pages := func(n, fails int) *fake {
		return &fake{pages: func(page int) string {
			if page == fails {
				return ""
			}
			next := ""
			if page < n {
				next = fmt.Sprint(page + 1)
			}
			return pageOf(page, next)
		}}
	}
	tests := []struct {
		name    string
		f       *fake
		listed  int
		problem client.PageProblem
	}{
		{"twenty pages", pages(20, 0), 20, ""},
		{"twenty-one pages", pages(21, 0), 20, client.MorePagesFollow},
		{"the second page fails", pages(3, 2), 2, client.PageRefused},
		{"the first page fails", pages(3, 1), 1, client.PageRefused},
		{"always the same page", &fake{pages: func(int) string { return pageOf(1, "1") }}, 2, client.CursorRepeated},
	}
	for _, tt := range tests {
		for _, dry := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/dry=%v", tt.name, dry), func(t *testing.T) {
				f := &fake{pages: tt.f.pages}
				r, err := run(t, f, &scaffold.Options{DryRun: dry, BeforeCalls: func() {
					if tt.problem != "" {
						t.Error("something was about to be called")
					}
				}})
				if f.listed != tt.listed {
					t.Errorf("%d pages were asked for, want %d", f.listed, tt.listed)
				}
				if tt.problem == "" {
					if err != nil || r.Pages != 20 || len(r.Tools) != 20 {
						t.Errorf("got %+v, %v", r, err)
					}
					return
				}
				e, ok := errors.AsType[*client.PageError](err)
				if r != nil || !ok || e.Problem != tt.problem || f.calls != nil {
					t.Errorf("got %v, %v, calls %v", r, err, f.calls)
				}
			})
		}
	}
}

func pageOf(n int, next string) string {
	return page([]string{tool(fmt.Sprintf("t%d", n), reads, "", "")}, next)
}

// A catalog that is announced to have changed is listed again before the first
// call, but not for ever and not in a dry run.
func TestChangingCatalog(t *testing.T) {
	tests := []struct {
		name          string
		capabilities  string
		announces     int
		dry           bool
		listed, tools int
	}{
		{"once", `{"tools":{"listChanged":true}}`, 1, false, 2, 2},
		{"always", `{"tools":{"listChanged":true}}`, 100, false, 4, 4},
		{"never", `{"tools":{"listChanged":true}}`, 0, false, 1, 1},
		{"not declared", `{"tools":{}}`, 100, false, 1, 1},
		{"a dry run", `{"tools":{"listChanged":true}}`, 1, true, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{capabilities: tt.capabilities, announces: tt.announces}
			f.pages = func(int) string {
				var tools []string
				for i := range f.listed {
					tools = append(tools, tool(fmt.Sprint("t", i), reads, "", ""))
				}
				return page(tools, "")
			}
			r := mustRun(t, f, &scaffold.Options{DryRun: tt.dry})
			if f.listed != tt.listed || len(r.Tools) != tt.tools || !tt.dry && len(f.calls) != tt.tools {
				t.Errorf("listed %d times, %d tools, calls %v", f.listed, len(r.Tools), f.calls)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	_, err := scaffold.Run(t.Context(), &scaffold.Options{Target: client.Target{Command: []string{"/nonexistent/server"}}, Version: "test"})
	if client.KindOf(err) != client.ServerNotStarted {
		t.Errorf("no server: %v", err)
	}
	f := catalog(tool("a", reads, "", ""))
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped")
	f.call = func(string, json.RawMessage) string {
		cancel(cause)
		return success
	}
	if r, err := scaffold.Run(ctx, &scaffold.Options{Target: f.start(t), Version: "test", BeforeCalls: func() { cancel(cause) }}); r != nil || !errors.Is(err, cause) {
		t.Errorf("stopped: %v, %v", r, err)
	}
}

// The end of the budget is an error, whatever was found until then.
func TestBudget(t *testing.T) {
	var tools []string
	for i := range 5 {
		tools = append(tools, tool(fmt.Sprint("t", i), reads, "", ""))
	}
	f := catalog(tools...)
	clock := &stoppedClock{now: time.Unix(0, 0)}
	f.call = func(tool string, _ json.RawMessage) string {
		if tool == "t2" {
			clock.pass(client.BudgetTime)
		}
		return success
	}
	r, err := run(t, f, &scaffold.Options{Clock: clock})
	if r != nil || client.KindOf(err) != client.BudgetExceeded {
		t.Errorf("got %v, %v", r, err)
	}
	if len(f.calls) != 3 {
		t.Errorf("calls %v", f.calls)
	}
}
