package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a home with findings, and mcpeval serve on it.
type served struct {
	t    *testing.T
	home string
	url  string
	mcp  *mcp.ClientSession
}

// newServed records a flaky server in two sessions, indexes that, and starts the
// endpoint.
func newServed(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{t: t, home: filepath.Join(t.TempDir(), "home")}
	for _, session := range []string{"monday", "tuesday"} {
		s.record("demo", session)
	}
	s.run("index")
	s.start(args...)
	return s
}

// record captures a session of a client that calls get_weather four times.
func (s *served) record(server, session string) {
	s.t.Helper()
	frames := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, id := range []string{"2", "3", "4", "5"} {
		frames += `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"oslo"}}}` + "\n"
	}
	cmd := s.command("shim", "--server", server, "--", "mcpeval", "demo-server", "--broken", "flaky")
	cmd.Env = append(cmd.Env, "MCPEVAL_SESSION="+session)
	cmd.Stdin = strings.NewReader(frames)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("shim: %v\n%s", err, out)
	}
}

func (s *served) command(args ...string) *exec.Cmd {
	cmd := exec.Command("mcpeval", args...)
	cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+s.home)
	return cmd
}

// run is what a verb prints.
func (s *served) run(args ...string) string {
	s.t.Helper()
	cmd := s.command(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("mcpeval %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// start starts the endpoint and connects to it. At its end TERM must make it exit
// with 0.
func (s *served) start(args ...string) {
	s.t.Helper()
	cmd := s.command(append([]string{"serve", "--listen", "127.0.0.1:0", "--allow-spawn"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	s.t.Cleanup(func() {
		if runtime.GOOS == "windows" {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("serve ended with %v", err)
		}
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	transport := &http.Transport{}
	s.mcp, err = client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.mcp.Close()
		transport.CloseIdleConnections()
	})
}

type arguments = map[string]any

// call calls a tool, which must not fail, and returns its text and its structured
// content.
func (s *served) call(tool string, a arguments) (text string, structured map[string]any) {
	s.t.Helper()
	result, err := s.mcp.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		s.t.Fatalf("%s: %v", tool, err)
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		s.t.Fatalf("%s: %s", tool, text)
	}
	structured, ok := result.StructuredContent.(map[string]any)
	if !ok {
		s.t.Fatalf("%s: structured content %v", tool, result.StructuredContent)
	}
	return text, structured
}

// fails calls a tool that must fail, and returns why.
func (s *served) fails(tool string, a arguments) string {
	s.t.Helper()
	result, err := s.mcp.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil || !result.IsError {
		s.t.Fatalf("%s %v: %v, %+v", tool, a, err, result)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// finding is the id of the one finding.
func (s *served) finding() (id string, whole map[string]any) {
	s.t.Helper()
	_, document := s.call("list_findings", nil)
	list := document["findings"].([]any)
	if len(list) != 1 {
		s.t.Fatalf("there are %d findings", len(list))
	}
	whole = list[0].(map[string]any)
	return whole["id"].(string), whole
}

// An agent's whole loop over MCP: scaffold, probe red, fix, probe green, read the
// finding, annotate what was observed, verify until it is closed.
func TestServeLoop(t *testing.T) {
	s := newServed(t)
	program := filepath.Join(t.TempDir(), "server")
	build := func(broken string) {
		if err := os.WriteFile(program, []byte("exec mcpeval demo-server "+broken+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := []string{"sh", program}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to stand for a server that is edited")
	}
	build("")
	_, manifest := s.call("scaffold", arguments{"command": command, "server_label": "demo"})

	build("--broken flaky")
	_, report := s.call("run_probe", arguments{"command": command, "server_label": "demo", "manifest": manifest})
	if report["passed"] != false {
		t.Fatalf("the broken server passes")
	}
	hint := ""
	for _, one := range report["cases"].([]any) {
		if one := one.(map[string]any); one["passed"] == false {
			hint, _ = one["hint"].(string)
		}
	}
	if hint == "" {
		t.Errorf("no failed case has a hint")
	}
	build("") // it is fixed
	if _, report = s.call("run_probe", arguments{"command": command, "server_label": "demo", "manifest": manifest}); report["passed"] != true {
		t.Fatalf("the mended server fails: %v", report)
	}

	id, finding := s.finding()
	if finding["state"] != "open" || finding["tool"] != "get_weather" {
		t.Fatalf("the finding is %v", finding)
	}
	event := finding["evidence"].([]any)[0].(string)
	_, noted := s.call("record_annotation", arguments{"event_id": event, "kind": "workaround", "note": "called again, which helped"})
	if noted["target"] != event {
		t.Errorf("the annotation is %v", noted)
	}

	caseID := ""
	for _, one := range manifest["probes"].([]any) {
		if one := one.(map[string]any); one["tool"] == "get_weather" && one["access"] == "read_only" {
			caseID = one["id"].(string)
			break
		}
	}
	verify := arguments{"finding_id": id, "case_id": caseID, "manifest": manifest, "command": command}
	for i, want := range []string{"verifying", "verifying", "closed"} {
		_, verified := s.call("verify_finding", verify)
		got := verified["lifecycle"].(map[string]any)
		if verified["verified"] != true || got["state"] != want || got["consecutive_passes"] != float64(i+1) {
			t.Errorf("run %d: %v, %v", i+1, verified["verified"], got)
		}
	}
	if _, finding := s.finding(); finding["state"] != "closed" {
		t.Errorf("the finding is %v", finding["state"])
	}
	s.run("audit")
}

// For each data tool and set of arguments the text is byte for byte what the verb
// prints with --format json, and the structured content the same value.
func TestServePrintsWhatTheVerbsPrint(t *testing.T) {
	s := newServed(t)
	s.call("score", arguments{"command": []string{"mcpeval", "demo-server"}, "server_label": "demo"})
	s.run("index")
	for _, c := range []struct {
		tool string
		a    arguments
		verb []string
	}{
		{"list_findings", nil, []string{"findings"}},
		{"list_findings", arguments{"state": "open"}, []string{"findings", "--state", "open"}},
		{"list_findings", arguments{"state": "closed"}, []string{"findings", "--state", "closed"}},
		{"list_findings", arguments{"server": "demo"}, []string{"findings", "--server", "demo"}},
		{"list_findings", arguments{"server": "other"}, []string{"findings", "--server", "other"}},
		{"list_findings", arguments{"server": "demo", "state": "open"}, []string{"findings", "--server", "demo", "--state", "open"}},
		{"get_readiness_trends", nil, []string{"trends"}},
		{"get_readiness_trends", arguments{"server": "demo"}, []string{"trends", "--server", "demo"}},
		{"get_readiness_trends", arguments{"server": "other"}, []string{"trends", "--server", "other"}},
		{"get_readiness_trends", arguments{"last": 1}, []string{"trends", "--last", "1"}},
	} {
		text, structured := s.call(c.tool, c.a)
		printed := s.run(append(c.verb, "--format", "json")...)
		if diff := cmp.Diff(printed, text); diff != "" {
			t.Errorf("%s %v:\n%s", c.tool, c.a, diff)
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(printed), &value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value, structured); diff != "" {
			t.Errorf("%s %v, structured:\n%s", c.tool, c.a, diff)
		}
	}
	id, element := s.finding()
	text, structured := s.call("get_finding", arguments{"finding_id": id})
	if diff := cmp.Diff(element, structured); diff != "" {
		t.Errorf("get_finding is not the element of findings:\n%s", diff)
	}
	indented := strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
	if printed := s.run("findings", "--format", "json"); !strings.Contains(printed, indented) {
		t.Errorf("get_finding's text is not in findings:\n%s\n%s", text, printed)
	}
}

// list_findings returns no findings before the first index, and makes none; a
// corrupt index is a tool error.
func TestServeWithoutAnIndex(t *testing.T) {
	s := &served{t: t, home: filepath.Join(t.TempDir(), "home")}
	s.start()
	if text, _ := s.call("list_findings", nil); text != "{\n  \"findings\": []\n}\n" {
		t.Errorf("list_findings: %s", text)
	}
	s.call("get_readiness_trends", nil)
	if why := s.fails("get_finding", arguments{"finding_id": "finding-0123456789abcdef"}); !strings.Contains(why, "no finding") {
		t.Errorf("get_finding: %s", why)
	}
	if why := s.fails("record_annotation", arguments{"event_id": "019ad000-0000-7000-8000-000000000000", "kind": "workaround", "note": "n"}); !strings.Contains(why, "mcpeval index") {
		t.Errorf("record_annotation: %s", why)
	}
	index := filepath.Join(s.home, "index.db")
	if _, err := os.Stat(index); err == nil {
		t.Error("serve made the index")
	}
	whole, err := os.ReadFile(filepath.Join(newServed(t).home, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"corrupt": strings.Repeat("no database ", 1000), "incomplete": string(whole[:len(whole)/3])} {
		if err := os.WriteFile(index, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"list_findings", "get_readiness_trends"} {
			if why := s.fails(tool, nil); !strings.Contains(why, "next: mcpeval index") {
				t.Errorf("%s, an index that is %s: %s", tool, name, why)
			}
		}
	}
}

// record_annotation refuses coordinates that name no call or more than one. Calls
// of two servers and two sessions are annotated through one serve process, the
// notes stand in the journal and no session does, and index accepts it all.
func TestServeAnnotations(t *testing.T) {
	s := newServed(t)
	s.record("other", "wednesday")
	s.run("index")
	var calls struct {
		Calls []struct {
			EventID string `json:"event_id"`
			Server  string `json:"server"`
			Session string `json:"session"`
			Tool    string `json:"tool"`
		} `json:"calls"`
	}
	printed := s.run("calls", "--list", "--format", "json", "--limit", "100")
	if err := json.Unmarshal([]byte(printed), &calls); err != nil {
		if err := json.Unmarshal([]byte(printed), &calls.Calls); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
	}
	seen := map[string]bool{}
	for _, c := range calls.Calls {
		if c.EventID == "" || c.Tool != "get_weather" || seen[c.Server+c.Session] {
			continue
		}
		seen[c.Server+c.Session] = true
		_, noted := s.call("record_annotation", arguments{"event_id": c.EventID, "kind": "undocumented-behavior", "note": "seen in " + c.Server})
		if noted["server"] != c.Server {
			t.Errorf("the annotation is %v, the call was of %s", noted, c.Server)
		}
	}
	if len(seen) < 3 {
		t.Fatalf("only %d servers and sessions were annotated", len(seen))
	}
	if why := s.fails("record_annotation", arguments{"event_id": "019ad000-0000-7000-8000-000000000000", "kind": "workaround", "note": "n"}); !strings.Contains(why, "no call in the index") {
		t.Errorf("an unknown event: %s", why)
	}
	if why := s.fails("record_annotation", arguments{"session": "monday", "seq": 4, "kind": "workaround", "note": "n"}); !strings.Contains(why, "no record without identity") {
		t.Errorf("a call that has an event ID, by its coordinates: %s", why)
	}
	// Legacy coordinates: the session is hashed before persistence, and they must
	// be unambiguous.
	const legacy = `{"ts":"2025-01-02T03:04:05Z","session":"sunday","seq":SEQ,"server":"old","method":"tools/call","tool":"read_file","latency_ms":12,"outcome":"ok","shim_self_us":40,"kind":"real"}` + "\n"
	one, two := strings.ReplaceAll(legacy, "SEQ", "1"), strings.ReplaceAll(legacy, "SEQ", "2")
	if err := os.WriteFile(filepath.Join(s.home, "store", "calls-2025.jsonl"), []byte(one+two+two), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, noted := s.call("record_annotation", arguments{"session": "sunday", "seq": 1, "kind": "workaround", "note": strings.Repeat("\u00e9", 240)}); noted["target"] != nil || noted["server"] != "old" {
		t.Errorf("a legacy record: %v", noted)
	}
	if why := s.fails("record_annotation", arguments{"session": "sunday", "seq": 2, "kind": "workaround", "note": "n"}); !strings.Contains(why, "more than one record") {
		t.Errorf("ambiguous coordinates: %s", why)
	}
	s.run("index")
	s.run("audit")
	for _, text := range []string{"monday", "tuesday", "wednesday", "sunday"} {
		out, err := exec.Command("grep", "-r", text, filepath.Join(s.home, "store", "captures")).Output()
		if len(out) > 0 {
			t.Errorf("the store holds the session %s (%v)", text, err)
		}
	}
}

// Our own serve, over a store with one finding and with an arguments file naming
// it, scores 100 in every area; without the file it loses exactly the points of
// get_finding's failing call.
func TestServeScoresFull(t *testing.T) {
	s := newServed(t)
	id, _ := s.finding()
	file := filepath.Join(t.TempDir(), "arguments.json")
	if err := os.WriteFile(file, []byte(`{"get_finding":{"finding_id":"`+id+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	type lost struct{ ID, Tool, Reason string }
	score := func(args ...string) (total float64, areas map[string]float64, checks []lost) {
		var report struct {
			Readiness struct {
				Total      float64
				Areas      map[string]float64
				LostChecks []lost `json:"lost_checks"`
			}
		}
		printed := s.run(append([]string{"score", "--server", "serve", "--format", "json"}, args...)...)
		if err := json.Unmarshal([]byte(printed), &report); err != nil {
			t.Fatal(err)
		}
		return report.Readiness.Total, report.Readiness.Areas, report.Readiness.LostChecks
	}
	for name, target := range map[string][]string{"HTTP": {"--url", s.url}, "stdio": {"--", "mcpeval", "serve", "--stdio", "--allow-spawn"}} {
		total, areas, checks := score(append([]string{"--arguments", file}, target...)...)
		// A busy machine may cost points for time, and for nothing else.
		checks = withoutLatency(checks)
		if len(checks) > 0 || len(areas) != 6 {
			t.Errorf("%s: total %v, areas %v, lost %v", name, total, areas, checks)
		}
		_, _, checks = score(target...)
		if diff := cmp.Diff([]lost{{"reliability.success", "get_finding", "call-failed"}}, withoutLatency(checks)); diff != "" {
			t.Errorf("%s, without the file:\n%s", name, diff)
		}
	}
}

func withoutLatency[L ~struct{ ID, Tool, Reason string }](list []L) (rest []L) {
	for _, l := range list {
		if !strings.Contains(struct{ ID, Tool, Reason string }(l).ID, "latency") {
			rest = append(rest, l)
		}
	}
	return rest
}

// verify_finding: a startup failure is a tool error, a mid-case transport failure
// gives lifecycle null; neither records verification evidence. A red outcome
// resets the streak.
func TestServeVerify(t *testing.T) {
	s := newServed(t)
	id, _ := s.finding()
	_, manifest := s.call("scaffold", arguments{"command": []string{"mcpeval", "demo-server"}})
	caseID := ""
	for _, one := range manifest["probes"].([]any) {
		if one := one.(map[string]any); one["tool"] == "get_weather" && one["probe"] == "degradation-over-n" {
			caseID = one["id"].(string)
		}
	}
	if caseID == "" {
		for _, one := range manifest["probes"].([]any) {
			if one := one.(map[string]any); one["tool"] == "get_weather" {
				caseID = one["id"].(string)
			}
		}
	}
	with := func(command ...string) arguments {
		return arguments{"finding_id": id, "case_id": caseID, "manifest": manifest, "command": command}
	}
	state := func(a arguments) any {
		_, verified := s.call("verify_finding", a)
		return verified["lifecycle"]
	}
	verifications := func() int { return strings.Count(s.run("journal", "ls", "--format", "json"), `"recorder": "verify"`) }
	if got := state(with("mcpeval", "demo-server")); got.(map[string]any)["consecutive_passes"] != 1.0 {
		t.Errorf("green: %v", got)
	}
	if why := s.fails("verify_finding", with("/no/such/program")); !strings.Contains(why, "server-not-started") {
		t.Errorf("a startup failure: %s", why)
	}
	before := verifications()
	if got := state(with("mcpeval", "demo-server", "--broken", "exit-at-call")); got != nil {
		t.Errorf("a transport failure in the case: %v", got)
	}
	if _, finding := s.finding(); finding["state"] != "verifying" || finding["consecutive_passes"] != 1.0 {
		t.Errorf("afterwards the finding is %v, %v", finding["state"], finding["consecutive_passes"])
	}
	if before == 0 {
		t.Errorf("the journal names no verification")
	}
	if got := state(with("mcpeval", "demo-server", "--broken", "tool-fails")); got.(map[string]any)["consecutive_passes"] != 0.0 {
		t.Errorf("red: %v", got)
	}
	for name, a := range map[string]arguments{
		"an unknown finding": {"finding_id": "finding-0123456789abcdef", "case_id": caseID, "manifest": manifest, "command": []string{"mcpeval", "demo-server"}},
		"an unknown case":    {"finding_id": id, "case_id": "nope", "manifest": manifest, "command": []string{"mcpeval", "demo-server"}},
	} {
		if why := s.fails("verify_finding", a); why == "" {
			t.Errorf("%s: no reason", name)
		}
	}
}
