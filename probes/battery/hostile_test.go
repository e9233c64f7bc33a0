package battery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// everyCase is the demo's manifest, with every tool called t and a short time
// for everything.
func everyCase(t *testing.T) *manifest.Manifest {
	m := demoManifest(t)
	m.TimeoutMS = 300
	for _, c := range m.Cases {
		switch c := c.(type) {
		case *manifest.SchemaGuessability:
			c.Tool = "t"
		case *manifest.OutputSchema:
			c.Tool = "t"
		case *manifest.ResourceSubscription:
			c.MaxWaitSeconds = 1
		}
	}
	return m
}

func nested(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

// hostile are answers that nobody should give, by what they are.
func hostile() map[string]map[string]string {
	caps := `"capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}`
	hello := `{"protocolVersion":"2025-11-25",` + caps + `}`
	with := func(more map[string]string) map[string]string {
		more["initialize"] = hello
		return more
	}
	tool := func(members string) string { return `{"tools":[{"name":"t",` + members + `}]}` }
	every := func(text string) map[string]string {
		all := map[string]string{}
		for _, method := range []string{
			"tools/list", "tools/call", "ping", "resources/list", "resources/templates/list", "prompts/list", "resources/read",
			"resources/subscribe", "resources/unsubscribe", "completion/complete",
		} {
			all[method] = text
		}
		return with(all)
	}
	alone := func(text string) map[string]string {
		all := every(text)
		delete(all, "tools/list")
		return all
	}
	return map[string]map[string]string{
		"null results":           every("null"),
		"null but tools":         alone("null"),
		"number results":         alone("17"),
		"text results":           alone(`"ok"`),
		"list results":           alone("[[]]"),
		"empty results":          alone("{}"),
		"deep results":           alone(nested(5000)),
		"errors with no message": alone(`!{"code":1}`),
		"errors of text":         alone(`!"broken"`),
		"errors without code":    alone(`!{"message":"m"}`),
		"huge codes":             alone(`!{"code":1e400}`),
		"entries of all kinds":   with(map[string]string{"tools/list": `{"tools":[null,1,"x",[],{},{"name":7},{"name":"t"},{"name":"t","inputSchema":null}]}`}),
		"annotations of text":    with(map[string]string{"tools/list": tool(`"annotations":"all","inputSchema":{"type":"object"}`)}),
		"schema true":            with(map[string]string{"tools/list": tool(`"inputSchema":true,"outputSchema":false`)}),
		"schema of depth":        with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object","properties":` + nested(5000) + `},"outputSchema":` + nested(5000))}),
		"schema that loops":      with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object","$ref":"#","allOf":[{"$ref":"#/allOf/0"}]},"outputSchema":{"$ref":"#"}`)}),
		"schema of patterns":     with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object","patternProperties":{"(((":{}}},"outputSchema":{"pattern":"(?=x)("}`)}),
		"schema of refs away":    with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object","$ref":"file:///etc/hostname"},"outputSchema":{"$ref":"../x.json"}`)}),
		"schema of odd refs":     with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object","$ref":"#/%zz"},"outputSchema":{"$ref":"#/~2"}`)}),
		"output of numbers":      with(map[string]string{"tools/list": tool(`"inputSchema":{"type":"object"},"outputSchema":{"type":"number","multipleOf":1e-300}`), "tools/call": `{"structuredContent":1e300}`}),
		"content of all kinds":   with(map[string]string{"tools/call": `{"content":[null,1,{"type":"text"},{"type":"text","text":7},{"type":"text","text":"{"}],"isError":null}`}),
		"capabilities of text":   {"initialize": `{"protocolVersion":"2025-11-25","capabilities":"all"}`},
		"versions of numbers":    {"initialize": `{"protocolVersion":20251125}`},
		"discovery of text":      {"server/discover": `{"supportedVersions":"2026-07-28"}`},
		"versions of all kinds":  {"server/discover": `{"resultType":"complete","supportedVersions":[null,1,"2026-07-28",{}]}`},
		"silence":                alone(""),
	}
}

// TestHostile shows that no server makes a run hang, panic or claim a pass for
// what was never answered.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, answers := range hostile() {
		for _, over := range []string{"http", "stdio"} {
			if over == "stdio" && !soaking() && len(name)%4 != 0 {
				continue // a process for each connection takes its time
			}
			t.Run(name+"/"+over, func(t *testing.T) {
				t.Parallel()
				f := &fake{answers: answers}
				target := f.overHTTP(t)
				if over == "stdio" {
					target = f.overStdio(t)
				}
				c := config(target, everyCase(t))
				c.StartupTimeout = 10 * time.Second
				r, err := battery.Run(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Document.Validate(); err != nil {
					t.Error(err)
				}
				if r.Outcome.Passed {
					t.Error("the gate passed")
				}
			})
		}
	}
}

// TestFalsePositives shows what must not be held against a server.
func TestFalsePositives(t *testing.T) {
	t.Parallel()
	tools := func(name, members string) map[string]string {
		return map[string]string{"tools/list": `{"tools":[{"name":"` + name + `",` + members + `}]}`}
	}
	object := `"inputSchema":{"type":"object"}`
	node := `{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}`
	calls := func(tool string) []string {
		named := func(text string) string { return strings.ReplaceAll(text, `"t"`, `"`+tool+`"`) }
		return []string{named(guess), paginate, named(`"probe":"latency-budget","tool":"t","arguments":{},"attempts":1,"max_latency_ms":60000`)}
	}
	tests := []struct {
		name    string
		answers map[string]string
		cases   []string
		want    map[string]reason.Label
	}{
		{"recursion", tools("t", `"inputSchema":{"type":"object","properties":{"n":{"$ref":"#/$defs/Node"}},"$defs":{"Node":`+node+`}}`), calls("t"), nil},
		{"recursion between two", tools("t", `"inputSchema":{"type":"object","$defs":{"A":{"properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"properties":{"a":{"$ref":"#/$defs/A"}}}}}`), calls("t"), nil},
		{"no properties", tools("t", object), calls("t"), nil},
		{"dots in a name", tools("admin.tools.list", object), calls("admin.tools.list"), nil},
		{"slashes in a name", tools("OEE/Sites/get", object), calls("OEE/Sites/get"), nil},
		{"a long name", tools(strings.Repeat("n", 129), object), calls(strings.Repeat("n", 129)), nil},
		{"required in allOf and behind a reference", tools("t", `"inputSchema":{"type":"object","required":["a","b"],"allOf":[{"properties":{"a":{}}}],"$ref":"#/$defs/x~1y","$defs":{"x/y":{"properties":{"b":{}}}}}`),
			[]string{`"probe":"schema-guessability","tool":"t","arguments":{"a":1,"b":2}`}, nil},
		{"an unknown dialect", tools("t", `"inputSchema":{"$schema":"https://example.com/dialect","type":"object"}`), calls("t"), nil},
		{"an empty cursor before 2026-07-28", map[string]string{"tools/list": `{"tools":[{"name":"t",` + object + `}],"nextCursor":""}`}, calls("t"), nil},
		{"a null cursor", map[string]string{"tools/list": `{"tools":[{"name":"t",` + object + `}],"nextCursor":null}`}, calls("t"), nil},
		{"an error that breaks the output schema", map[string]string{
			"tools/list": `{"tools":[{"name":"t",` + object + `,"outputSchema":{"type":"object","required":["x"]}}]}`,
			"tools/call": `{"isError":true,"content":[],"structuredContent":{"code":"refused"}}`,
		}, []string{
			`"probe":"instruction-fidelity","tool":"t","arguments":{},"expect":{"outcome":"error","error_code":"refused"}`,
			`"probe":"error-honesty","tool":"t","arguments":{},"max_attempts":2,"expect_retryable":false`,
		}, nil},
		{"nothing but tools", nil, []string{
			`"probe":"surface-listing","max_pages":5`,
			`"probe":"completion","ref_type":"ref/prompt","ref_uri":"p","argument_name":"a","argument_value":"","max_values":5`,
			`"probe":"resource-subscription","uri":"x:y","max_wait_seconds":1`,
			`"probe":"output-schema","tool":"t","arguments":{}`,
		}, map[string]reason.Label{"c1": reason.CapabilityAbsent, "c2": reason.CapabilityAbsent, "c3": reason.CapabilityAbsent, "c4": reason.CapabilityAbsent}},
		{"no tools at all", map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}}`, "prompts/list": `{"prompts":[]}`,
			"tools/list": `!{"code":-32601,"message":"Method not found"}`,
		}, []string{paginate, `"probe":"surface-listing","max_pages":5`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: tt.answers}
			r := run(t, config(f.overHTTP(t), parse(t, manifestOf(tt.cases...))))
			got := reasons(r)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("cases that did not pass (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEmptyGate shows that a run in which nothing was judged is no pass.
func TestEmptyGate(t *testing.T) {
	t.Parallel()
	for _, allow := range []bool{false, true} {
		f := &fake{}
		c := config(f.overHTTP(t), parse(t, manifestOf(`"probe":"surface-listing","max_pages":5`)))
		c.Rules.AllowEmpty = allow
		r := run(t, c)
		if want := map[bool]int{false: report.ExitFailed, true: report.ExitPassed}[allow]; r.Outcome.Exit != want {
			t.Errorf("allowed %v: exit %d", allow, r.Outcome.Exit)
		}
	}
}

// TestKnownFailures shows that stale entries are found among all cases, selected
// or not.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	f := &fake{answers: map[string]string{"tools/call": `!{"code":1,"message":"m"}`}}
	m := parse(t, manifestOf(guess, paginate))
	c := config(f.overHTTP(t), m)
	c.Cases = m.Cases[:1]
	for _, id := range []string{"c1", "c2"} {
		known, err := report.NewCaseID(id)
		if err != nil {
			t.Fatal(err)
		}
		c.Rules.Known = append(c.Rules.Known, known)
	}
	if r := run(t, c); r.Outcome.Exit != report.ExitPassed || len(r.Outcome.Stale) > 0 {
		t.Errorf("exit %d, stale %v", r.Outcome.Exit, r.Outcome.Stale)
	}
}

var _ client.Clock = (*clock)(nil)
