package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// leaky is a server that puts a secret into everything it says. What a tool
// answers is chosen by its argument mode.
type leaky struct {
	mu       sync.Mutex // guards what follows
	canaries *canaries
	form     string
}

func (l *leaky) secret() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := json.Marshal(l.canaries.mint(l.form))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// notIn is that of its canaries.
func (l *leaky) notIn(t *testing.T, where string, text []byte) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.canaries.notIn(t, where, text)
}

func (l *leaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Arguments struct{ Mode string }
		}
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s := l.secret
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Secret", strings.Trim(s(), `"`))
	say := func(format string, args ...any) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, fmt.Sprintf(format, args...))
	}
	tool := func(name, input, output string) string {
		return fmt.Sprintf(`{"name":%s,"title":%s,"description":%s,"annotations":{"readOnlyHint":true,"title":%s},"inputSchema":%s,"outputSchema":%s,"_meta":{%s:%s}}`,
			name, s(), s(), s(), input, output, s(), s())
	}
	switch m.Method {
	case "initialize":
		say(`"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":%s,"version":%s},"instructions":%s,"capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},%s:%s}}`, s(), s(), s(), s(), s())
	case "tools/list":
		input := fmt.Sprintf(`{"type":"object","description":%s,"required":["mode"],"properties":{"mode":{"type":"string","description":%s,"default":%s},%s:{"enum":[%s]}},"$defs":{%s:{"const":%s}}}`, s(), s(), s(), s(), s(), s(), s())
		output := fmt.Sprintf(`{"type":"object","required":[%s],"properties":{%s:{"type":"number"}}}`, s(), s())
		broken := fmt.Sprintf(`{"type":"object","properties":{"a":{"$ref":%s},%s:{"type":%s}}}`, s(), s(), s())
		say(`"result":{"tools":[%s,%s,%s,{"description":%s}]}`, tool(`"t"`, input, output), tool(s(), input, output), tool(`"broken"`, broken, broken), s())
	case "resources/list":
		say(`"result":{"resources":[{"uri":%s,"name":%s},{"name":%s}]}`, s(), s(), s())
	case "prompts/list":
		say(`"error":{"code":-32603,"message":%s,"data":%s}`, s(), s())
	case "ping":
		say(`"result":{}`)
	case "tools/call":
		switch m.Params.Arguments.Mode {
		case "error":
			say(`"error":{"code":-32000,"message":%s,"data":{"code":%s,"retryable":true,%s:%s}}`, s(), s(), s(), s())
		case "tool-error":
			say(`"result":{"isError":true,"content":[{"type":"text","text":%s}],"structuredContent":{"code":%s,"error":{"code":%s}}}`, s(), s(), s())
		case "no-json":
			fmt.Fprintf(w, "{%s", s())
		case "no-result":
			say(`"result":%s`, s())
		case "status":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, s())
		case "redirect":
			w.Header().Set("Location", "http://127.0.0.1:1/"+strings.Trim(s(), `"`))
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "stray":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": %s\nevent: %s\ndata: {%s\n\n", s(), s(), s())
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","method":%s,"params":{"x":%s}}`+"\n\n", s(), s())
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n\n", m.ID)
		default:
			say(`"result":{"content":[{"type":"text","text":%s}],"structuredContent":{%s:%s}}`, s(), s(), s())
		}
	default:
		say(`"error":{"code":-32601,"message":%s}`, s())
	}
}

// TestProbeCanary probes a server that puts secrets into every description,
// schema, result and error, with a manifest whose every argument is one. None may
// be in any form of the reports, in what a verb prints, or in the journal.
func TestProbeCanary(t *testing.T) {
	for _, form := range []string{"sk-live-%s", "the %s merger, ann@example.com, /home/ann"} {
		t.Run(strings.Fields(form)[0], func(t *testing.T) {
			c := &canaries{}
			quote := func() string {
				b, err := json.Marshal(c.mint(form))
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			dir := t.TempDir()
			cases := []string{
				`{"id":"catalog","probe":"discovery-cost","access":"read_only","max_tools":1,"max_schema_bytes":1}`,
				`{"id":"pages","probe":"pagination","access":"read_only","max_pages":5}`,
				`{"id":"surfaces","probe":"surface-listing","access":"read_only","max_pages":5}`,
				`{"id":"versions","probe":"protocol-negotiation","access":"read_only","bogus_version":"2999-01-01"}`,
				`{"id":"guess","probe":"schema-guessability","access":"read_only","tool":"broken","arguments":{` + quote() + `:` + quote() + `}}`,
				`{"id":"unlisted","probe":"schema-guessability","access":"read_only","tool":` + quote() + `,"arguments":{}}`,
				`{"id":"shape","probe":"output-schema","access":"read_only","tool":"t","arguments":{"mode":"","x":` + quote() + `}}`,
				`{"id":"honest","probe":"error-honesty","access":"read_only","tool":"t","arguments":{"mode":"error","x":` + quote() + `},"max_attempts":2,"expect_retryable":true}`,
				`{"id":"expected","probe":"instruction-fidelity","access":"read_only","tool":"t","arguments":{"mode":"","x":` + quote() + `},"expect":{"outcome":"ok","required_result_fields":[` + quote() + `],"equals":{` + quote() + `:` + quote() + `}}}`,
				`{"id":"payload","probe":"payload-bounds","access":"read_only","tool":"t","arguments":{"mode":"","x":` + quote() + `},"field":` + quote() + `,"size_bytes":1000,"expect_handled":true}`,
				`{"id":"subscribed","probe":"resource-subscription","access":"read_only","uri":` + quote() + `,"max_wait_seconds":1}`,
				`{"id":"completed","probe":"completion","access":"read_only","ref_type":"ref/prompt","ref_uri":` + quote() + `,"argument_name":` + quote() + `,"argument_value":` + quote() + `,"max_values":1}`,
			}
			for _, mode := range []string{"error", "tool-error", "no-json", "no-result", "status", "redirect", "stray"} {
				cases = append(cases, `{"id":"mode-`+mode+`","probe":"degradation-over-n","access":"read_only","tool":"t","arguments":{"mode":"`+mode+`","x":`+quote()+`},"max_attempts":2}`)
			}
			sandbox := `"sandboxes":{"s":{"description":` + quote() + `}},`
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("m.json", `{"$schema":`+quote()+`,"version":1,`+sandbox+`"probes":[`+strings.Join(cases, ",\n")+`]}`)
			write("two.json", `{"version":1,"probes":[`+strings.Join(cases[:2], ",\n")+`]}`)
			write("arguments.json", `{"t":{"mode":`+quote()+`}}`)
			write("bad-arguments.json", `{"t":{"mode":7,`+quote()+`:`+quote()+`},`+quote()+`:{}}`)
			write("bad-manifest.json", `{"version":1,"probes":[{"id":"a","access":`+quote()+`,"probe":`+quote()+`}]}`)
			write("bad-report.json", `{"schema":`+quote()+`,`+quote()+`:`+quote()+`}`)

			home := filepath.Join(t.TempDir(), "home")
			env := append(os.Environ(), "MCPEVAL_HOME="+home, "MCPEVAL_SESSION="+c.mint(form), "MCPEVAL_HTTP_AUTHORIZATION=Bearer "+strings.Fields(c.mint("tok%s"))[0])
			l := &leaky{canaries: c, form: form}
			server := httptest.NewServer(l)
			defer server.Close()
			run := func(args ...string) string {
				t.Helper()
				cmd := exec.Command("mcpeval", args...)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatalf("mcpeval %s: %v", args[0], err)
				}
				l.notIn(t, "the output of "+strings.Join(args[:min(len(args), 6)], " "), out)
				return string(out)
			}
			url := []string{"--url", server.URL + "/mcp"}
			probe := append([]string{"probe", "--server", "s", "--manifest", "m.json"}, url...)
			for _, format := range []string{"text", "markdown", "sarif", "junit"} {
				run(append(probe, "--format", format)...)
			}
			cmd := exec.Command("mcpeval", append(probe, "--format", "json")...)
			cmd.Dir, cmd.Env = dir, env
			document, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 3 {
				t.Fatalf("probe: %v\n%s", err, document)
			}
			l.notIn(t, "the JSON report", document)
			for _, reason := range []string{"discovery-limit-exceeded", "invalid-schema", "transport-error", "output-schema", "unexpected-outcome"} {
				if !strings.Contains(string(document), reason) {
					t.Errorf("the run does not show %s:\n%s", reason, document)
				}
			}
			write("report.json", string(document))
			for _, format := range []string{"text", "json", "markdown", "sarif", "junit"} {
				run("report", "report.json", "--format", format)
			}
			for _, format := range []string{"text", "json", "markdown"} {
				run("diff", "report.json", "report.json", "--format", format)
				run("compare", "--manifest", "two.json", "--target", "a="+server.URL+"/mcp", "--target", "b="+server.URL+"/mcp", "--format", format)
			}
			score := append([]string{"score", "--server", "s", "--confirm-read-only"}, url...)
			for _, format := range []string{"text", "json", "markdown"} {
				if out := run(append(score, "--format", format)...); !strings.Contains(out, "readiness") {
					t.Errorf("score said %s", out)
				}
			}
			run(append(score, "--arguments", "bad-arguments.json")...)
			run(append(score, "--skip-tool", c.mint(form))...)
			scaffold := append([]string{"init", "--server", "s", "--output", "new.json", "--force"}, url...)
			if out := run(scaffold...); !strings.Contains(out, "wrote new.json") {
				t.Errorf("init said %s", out)
			}
			run(append(scaffold, "--arguments", "arguments.json", "--format", "json")...)
			run(append(scaffold, "--arguments", "bad-arguments.json")...)
			run(append(scaffold, "--dry-run")...)
			run(append([]string{"probe", "--server", "s", "--manifest", "bad-manifest.json"}, url...)...)
			run("report", "bad-report.json")
			run("index")
			run("calls", "--list", "--format", "json")

			files := 0
			err = filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				files++
				l.notIn(t, d.Name(), mustRead(t, name))
				return nil
			})
			if err != nil || files < 4 {
				t.Fatalf("looked at %d files: %v", files, err)
			}
		})
	}
}
