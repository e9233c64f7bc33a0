package portability_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/portability"
)

const secret = "hunter2"

// asked are what was sent: the frames below answer it.
var asked = []string{
	`{"jsonrpc":"2.0","id":"0","method":"server/discover"}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}`,
}

func watch(stdio bool, frames ...string) *portability.Watch {
	target := client.Target{URL: "http://127.0.0.1:1/"}
	if stdio {
		target = client.Target{Command: []string{"x"}}
	}
	w := portability.New(target)
	for _, frame := range asked {
		w.Frame(journal.Outbound, []byte(frame), time.Time{})
	}
	for _, frame := range frames {
		w.Frame(journal.Inbound, []byte(frame), time.Time{})
	}
	return w
}

func causes(w *portability.Watch) []string {
	var list []string
	for _, r := range w.Rows() {
		list = append(list, string(r.Cause)+": "+string(r.Effect))
	}
	return list
}

func listed(tool string) string { return `{"jsonrpc":"2.0","id":2,"result":{"tools":[` + tool + `]}}` }

func called(result string) string { return `{"jsonrpc":"2.0","id":3,"result":` + result + `}` }

const fine = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`

func TestFrames(t *testing.T) {
	tests := []struct {
		name   string
		frames []string
		want   []string
	}{
		{name: "nothing wrong", frames: []string{`{"jsonrpc":"2.0","id":"0","error":{"code":-32601,"message":"no"}}`, fine, called(`{"content":[]}`)}},
		{name: "a log line", frames: []string{"ready " + secret, fine}, want: []string{"stray-text: ends the session"}},
		{name: "what only begins like a message", frames: []string{"{" + secret, fine}, want: []string{"stray-text: ends the session"}},
		{name: "JSON that is none of ours", frames: []string{`{"level":"` + secret + `"}`, `17`, `[]`}, want: []string{"stray-json: ends the session"}},
		{name: "several lines", frames: strings.Split("{\n \"jsonrpc\": \"2.0\",\n \"id\": 1,\n \"result\": {\n  \"a}\\\"\": {}\n }\n}", "\n"),
			want: []string{"several-lines: cannot connect", "unknown-revision: cannot connect", "no-server-info: cannot connect", "no-capabilities: cannot connect"}},
		{name: "several messages", frames: []string{`{"jsonrpc":"2.0","method":"a"}` + fine}, want: []string{"several-messages: loses the answer"}},
		{name: "blanks at the end", frames: []string{fine + " "}, want: []string{"trailing-blank: ends the session"}},
		{name: "bytes within a text", frames: []string{strings.Replace(fine, `"name"`, "\"description\":\"\xff\",\"name\"", 1)}, want: []string{"invalid-utf8: ends the session"}},
		{name: "bytes in a log", frames: []string{"\xff"}, want: []string{"stray-text: ends the session", "invalid-utf8: ends the session"}},
		{name: "a batch", frames: []string{"[" + fine + "]"}, want: []string{"batch: loses every tool"}},
		{name: "an id as text", frames: []string{strings.Replace(fine, `"id":2`, `"id":"2"`, 1)}, want: []string{"text-id: loses every tool"}},
		{name: "an id as 2.0", frames: []string{strings.Replace(fine, `"id":2`, `"id":2.0`, 1)}, want: []string{"float-id: loses every tool"}},
		{name: "the worst effect only", frames: []string{
			`{"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, strings.Replace(fine, `"jsonrpc":"2.0",`, "", 1),
		}, want: []string{"no-version: cannot connect"}},
		{name: "an answer to nothing", frames: []string{`{"jsonrpc":"2.0","id":99,"result":null}`}},
		{name: "an error without an id", frames: []string{`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"` + secret + `"}}`}, want: []string{"error-without-id: ends the session"}},
		{name: "members that are null", frames: []string{listed(`{"name":"t","description":null,"title":null,"inputSchema":{"type":"object"}}`)},
			want: []string{"null-member: loses every tool", "null-member: loses every tool"}},
		{name: "no type", frames: []string{listed(`{"name":"t","inputSchema":{}}`)}, want: []string{"input-no-object: loses every tool"}},
		{name: "an output schema that compiles nowhere", frames: []string{listed(`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":{"type":"strin"}}}}`)},
			want: []string{"output-unusable: loses every tool", "output-unusable: loses the answer"}},
		{name: "an output that does not fit", frames: []string{
			listed(`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["a"]}}`), called(`{"content":[],"structuredContent":{}}`),
		}, want: []string{"output-unfulfilled: loses the answer"}},
		{name: "a failure need not fit", frames: []string{
			listed(`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["a"]}}`), called(`{"content":[],"isError":true}`),
		}},
		{name: "structured content of any kind", frames: []string{called(`{"content":[],"structuredContent":[]}`)}, want: []string{"bad-structured: loses the answer"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := watch(true, tt.frames...)
			if diff := cmp.Diff(tt.want, causes(w)); diff != "" {
				t.Error(diff)
			}
			for _, r := range w.Remarks() {
				if strings.Contains(string(r), secret) {
					t.Errorf("traffic is shown: %s", r)
				}
			}
		})
	}
}

// Over HTTP a message ends with its body, and how it is laid out is nobody's
// concern.
func TestHTTP(t *testing.T) {
	if got := causes(watch(false, strings.ReplaceAll(fine, ",", ",\n ")+" ")); got != nil {
		t.Error(got)
	}
}

func TestRow(t *testing.T) {
	w := watch(true, listed(`{"name":"t","description":null,"inputSchema":{"type":"object"}},{"name":"<b>`+secret+`","description":null,"inputSchema":{"type":"object"}}`))
	want := "TypeScript SDK 1, TypeScript SDK 2: loses every tool: description is null (t), 2 times; fix: leave the member out where it has no value"
	if got := w.Remarks(); len(got) != 1 || string(got[0]) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever comes is taken, in time that grows with it, and is not quoted.
func FuzzFrames(f *testing.F) {
	f.Add("{\n\"jsonrpc\":\"2.0\",\n}", true)
	f.Add(fine+fine, true)
	f.Add(listed(`{"name":null,"inputSchema":true,"outputSchema":{"type":"object","$ref":"#"}}`), false)
	f.Add(called(`{"content":[{"type":"image","data":7},null],"isError":3}`), true)
	f.Fuzz(func(t *testing.T, text string, stdio bool) {
		w := watch(stdio, strings.Split(text+"\n"+secret, "\n")...)
		for _, r := range w.Rows() {
			if len(r.Families) == 0 || r.Effect == "" || r.Text == "" || r.Fix == "" || r.Count < 1 || strings.Contains(r.String(), secret) {
				t.Errorf("row %+v", r)
			}
		}
	})
}

// A message that never ends is given up, and each of its bytes was looked at once.
func TestUnended(t *testing.T) {
	lines := []string{`{"jsonrpc":[{}`}
	for range 400_000 {
		lines = append(lines, ",{}")
	}
	if diff := cmp.Diff([]string{"stray-text: ends the session"}, causes(watch(true, lines...))); diff != "" {
		t.Error(diff)
	}
}
