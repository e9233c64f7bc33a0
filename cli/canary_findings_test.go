package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/projections/query"
)

// TestFindingsCanary: nothing that people say about findings, and no file that is
// exported, holds anything of the traffic, of a session's name or of a note.
func TestFindingsCanary(t *testing.T) {
	traffic, notes := &canaries{}, &canaries{}
	dir := filepath.Join(t.TempDir(), "home")
	run := func(session, stdin string, args ...string) string {
		cmd := exec.Command("mcpeval", args...)
		cmd.Env, cmd.Stdin = append(os.Environ(), "MCPEVAL_HOME="+dir, "MCPEVAL_SESSION="+session), strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mcpeval %s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	for range 2 {
		var frames strings.Builder
		for id := range 4 {
			// The echo makes every frame a server's too.
			fmt.Fprintf(&frames, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q,%q:%q,"deep":[{%q:1}]}}}`+"\n",
				id, traffic.phrase(), traffic.credential(), traffic.phrase(), traffic.credential())
			fmt.Fprintf(&frames, `{"jsonrpc":"2.0","id":%d,"result":{"isError":true,"content":[{"type":"text","text":"no such file %s"}],"structuredContent":{%q:%q}}}`+"\n",
				id, "\\\""+traffic.phrase()+"\\\"", traffic.phrase(), traffic.credential())
		}
		run(traffic.phrase(), frames.String(), "shim", "--server", "demo", "--", "child", "cat")
	}
	run("", "", "index")
	var document struct{ Findings []query.Finding }
	if err := json.Unmarshal([]byte(run("", "", "findings", "--format", "json")), &document); err != nil || len(document.Findings) != 1 {
		t.Fatalf("%d findings, %v", len(document.Findings), err)
	}
	event := *document.Findings[0].Evidence[0]
	issues := filepath.Join(t.TempDir(), "issues")
	var printed strings.Builder
	for _, args := range [][]string{
		{"annotate", "--event", event, "--kind", "false-success", "--note", notes.phrase()},
		{"annotate", "--event", event, "--kind", "workaround", "--note", notes.phrase(), "--format", "json"},
		{"index", "--format", "json"}, {"promote"}, {"promote", "--format", "json"},
		{"findings"}, {"findings", "--format", "md"}, {"findings", "--format", "json"},
		{"trends"}, {"trends", "--format", "json"},
		{"export-issues", "--dir", issues}, {"export-issues", "--dir", issues, "--format", "json"},
		{"audit", "--finding", document.Findings[0].ID},
	} {
		printed.WriteString(run(traffic.phrase(), "", args...))
	}
	if text := printed.String(); !strings.Contains(text, "false-success") || strings.Contains(text, "session:") {
		t.Errorf("what was printed is not about the finding, or names a session:\n%s", text)
	}
	for _, c := range []*canaries{traffic, notes} {
		c.notIn(t, "the output of a verb", []byte(printed.String()))
		if n := c.notBelow(t, issues); n != 1 {
			t.Errorf("looked at %d exported issues", n)
		}
	}
	if n := traffic.notBelow(t, dir); n < 6 {
		t.Errorf("looked at %d files of the home", n)
	}
}
