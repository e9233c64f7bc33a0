package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/server/mcp"
)

// held is an evaluation that goes on until its process is told to end.
type held struct {
	*rig
	gate *gate
	gone []func() // wait for the ends of its processes
	done chan string
	drop context.CancelFunc // loses the client
}

// hold begins an evaluation in a session.
func (r *rig) hold(mode, session, revision string, id any) *held {
	r.t.Helper()
	h := &held{rig: r, gate: newGate(r.t), done: make(chan string, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	h.drop = cancel
	r.t.Cleanup(cancel)
	body, headers := call(id, "scaffold", h.gate.arguments(mode)), []string{"Mcp-Protocol-Version", revision}
	if revision == modern {
		body = strings.Replace(body, `"params":{`, `"params":{`+modernMeta+`,`, 1)
		headers = append(headers, "Mcp-Method", "tools/call", "Mcp-Name", "scaffold")
	} else {
		headers = append(headers, "Mcp-Session-Id", session)
	}
	go func() {
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		if err != nil {
			h.done <- "lost"
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			h.done <- "lost"
			return
		}
		h.done <- messageOf(text)
	}()
	h.gone = append(h.gone, h.gate.wait())
	if mode == "stubborn" {
		h.gone = append(h.gone, h.gate.wait())
	}
	return h
}

// ended waits for the ends of all processes.
func (h *held) ended() {
	h.t.Helper()
	for _, gone := range h.gone {
		gone()
	}
}

// isFree waits until another evaluation may begin.
func (r *rig) isFree() {
	r.t.Helper()
	for {
		_, message, _ := r.post(call(99, "scaffold", `{"command":["/no/such"]}`))
		if got := parse(r.t, message); !strings.Contains(got.text(), "retry after it finishes") {
			return
		}
	}
}

// Only one evaluation runs at a time; an overlapping request receives an error to
// retry after it finishes. Data queries and everything else are answered
// meanwhile.
func TestOneEvaluation(t *testing.T) {
	r := newRig(t, nil)
	first := r.hold("held", "s", legacy, 1)
	for _, c := range []struct{ tool, arguments string }{
		{"scaffold", `{"command":["/no/such"]}`},
		{"score", `{"command":["/no/such"]}`},
		{"run_probe", `{"command":["/no/such"],"manifest":{}}`},
		{"verify_finding", `{"command":["/no/such"],"manifest":{},"finding_id":"f","case_id":"c"}`},
	} {
		_, message, _ := r.post(call(2, c.tool, c.arguments))
		if got := parse(t, message); got.Result == nil || !got.Result.IsError || !strings.Contains(got.text(), "retry after it finishes") {
			t.Errorf("%s beside another evaluation: %s", c.tool, message)
		}
	}
	first.drop()
	first.ended()
	r.isFree()
}

// Cancellation really stops an evaluation and every child process, in every
// revision and on every way there is.
func TestCancellation(t *testing.T) {
	cancelled := func(id, session string) (string, []string) {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`,
			[]string{"Mcp-Session-Id", session, "Mcp-Protocol-Version", legacy}
	}
	t.Run("notifications/cancelled of the same session and id", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []string{"held", "stubborn"} {
			r := newRig(t, nil)
			h := r.hold(mode, "mine", legacy, 5)
			body, headers := cancelled("5", "mine")
			if status, _, _ := r.post(body, headers...); status != http.StatusAccepted {
				t.Errorf("status %d", status)
			}
			h.ended()
			if got := parse(t, <-h.done); got.Result == nil || !got.Result.IsError || got.text() != "the evaluation was cancelled" {
				t.Errorf("%s: the call ended with %q", mode, got.text())
			}
			r.isFree()
		}
	})
	t.Run("another client's cancel with the same id does nothing", func(t *testing.T) {
		r := newRig(t, nil)
		h := r.hold("held", "mine", legacy, 5)
		for _, other := range [][2]string{{"5", "another"}, {"6", "mine"}, {`"5"`, "mine"}, {"5", ""}, {"null", "mine"}} {
			body, headers := cancelled(other[0], other[1])
			if other[1] == "" {
				headers = headers[2:]
			}
			r.post(body, headers...)
		}
		_, message, _ := r.post(call(7, "scaffold", `{"command":["/no/such"]}`))
		if got := parse(t, message); !strings.Contains(got.text(), "retry after it finishes") {
			t.Errorf("it does not run any more: %s", message)
		}
		h.drop()
		h.ended()
	})
	t.Run("a string id", func(t *testing.T) {
		r := newRig(t, nil)
		h := r.hold("held", "mine", legacy, "five")
		body, headers := cancelled(`"five"`, "mine")
		r.post(body, headers...)
		h.ended()
	})
	for _, revision := range []string{"2025-03-26", legacy, modern} {
		t.Run("a lost client of "+revision, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"held", "stubborn"} {
				r := newRig(t, nil)
				h := r.hold(mode, "mine", revision, 5)
				h.drop()
				h.ended()
				r.isFree()
			}
		})
	}
}

// SIGTERM, which ends the context, stops the evaluation and every child process,
// one that ignores the end of input and TERM included, and serve returns.
func TestEndOfService(t *testing.T) {
	for _, mode := range []string{"held", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			h := r.hold(mode, "s", legacy, 1)
			if err := r.stop(); err != nil {
				t.Errorf("serve: %v", err)
			}
			h.ended()
			if got := <-h.done; got != "lost" && !strings.Contains(got, "mcpeval serve is ending") {
				t.Errorf("the call ended with %s", got)
			}
		})
	}
}

// The gate of a manifest and the standard battery run, and the whole
// mcpeval.probe-report/v2 document is returned: as text and as structured content.
func TestRunProbe(t *testing.T) {
	for _, c := range []struct {
		broken string
		passed bool
	}{{"", true}, {"field-missing", false}} {
		r := newRig(t, nil)
		arguments, err := json.Marshal(map[string]any{"url": demoURL(t, &demo.Options{Broken: c.broken}), "manifest": json.RawMessage(scaffolded(t, r)), "server_label": "demo"})
		if err != nil {
			t.Fatal(err)
		}
		_, message, _ := r.post(call(1, "run_probe", string(arguments)))
		got := parse(t, message)
		if got.Result == nil || got.Result.IsError {
			t.Fatalf("%s", message)
		}
		var report struct {
			Schema    string
			Server    string
			Passed    bool
			Readiness *struct{ Total float64 }
			Cases     []struct{ Hint *string }
		}
		if err := json.Unmarshal(got.Result.StructuredContent, &report); err != nil {
			t.Fatal(err)
		}
		if report.Schema != "mcpeval.probe-report/v2" || report.Server != "demo" || report.Readiness == nil || len(report.Cases) == 0 {
			t.Errorf("the report is %+v", report)
		}
		sameJSON(t, []byte(got.text()), got.Result.StructuredContent)
		if c.broken == "" && report.Passed != c.passed {
			t.Errorf("passed %v", report.Passed)
		}
	}
}

// scaffolded is the manifest of the clean demo server.
func scaffolded(t *testing.T, r *rig) []byte {
	t.Helper()
	_, message, _ := r.post(call(1, "scaffold", `{"url":"`+demoURL(t, &demo.Options{})+`"}`))
	got := parse(t, message)
	if got.Result == nil || got.Result.IsError {
		t.Fatalf("%s", message)
	}
	sameJSON(t, []byte(got.text()), got.Result.StructuredContent)
	return got.Result.StructuredContent
}

func sameJSON(t *testing.T, a, b []byte) {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("no JSON: %s", a)
	}
	if fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("the text is another value than the structured content:\n%s\n%s", a, b)
	}
}

// scaffold writes no files, and journals nothing.
func TestScaffoldWritesNothing(t *testing.T) {
	r := newRig(t, nil)
	scaffolded(t, r)
	if names, err := filepath.Glob(filepath.Join(r.home.Store(), "captures", "*", "*")); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
	if names, err := filepath.Glob("mcp-eval*"); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
}

// score on an unavailable target reports readiness as unmeasured and is no tool
// error; scaffold on one is.
func TestUnavailableTarget(t *testing.T) {
	r := newRig(t, nil)
	_, message, _ := r.post(call(1, "score", `{"command":["/no/such/program"]}`))
	got := parse(t, message)
	if got.Result == nil || got.Result.IsError || !strings.Contains(string(got.Result.StructuredContent), `"readiness":null`) || got.text() == "" {
		t.Errorf("score: %s", message)
	}
	_, message, _ = r.post(call(1, "scaffold", `{"command":["/no/such/program"]}`))
	if got := parse(t, message); got.Result == nil || !got.Result.IsError || !strings.Contains(got.text(), "server-not-started") {
		t.Errorf("scaffold: %s", message)
	}
}

// A panic behind the endpoint is an internal error that quotes nothing, and the
// endpoint lives.
func TestPanicsAreErrors(t *testing.T) {
	r := newRig(t, func(o *mcp.Options) { o.Home = func() (*home.Home, error) { panic("CANARY") } })
	_, message, _ := r.post(call(1, "list_findings", `{}`))
	if got := parse(t, message); got.Error == nil || got.Error.Code != -32603 || strings.Contains(message, "CANARY") {
		t.Errorf("list_findings: %s", message)
	}
	if _, message, _ := r.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(message, `"result":{}`) {
		t.Errorf("ping: %s", message)
	}
}

// While an evaluation is held open, and four clients never finish their heads,
// twelve clients are answered.
func TestAnsweredMeanwhile(t *testing.T) {
	r := newRig(t, nil)
	h := r.hold("held", "s", legacy, 1)
	for range 4 {
		conn, err := net.Dial("tcp", r.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
	}
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			session := r.connect(legacy, nil)
			for range 20 {
				for _, tool := range []string{"list_findings", "get_readiness_trends"} {
					if got, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool}); err != nil || got.IsError {
						t.Errorf("a client was not answered: %v, %+v", err, got)
					}
				}
			}
		})
	}
	all.Wait()
	select {
	case got := <-h.done:
		t.Errorf("the evaluation is over: %s", got)
	default:
	}
	h.drop()
	h.ended()
}

// With Reindex the index is made and kept up to date; without it, it is not made.
func TestReindex(t *testing.T) {
	r := newRig(t, func(o *mcp.Options) { o.Reindex = time.Millisecond })
	for {
		r.post(call(1, "list_findings", `{}`))
		if _, err := os.Stat(r.home.IndexPath()); err == nil {
			break
		}
	}
	r = newRig(t, nil)
	r.post(call(1, "list_findings", `{}`))
	if _, err := os.Stat(r.home.IndexPath()); err == nil {
		t.Error("the index was made")
	}
}

// Exhaustion reports evaluation-budget-exceeded, retains completed case verdicts
// and leaves readiness unmeasured: the 4096 requests are of the gate and the
// standard battery together.
func TestBudget(t *testing.T) {
	r := newRig(t, nil)
	var cases []string
	for i := range 45 {
		cases = append(cases, fmt.Sprintf(`{"id":"c%d","probe":"degradation-over-n","access":"read_only","tool":"get_weather","arguments":{"city":"oslo"},"max_attempts":100}`, i))
	}
	_, message, _ := r.post(call(1, "run_probe", `{"url":"`+demoURL(t, &demo.Options{})+`","manifest":{"version":1,"probes":[`+strings.Join(cases, ",")+`]}}`))
	got := parse(t, message)
	if got.Result == nil || got.Result.IsError {
		t.Fatalf("%.300s", message)
	}
	var report struct {
		Readiness      any
		ReadinessError *string `json:"readiness_error"`
		Cases          []struct {
			Passed *bool
			Reason *string
		}
	}
	if err := json.Unmarshal(got.Result.StructuredContent, &report); err != nil {
		t.Fatal(err)
	}
	const exceeded = "evaluation-budget-exceeded"
	done, out := 0, 0
	for _, c := range report.Cases {
		switch {
		case c.Passed != nil && *c.Passed:
			done++
		case c.Reason != nil && *c.Reason == exceeded:
			out++
		}
	}
	if done < 38 || done > 40 || done+out != len(cases) {
		t.Errorf("%d cases passed and %d found the budget used up, of %d", done, out, len(cases))
	}
	if report.Readiness != nil || report.ReadinessError == nil || *report.ReadinessError != exceeded {
		t.Errorf("readiness %v, %v", report.Readiness, report.ReadinessError)
	}
}
