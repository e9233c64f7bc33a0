package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/portability"
)

const brokenServer = "testdata/e2e/broken.mjs"

// brokenModes are servers that every client gets to judge. Those that make a
// client wait for its timeout are few.
var brokenModes = []string{
	"clean", "trailing-blank", "leading-blank", "crlf", "blank-lines", "pretty", "response-extra", "error-null", "twice", "id-text", "id-float",
	"banner", "colour", "json-log", "json-number", "json-text", "early-notification", "error-id-null", "error-no-id", "stray-response", "bad-utf8", "mid-log", "mid-utf8",
	"version-unknown", "info-missing", "info-no-version", "capabilities-missing", "capabilities-null", "capability-null", "capability-true", "instructions-null",
	"schema-no-type", "schema-other-type", "schema-null", "schema-missing", "schema-text", "schema-boolean-property", "schema-properties-null",
	"schema-required-null", "schema-required-object", "schema-additional-null", "schema-dangling-ref",
	"description-null", "description-number", "title-null", "name-odd", "name-null", "name-twice", "annotations-null", "annotation-text", "annotation-null",
	"meta-null", "icons-null", "output-null", "output-no-type", "output-array", "output-unknown-type", "output-dangling-ref", "output-remote-ref",
	"output-unfulfilled", "output-mismatch", "output-fulfilled", "extra-member",
	"cursor-null", "cursor-number", "cursor-empty", "tools-null", "tools-missing", "list-meta-null",
	"content-unknown", "content-null", "content-text", "content-missing", "content-item-text", "content-no-type", "text-missing", "text-number",
	"image-base64", "image-no-mime", "resource-flat", "link-no-name", "is-error-text", "is-error-null", "structured-array", "structured-null",
	"result-meta-null", "result-null", "result-text", "code-text", "error-proper",
}

// TestEndToEndPortability runs official clients against servers that are broken in
// one thing each: what they cannot take is what portability says of the same
// server.
func TestEndToEndPortability(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	modules := filepath.Join(npmInstall(t), "@modelcontextprotocol")
	site := pipInstall(t)
	script := func(env string, args ...string) func(*testing.T) map[string]string {
		return func(t *testing.T) map[string]string { return runBroken(t, env, args...) }
	}
	families := map[portability.Family]func(*testing.T) map[string]string{
		portability.TypeScript1: script("", "node", "testdata/e2e/portability.mjs", modules, "1"),
		portability.TypeScript2: script("", "node", "testdata/e2e/portability.mjs", modules, "2"),
		portability.Python:      script("PYTHONPATH="+site, "python3", "testdata/e2e/portability.py"),
		portability.Go:          runBrokenGo,
	}
	said := make(map[string]map[portability.Family]portability.Effect)
	var mu sync.Mutex
	each(brokenModes, func(mode string) {
		effects := verdicts(t, mode)
		mu.Lock()
		defer mu.Unlock()
		said[mode] = effects
	})
	for family, run := range families {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			saw := run(t)
			for _, mode := range brokenModes {
				want := stagesOf(said[mode][family])
				if got, ok := saw[mode]; !ok || !strings.Contains(want, got) {
					t.Errorf("%s: the client says %q, portability %q", mode, got, said[mode][family])
				}
			}
		})
	}
}

// each calls f for every mode, four at a time.
func each(modes []string, f func(mode string)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for _, mode := range modes {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			f(mode)
		})
	}
	group.Wait()
}

// stagesOf are the stages at which a client may fail by an effect.
func stagesOf(e portability.Effect) string {
	switch e {
	case portability.NoConnection:
		return "connect"
	case portability.NoTools:
		return "list"
	case portability.NoAnswer:
		return "call"
	case portability.EndOfSession:
		return "connect list call"
	}
	return "ok"
}

// verdicts are the worst effects by family, of a session that goes as the clients'
// do.
func verdicts(t *testing.T, mode string) map[portability.Family]portability.Effect {
	target := client.Target{Command: []string{"node", brokenServer, mode}}
	watch := portability.New(target)
	conn, err := client.Dial(t.Context(), target, &client.Options{
		Protocol: client.Revision2025c, StartupTimeout: 20 * time.Second, Timeout: 3 * time.Second, Grace: time.Second, Tap: watch.Frame,
	})
	if err == nil {
		tools, _, _ := conn.ListTools(t.Context())
		if len(tools) > 0 {
			named, _ := tools[0].Get("name")
			if named.Kind() == rawjson.String {
				_, _ = conn.Call(t.Context(), "tools/call", []byte(`{"name":`+string(named.Raw())+`,"arguments":{}}`)) // judged by its frames
			}
		}
		conn.Close()
		watch.Counts(conn.Counts())
	}
	worst := make(map[portability.Family]portability.Effect)
	order := []portability.Effect{portability.EndOfSession, portability.NoConnection, portability.NoTools, portability.NoAnswer}
	for _, e := range order {
		for _, row := range watch.Rows() {
			for _, f := range row.Families {
				if row.Effect == e && worst[f] == "" {
					worst[f] = e
				}
			}
		}
	}
	return worst
}

// runBroken runs a client's script over all modes.
func runBroken(t *testing.T, env string, args ...string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	args = append(append(args, brokenServer), brokenModes...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
	saw := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		mode, stage, _ := strings.Cut(strings.TrimSpace(line), ": ")
		saw[mode] = stage
	}
	return saw
}

// runBrokenGo is what the scripts are, on the Go SDK.
func runBrokenGo(t *testing.T) map[string]string {
	saw := make(map[string]string)
	var mu sync.Mutex
	each(brokenModes, func(mode string) {
		stage := goStage(t, mode)
		mu.Lock()
		defer mu.Unlock()
		saw[mode] = stage
	})
	return saw
}

func goStage(t *testing.T, mode string) string {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1.0.0"}, nil)
	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: exec.Command("node", brokenServer, mode), TerminateDuration: time.Second}, nil)
	if err != nil {
		return "connect"
	}
	defer session.Close()
	name := ""
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return "list"
		}
		name = tool.Name
	}
	if name == "" {
		return "list"
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: name})
	var refused *jsonrpc.Error
	if err != nil && !errors.As(err, &refused) {
		return "call"
	}
	return "ok"
}
