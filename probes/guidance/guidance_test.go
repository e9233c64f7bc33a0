package guidance_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/guidance"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/schemas"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.GuardArg {
		os.Exit(process.GuardMain(os.Args[2:]))
	}
	if mode := os.Getenv("GUIDANCE_SERVER"); mode != "" {
		serve(mode)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const secret = "hunter2"

// serve is a server whose catalog depends on what its client declares. Modes:
// plain; late, which announces the others after the handshake; modern, which is
// stateless; no-sampling, which refuses clients that sample; silent, without
// instructions; dead.
func serve(mode string) {
	if mode == "dead" {
		return
	}
	var declared map[string]any
	initialized := false
	answer := func(id json.RawMessage, member string, v any) {
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, member: v})
		fmt.Println(string(line))
	}
	instructions := "Use `always` first, " + secret + ", then `ask_user(question)` or ``browse``, never `" + secret + "` or `odd name`."
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Capabilities map[string]any `json:"capabilities"`
				Meta         struct {
					Capabilities map[string]any `json:"io.modelcontextprotocol/clientCapabilities"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) != nil {
			return
		}
		if mode == "modern" {
			declared = m.Params.Meta.Capabilities
		}
		has := func(name string) bool { _, ok := declared[name]; return ok }
		hello := map[string]any{
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": mode == "late"}},
			"serverInfo":   map[string]any{"name": "s", "version": "1"}, "instructions": instructions,
		}
		if mode == "silent" {
			delete(hello, "instructions")
		}
		switch {
		case m.Method == "server/discover" && mode == "modern":
			hello["supportedVersions"], hello["resultType"] = []string{"2026-07-28"}, "complete"
			answer(m.ID, "result", hello)
		case m.Method == "initialize":
			declared = m.Params.Capabilities
			if has("sampling") && mode == "no-sampling" {
				answer(m.ID, "error", map[string]any{"code": -32000, "message": secret})
				continue
			}
			hello["protocolVersion"] = "2025-11-25"
			answer(m.ID, "result", hello)
		case m.Method == "ping" || m.Method == "tools/list":
			var tools []any
			add := func(name string) {
				tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
			}
			add("always")
			if mode != "late" || initialized {
				if has("elicitation") {
					add("ask_user")
				}
				if has("roots") {
					add("browse")
				}
			}
			if mode == "late" && m.Method == "ping" && !initialized {
				initialized = true
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			answer(m.ID, "result", map[string]any{"resultType": "complete", "tools": tools})
		case m.ID != nil:
			answer(m.ID, "error", map[string]any{"code": -32601, "message": "no"})
		}
	}
}

func run(t *testing.T, mode string, require ...string) (*guidance.Report, error) {
	t.Helper()
	label, _ := report.NewLabel("s")
	return guidance.Run(t.Context(), &guidance.Config{
		Target: client.Target{Command: []string{os.Args[0]}, Env: append(os.Environ(), "GUIDANCE_SERVER="+mode)},
		Server: label, Version: label, Require: require, Grace: time.Second,
	})
}

func TestProfiles(t *testing.T) {
	full := strings.Join([]string{
		"none: ask_user only elicitation all", "none: browse only roots all",
		"roots: ask_user only elicitation all",
		"sampling: ask_user only elicitation all", "sampling: browse only roots all",
		"elicitation: browse only roots all",
	}, "\n")
	tests := []struct {
		name, mode string
		require    []string
		want       string // candidates
		tools      string
		gate       string
	}{
		{name: "what is listed depends on the client", mode: "plain", want: full, tools: "1 2 1 2 3"},
		{name: "and is announced later", mode: "late", want: full, tools: "1 2 1 2 3"},
		{name: "stateless", mode: "modern", want: full, tools: "1 2 1 2 3"},
		{name: "no instructions", mode: "silent", tools: "1 2 1 2 3"},
		{name: "required and there", mode: "plain", require: []string{"always", "always"}, want: full, tools: "1 2 1 2 3", gate: "passed"},
		{name: "required and missing", mode: "silent", require: []string{"always", "browse"}, tools: "1 2 1 2 3",
			gate: "failed: browse for none sampling elicitation"},
		{name: "a profile that is refused", mode: "no-sampling", require: []string{"always"}, tools: "1 2 - 2 -", gate: "open",
			want: "none: ask_user only elicitation\nnone: browse only roots\nroots: ask_user only elicitation\nelicitation: browse only roots"},
		{name: "missing without the refused ones", mode: "no-sampling", require: []string{"browse"}, tools: "1 2 - 2 -", gate: "failed: browse for none elicitation",
			want: "none: ask_user only elicitation\nnone: browse only roots\nroots: ask_user only elicitation\nelicitation: browse only roots"},
	}
	text, _ := schemas.Get("guidance")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///guidance", doc); err != nil {
		t.Fatal(err)
	}
	published, err := c.Compile("mem:///guidance")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := run(t, tt.mode, tt.require...)
			if err != nil {
				t.Fatal(err)
			}
			var candidates, tools []string
			for _, c := range r.Candidates {
				line := fmt.Sprintf("%s: %s only", c.Profile, c.Tool)
				for _, p := range c.ListedBy {
					line += " " + string(p)
				}
				candidates = append(candidates, line)
			}
			for _, s := range r.Profiles {
				if s.Error != "" {
					tools = append(tools, "-")
					continue
				}
				tools = append(tools, fmt.Sprint(s.Tools))
			}
			gate := ""
			switch {
			case len(tt.require) == 0:
			case r.Passed == nil:
				gate = "open"
			case *r.Passed:
				gate = "passed"
			default:
				gate = "failed"
			}
			for _, q := range r.Required {
				if len(q.Missing) > 0 {
					gate += ": " + q.Tool.String() + " for"
					for _, p := range q.Missing {
						gate += " " + string(p)
					}
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(candidates, "\n")); diff != "" {
				t.Errorf("candidates:\n%s", diff)
			}
			if got := strings.Join(tools, " "); got != tt.tools || gate != tt.gate {
				t.Errorf("tools %s, gate %q; want %s, %q", got, gate, tt.tools, tt.gate)
			}
			document, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document)); err != nil || published.Validate(doc) != nil {
				t.Errorf("%v, %v:\n%s", err, published.Validate(doc), document)
			}
			for _, shown := range []string{string(document), string(r.Text())} {
				if strings.Contains(shown, secret) {
					t.Errorf("instructions are shown:\n%s", shown)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, name := range []string{"", "two words", "<tool>", strings.Repeat("a", 129)} {
		_, err := run(t, "dead", name)
		if _, ok := errors.AsType[*guidance.RequirementError](err); !ok {
			t.Errorf("requiring %q: %v", name, err)
		} else if name != "" && strings.Contains(err.Error(), name) {
			t.Errorf("the error quotes the name: %v", err)
		}
	}
	if _, err := run(t, "dead"); client.KindOf(err) != client.ServerNotStarted {
		t.Errorf("a dead server: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	label, _ := report.NewLabel("s")
	_, err := guidance.Run(ctx, &guidance.Config{
		Target: client.Target{Command: []string{os.Args[0]}, Env: append(os.Environ(), "GUIDANCE_SERVER=plain")}, Server: label, Version: label,
	})
	if !errors.Is(err, cause) {
		t.Errorf("a stopped run: %v", err)
	}
}
