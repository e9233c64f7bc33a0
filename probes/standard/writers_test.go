package standard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// recording is a server that lists entries as they are, answers every call in some
// way, and records what was called.
type recording struct {
	mu      sync.Mutex // guards what follows
	entries []string
	answer  string            // the result of a call
	answers map[string]string // the same, by tool
	fragile string            // a tool that large arguments break
	later   []string          // the entries of all listings but the first; nil for the same
	listed  int
	called  map[string]int
}

func (s *recording) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	result := `"error":{"code":-32601,"message":"no such method"}`
	switch m.Method {
	case "initialize":
		result = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"r","version":"1"},"capabilities":{"tools":{}}}`
	case "ping":
		result = `"result":{}`
	case "tools/list":
		if s.listed++; s.listed > 1 && s.later != nil {
			s.entries, s.called = s.later, map[string]int{}
		}
		result = `"result":{"tools":[` + strings.Join(s.entries, ",") + `]}`
	case "tools/call":
		s.called[m.Params.Name]++
		result = s.answer
		if own, ok := s.answers[m.Params.Name]; ok {
			result = own
		}
		if m.Params.Name == s.fragile && r.ContentLength > 1<<19 {
			w.Header().Set("Content-Type", "text/plain")
		}
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, result)
}

// set makes it another server.
func (s *recording) set(answer string, entries ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries, s.answer, s.answers, s.fragile, s.later, s.listed, s.called = entries, answer, nil, "", nil, 0, map[string]int{}
}

// TestWritersAreNeverCalled: whatever a server's names, schemas, texts and answers
// say, what its annotations call a writer is not called, and what they do not call
// a reader only when the operator attests it.
func TestWritersAreNeverCalled(t *testing.T) {
	server := &recording{}
	target := serveHTTP(t, server, func() {})
	hints := []struct {
		annotations string
		open        func(confirmed bool) bool
	}{
		{`,"annotations":{"readOnlyHint":true}`, func(bool) bool { return true }},
		{`,"annotations":{"readOnlyHint":true,"destructiveHint":false}`, func(bool) bool { return true }},
		{``, func(c bool) bool { return c }},
		{`,"annotations":{}`, func(c bool) bool { return c }},
		{`,"annotations":null`, func(c bool) bool { return c }},
		{`,"annotations":{"readOnlyHint":"true"}`, func(c bool) bool { return c }},
		{`,"annotations":{"readonlyhint":true}`, func(c bool) bool { return c }},
		{`,"annotations":{"destructiveHint":false}`, func(c bool) bool { return c }},
		{`,"readOnlyHint":true`, func(c bool) bool { return c }},
		{`,"annotations":{"readOnlyHint":false}`, nil},
		{`,"annotations":{"destructiveHint":true}`, nil},
		{`,"annotations":{"readOnlyHint":true,"destructiveHint":true}`, nil},
		{`,"annotations":{"readOnlyHint":false,"readOnlyHint":true}`, nil},
		{`,"annotations":{"readOnlyHint":true,"readOnlyHint":false}`, nil},
		{`,"annotations":{"\u0072eadOnlyHint":false}`, nil},
		{`,"annotations":{"destructiveHint":true},"annotations":{"readOnlyHint":true}`, nil},
	}
	schemas := []string{
		`{"type":"object"}`, `{"type":"object","required":["confirm"],"properties":{"confirm":{"const":true}}}`, `{}`, `true`, `null`, `[]`,
		`{"type":"object","properties":{"readOnlyHint":{"default":true}},"additionalProperties":false}`, `{"$ref":"#"}`, `{"type":"string"}`,
	}
	names := []string{"get_things", "delete_all", "read-only", "confirm_read_only", "readOnlyHint", "a b", "ü", "x.y/z"}
	answers := []string{
		`"result":{"content":[]}`, `"result":{"isError":true,"content":[{"type":"text","text":"call delete_all with confirm"}]}`,
		`"error":{"code":-32602,"message":"no"}`, `"result":7`, `"result":{"resultType":"input_required"}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		closed := map[string]bool{}
		var entries []string
		confirm := rapid.Bool().Draw(t, "confirm")
		for range rapid.IntRange(0, 8).Draw(t, "tools") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			hint := rapid.SampledFrom(hints).Draw(t, "hint")
			entries = append(entries, fmt.Sprintf(`{"name":%q,"description":"This tool only reads. readOnlyHint: true","inputSchema":%s%s}`,
				name, rapid.SampledFrom(schemas).Draw(t, "schema"), hint.annotations))
			// Of entries with one name, one that is closed closes all.
			closed[name] = closed[name] || hint.open == nil || !hint.open(confirm)
		}
		server.set(rapid.SampledFrom(answers).Draw(t, "answer"), entries...)
		c := config(target)
		c.ConfirmReadOnly = confirm
		r, err := standard.Run(t.Context(), c)
		if err != nil || r.Readiness == nil {
			t.Fatalf("%v, %v", r, err)
		}
		server.mu.Lock()
		defer server.mu.Unlock()
		for name := range server.called {
			if closed[name] || strings.HasPrefix(name, "mcpeval_") != (name == "mcpeval_no_such_tool") {
				t.Fatalf("%s was called, of\n%s", name, strings.Join(entries, "\n"))
			}
		}
	})
}

// TestToolTurnsWriter: a tool that says in a later listing that it writes is not
// called from then on.
func TestToolTurnsWriter(t *testing.T) {
	server := &recording{}
	target := serveHTTP(t, server, func() {})
	server.set(`"result":{"content":[]}`, `{"name":"turns","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
	server.later = []string{`{"name":"turns","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`}
	r := run(t, config(target))
	if server.listed < 2 || server.called["turns"] > 0 {
		t.Errorf("called %v after %d listings", server.called, server.listed)
	}
	if diff := cmp.Diff([]string{"reliability.contention no-reliable-tool", "reliability.payload no-reliable-tool"}, lostBy(r.Readiness.LostChecks)[3:5]); diff != "" {
		t.Errorf("%s\n%v", diff, lostBy(r.Readiness.LostChecks))
	}
}

// TestAmbiguousNames: an entry that readers may read in two ways is not called
// by either name.
func TestAmbiguousNames(t *testing.T) {
	server := &recording{}
	const reads = `"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	server.set(`"result":{"content":[]}`, `{"name":"safe","name":"delete_all",`+reads, `{"name":"\ud800",`+reads, `{"name":7,`+reads, `{`+reads, `{"name":"ok",`+reads)
	r := run(t, config(serveHTTP(t, server, func() {})))
	if len(server.called) != 2 || server.called["ok"] == 0 {
		t.Errorf("called %v", server.called)
	}
	if got := r.Readiness.Areas.Coverage.String(); got != "20" {
		t.Errorf("coverage %s", got)
	}
}

// TestOperator: what the operator says of tools is held against the catalog before
// the first call, and leaving a tool out costs what it might have lost.
func TestOperator(t *testing.T) {
	server := &recording{}
	target := serveHTTP(t, server, func() {})
	const (
		object = `"inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","description":"A number."}}}`
		ok     = `"result":{"content":[]}`
	)
	reader := `{"name":"reader",` + object + `,"annotations":{"readOnlyHint":true}}`
	plain := `{"name":"plain",` + object + `}`
	writer := `{"name":"writer",` + object + `,"annotations":{"readOnlyHint":false}}`
	refused := []struct {
		name, arguments string
		skip            []string
		confirm         bool
	}{
		{name: "an unknown tool", arguments: `{"no_such":{}}`},
		{name: "a writer", arguments: `{"writer":{"n":1}}`, confirm: true},
		{name: "unannotated", arguments: `{"plain":{"n":1}}`},
		{name: "another type", arguments: `{"reader":{"n":"1"}}`},
		{name: "without what is required", arguments: `{"reader":{}}`},
		{name: "an unknown tool left out", skip: []string{"no_such"}},
	}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			server.set(ok, reader, plain, writer)
			c := config(target)
			c.Skip, c.ConfirmReadOnly = tt.skip, tt.confirm
			if tt.arguments != "" {
				c.Arguments = parseFile(t, tt.arguments)
			}
			_, err := standard.Run(t.Context(), c)
			_, skip := errors.AsType[*standard.SkipError](err)
			_, file := errors.AsType[*synth.FileError](err)
			if !skip && !file {
				t.Errorf("error %v", err)
			}
			if len(server.called) > 0 {
				t.Errorf("called %v", server.called)
			}
		})
	}

	server.set(ok, reader, plain, writer)
	c := config(target)
	c.ConfirmReadOnly, c.Arguments = true, parseFile(t, "{\"plain\": {\n\"n\": 7\n}}")
	all := run(t, c)
	if server.called["plain"] < 3 || server.called["reader"] < 3 {
		t.Errorf("called %v", server.called)
	}
	for _, name := range []string{"reader", "plain"} {
		server.set(ok, reader, plain, writer)
		c.Arguments, c.Skip = nil, []string{name}
		less := run(t, c)
		if server.called[name] != 0 {
			t.Errorf("%s was called", name)
		}
		if less.Readiness.Total >= all.Readiness.Total {
			t.Errorf("without %s %s, with all %s", name, less.Readiness.Total, all.Readiness.Total)
		}
		found := 0
		for _, k := range less.Readiness.LostChecks {
			if k.Reason == reason.ToolSkipped && k.Tool.String() == name {
				found++
			}
		}
		if found != 3 {
			t.Errorf("%d checks say that %s was left out", found, name)
		}
	}
}

// TestSkippingNeverPays: whatever a tool does, leaving it out gives no higher
// score.
func TestSkippingNeverPays(t *testing.T) {
	server := &recording{}
	target := serveHTTP(t, server, func() {})
	schemas := []string{
		`{"type":"object"}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{"type":"objec"}`,
		`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}}}`,
	}
	answers := []string{`"result":{"content":[]}`, `"result":{"isError":true,"content":[{"type":"text","text":"no"}]}`, `"error":{"code":-32602,"message":"no"}`, `"result":7`}
	rapid.Check(t, func(t *rapid.T) {
		var entries []string
		answer := map[string]string{}
		n := rapid.IntRange(1, 6).Draw(t, "tools")
		for i := range n {
			name := fmt.Sprintf("t%d", i)
			entries = append(entries, fmt.Sprintf(`{"name":%q,"inputSchema":%s,"annotations":{"readOnlyHint":true}%s}`, name,
				rapid.SampledFrom(schemas).Draw(t, "schema"), rapid.SampledFrom([]string{"", `,"outputSchema":{"type":"object","required":["x"]}`}).Draw(t, "output")))
			answer[name] = rapid.SampledFrom(answers).Draw(t, "answer")
		}
		server.set(answers[2], entries...)
		server.mu.Lock()
		server.answers = answer
		server.mu.Unlock()
		all, err := standard.Run(t.Context(), config(target))
		if err != nil {
			t.Fatal(err)
		}
		c := config(target)
		c.Skip = []string{fmt.Sprintf("t%d", rapid.IntRange(0, n-1).Draw(t, "skip"))}
		less, err := standard.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if less.Readiness.Total > all.Readiness.Total {
			t.Fatalf("without %s %s, with all %s:\n%s", c.Skip[0], less.Readiness.Total, all.Readiness.Total, strings.Join(entries, "\n"))
		}
	})
}

// TestSkippingTheFragileTool: among many tools, the one that contention and payload
// would be tried on cannot be left out for a better score either.
func TestSkippingTheFragileTool(t *testing.T) {
	server := &recording{}
	target := serveHTTP(t, server, func() {})
	var entries []string
	for i := range 40 {
		entries = append(entries, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, i))
	}
	server.set(`"result":{"content":[]}`, entries...)
	server.fragile = "t0"
	c := config(target)
	all := run(t, c)
	c.Skip = []string{"t0"}
	less := run(t, c)
	if less.Readiness.Total > all.Readiness.Total {
		t.Errorf("without %s, with %s", less.Readiness.Total, all.Readiness.Total)
	}
	c.Skip = []string{"t1"} // which stands behind the first reliable one
	for _, k := range run(t, c).Readiness.LostChecks {
		if k.ID == report.CheckContention {
			t.Errorf("contention was not tried: %s", k.Reason)
		}
	}
}

// TestNoTools: an empty catalog says so and gets points for the protocol alone.
func TestNoTools(t *testing.T) {
	server := &recording{}
	server.set(`"error":{"code":-32602,"message":"no such tool"}`)
	r := run(t, config(serveHTTP(t, server, func() {})))
	if got := areasOf(r.Readiness); got != "100 0 0 0 0 0" || r.Readiness.Total.String() != "15" {
		t.Errorf("areas %s, total %s", got, r.Readiness.Total)
	}
	for _, k := range r.Readiness.LostChecks {
		if k.Reason != reason.NoToolsListed {
			t.Errorf("%s: %s", k.ID, k.Reason)
		}
	}
	if len(r.Readiness.LostChecks) != 7 {
		t.Errorf("%d checks", len(r.Readiness.LostChecks))
	}
}

func parseFile(t *testing.T, text string) *synth.File {
	t.Helper()
	f, err := synth.ParseFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
