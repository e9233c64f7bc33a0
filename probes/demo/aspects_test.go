package demo_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/probes/demo"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{}}}`

func rpc(id, method, params string) string {
	if params == "" {
		params = "{}"
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + "}\n"
}

func toolCall(id, tool, arguments string) string {
	return rpc(id, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

func weather(id string) string { return toolCall(id, "get_weather", `{"city":"oslo"}`) }

func modern(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return rpc(id, method, "{"+params+modernMeta+"}")
}

func list(cursor string) string {
	if cursor == "-" {
		return rpc("1", "tools/list", "")
	}
	return rpc("1", "tools/list", `{"cursor":"`+cursor+`"}`)
}

const (
	forecastOutage = `{"city":"oslo","station":"outage"}`
	forecastClosed = `{"city":"oslo","station":"closed"}`
	outdoor        = `{"sensor":"outdoor"}`
	hello          = `{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{}}}`
)

var large = `{"text":"` + strings.Repeat("x", 70_000) + `"}`

// wireCases play lines to the broken and to the clean server over stdio. broken
// matches what the broken one answers; it must not match what the clean one does.
var wireCases = []struct {
	aspect, in, broken string
}{
	{"tool-fails", weather("1"), `"isError":true`},
	{"wears-out", strings.Repeat(weather("1"), 4), `(?s)^(\{[^\n]*snow[^\n]*\n){3}[^\n]*"isError":true`},
	{"flaky", strings.Repeat(weather("1"), 3), `"code":503`},
	{"field-missing", weather("1"), `"structuredContent":\{"city":"oslo","temperature":-3`},
	{"value-mismatch", weather("1"), `"temperature":-2`},
	{"error-code-changed", toolCall("1", "get_forecast", forecastClosed), `"code":500,`},
	{"is-error-non-boolean", weather("1"), `"isError":"false"`},
	{"payload-refused", toolCall("1", "count_characters", large), `"isError":true`},
	{"payload-exit", toolCall("1", "count_characters", large), `^$`},
	{"payload-hang", toolCall("1", "count_characters", large), `^$`},
	{"output-missing", weather("1"), `"type":"text"\}\]\}\}\n$`},
	{"output-field-missing", weather("1"), `"structuredContent":\{"city":"oslo","temperature":-3`},
	{"output-invalid", weather("1"), `"conditions":null`},
	{"error-as-success", toolCall("1", "get_forecast", forecastClosed), `"result":\{"content":\[\{"text":"Error[^]]*\]\}\}`},
	{"error-code-unstable", toolCall("1", "get_forecast", forecastClosed) + toolCall("2", "get_forecast", forecastClosed), `(?s)"code":5001.*"code":5002`},
	{"retryable-denied", toolCall("1", "get_forecast", forecastOutage), `"code":503.*"retryable":false`},
	{"retryable-claimed", toolCall("1", "get_forecast", forecastClosed), `"retryable":true`},
	{"retry-in-vain", strings.Repeat(toolCall("1", "get_forecast", forecastOutage), 6), `^([^\n]*"code":503[^\n]*\n){6}$`},
	{"permanent-recovers", strings.Repeat(toolCall("1", "get_forecast", forecastClosed), 2), `(?s)"code":410.*"temperature"`},
	{"failure-absent", toolCall("1", "read_sensor", outdoor), `"value":7`},
	{"recovery-fails", toolCall("1", "calibrate_sensor", outdoor), `"isError":true`},
	{"recovery-without-effect", toolCall("1", "calibrate_sensor", outdoor) + toolCall("2", "read_sensor", outdoor), `(?s)"calibrated":true.*"isError":true`},
	{"many-tools", list("-"), `"station_100"`},
	{"heavy-tool", list("-"), `( It is the same weather every day\.){1000}`},
	{"input-schema-no-object", list("-"), `"inputSchema":\{"type":"array"\}`},
	{"input-schema-unknown-type", list("-"), `"strin"`},
	{"input-schema-undeclared-required", list("-"), `"required":\["city","region"\]`},
	{"input-schema-dangling-ref", list("-"), `"#/\$defs/Missing"`},
	{"input-schema-remote-ref", list("-"), `"http://127.0.0.1:9/schema.json"`},
	{"input-schema-file-ref", list("-"), `"file:///etc/hostname"`},
	{"argument-added", list("-"), `"required":\["city","unit"\]`},
	{"output-schema-unknown-type", list("-"), `"type":17`},
	{"output-schema-remote-ref", list("-"), `"http://127.0.0.1:9/schema.json"`},
	{"page-entry-unnamed", list("-"), `\{"title":"Get the weather"`},
	{"page-no-array", list("-"), `"tools":\{`},
	{"page-duplicate", list("-") + list("second"), `(?s)"name":"save_note".*"name":"get_forecast".*\n.*"name":"get_forecast"`},
	{"page-two-fails", list("-") + list("second"), `"code":-32603`},
	{"cursor-no-string", list("-"), `"nextCursor":2`},
	{"cursor-repeated", list("-") + list("again"), `(?s)"nextCursor":"again".*"nextCursor":"again"`},
	{"cursor-alternating", list("-") + list("a") + list("b"), `(?s)"nextCursor":"a".*"nextCursor":"b".*"nextCursor":"a"`},
	{"cursor-endless", list("-") + list("1") + list("99"), `(?s)"nextCursor":"1".*"nextCursor":"2".*"nextCursor":"100"`},
	{"twenty-pages", list("18") + list("19"), `(?s)"nextCursor":"19".*\n[^\n]*"tools":[^\n]*\]\}\}\n$`},
	{"twenty-one-pages", list("19") + list("20"), `(?s)"nextCursor":"20"`},
	{"resources-no-array", rpc("1", "resources/list", ""), `"resources":\{`},
	{"templates-undefined", rpc("1", "resources/templates/list", ""), `-32601`},
	{"prompts-fail", rpc("1", "prompts/list", ""), `-32603`},
	{"prompt-unnamed", rpc("1", "prompts/list", ""), `"prompts":\[\{"description":"[^"]*"\}\]`},
	{"resources-stalled", rpc("1", "resources/list", `{"cursor":"again"}`), `"nextCursor":"again"`},
	{"prompts-stalled", rpc("1", "prompts/list", ""), `"nextCursor":"again"`},
	{"version-echoed", rpc("1", "initialize", `{"protocolVersion":"2999-01-01"}`), `"protocolVersion":"2999-01-01"`},
	{"version-echoed", strings.ReplaceAll(modern("1", "tools/list", ""), "2026-07-28", "2999-01-01"), `"result"`},
	{"version-undated", rpc("1", "initialize", `{"protocolVersion":"2999-01-01"}`), `"protocolVersion":"latest"`},
	{"version-undated", modern("1", "server/discover", ""), `"latest"`},
	{"version-not-granted", rpc("1", "initialize", `{"protocolVersion":"2025-06-18"}`), `"protocolVersion":"2025-03-26"`},
	{"version-not-granted", strings.ReplaceAll(modern("1", "tools/list", ""), "2026-07-28", "2999-01-01"), `"supported":\["2025-06-18"\]`},
	{"sampling-invalid", modern("1", "tools/call", `"name":"summarize_note","arguments":{"id":"note-1"}`), `"params":\{"maxTokens":100,"systemPrompt"`},
	{"sampling-no-tokens", modern("1", "tools/call", `"name":"summarize_note","arguments":{"id":"note-1"}`), `"maxTokens":0`},
	{"elicitation-no-message", modern("1", "tools/call", `"name":"plan_trip","arguments":{"city":"oslo"}`), `"params":\{"requestedSchema"`},
	{"elicitation-nested", modern("1", "tools/call", `"name":"plan_trip","arguments":{"city":"oslo"}`), `"first":\{`},
	{"elicitation-undeclared", toolCall("1", "plan_trip", `{"city":"oslo"}`), `"elicitation/create"`},
	{"resource-unreadable", rpc("1", "resources/read", `{"uri":"demo://stations/oslo"}`), `-32603`},
	{"subscribe-undefined", rpc("1", "resources/subscribe", `{"uri":"demo://stations/oslo"}`), `-32601`},
	{"unsubscribe-fails", rpc("1", "resources/unsubscribe", `{"uri":"demo://stations/oslo"}`), `-32603`},
	{"listen-not-honoured", modern("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["demo://stations/oslo"]}`), `"notifications":\{\}`},
	{"update-missing", rpc("1", "resources/subscribe", `{"uri":"demo://stations/oslo"}`) + toolCall("2", "refresh_station", `{"city":"oslo"}`), `^[^\n]*"result"[^\n]*\n[^\n]*"id":2[^\n]*\n$`},
	{"update-elsewhere", rpc("1", "resources/subscribe", `{"uri":"demo://stations/tokyo"}`) + toolCall("2", "refresh_station", `{"city":"oslo"}`), `"uri":"demo://stations/tokyo"`},
	{"completion-numbers", complete(), `"values":\[1,2\]`},
	{"completion-fails", complete(), `-32603`},
	{"completion-flood", complete(), `"s-120"`},
	{"completion-unknown", complete(), `-32602`},
	{"completion-hang", complete(), `^$`},
	{"exit-mid-call", strings.Repeat(weather("1"), 4), `^([^\n]*\n){2}$`},
	{"exit-at-call", weather("1"), `^$`},
	{"hung-call", toolCall("1", "search_notes", `{"query":"train"}`), `^$`},
	{"hung-calls", weather("1"), `^$`},
	{"answer-malformed", weather("1"), `[^}]\n$`},
	{"answer-both", weather("1"), `"error":.*"result":`},
	{"answer-neither", weather("1"), `^\{"jsonrpc":"2.0","id":1\}\n$`},
	{"id-mismatch", weather("1"), `"id":"another"`},
	{"id-to-text", weather("1"), `"id":"1"`},
	{"id-to-number", rpc(`"a\"b"`, "ping", ""), `"id":0,`},
	{"silent-start", weather("1"), `^$`},
	{"no-start", weather("1"), `^$`},
	{"discover-exit", modern("1", "server/discover", "") + weather("2"), `^$`},
	{"discover-hang", modern("1", "server/discover", "") + weather("2"), `^[^\n]*"id":2[^\n]*\n$`},
	{"banner", rpc("1", "ping", ""), `^Demo server`},
	{"stdout-noise", weather("1"), `(?s)^Demo server.*\[info\]`},
	{"input-schema-recursive", list("-"), `"#/\$defs/Node"`},
	{"input-schema-bare", list("-"), `"inputSchema":\{"type":"object"\}`},
	{"input-schema-pattern", list("-"), `"pattern"`},
	{"dotted-names", list("-") + toolCall("1", "admin.stations.list", `{}`), `(?s)"admin.stations.list".*"running":true`},
	{"error-with-content", toolCall("1", "get_note", `{"id":"note-9"}`), `"structuredContent"`},
	{"tools-only", rpc("1", "initialize", hello), `"capabilities":\{"tools":\{\}\}`},
	{"tools-only", rpc("1", "prompts/list", ""), `-32601`},
	{"empty-cursor", list("-"), `"nextCursor":""`},
	{"empty-cursor", modern("1", "tools/list", `"cursor":""`), `"tools":`},
	{"null-cursor", list("-"), `"nextCursor":null`},
	{"description-missing", list("-"), `"title":"List cities","inputSchema"`},
	{"description-short", list("-"), `"description":"Weather."`},
	{"property-undescribed", list("-"), `"city":\{"type":"string","enum"`},
	{"property-untyped", list("-"), `"city":\{"description"`},
	{"read-only-hint-missing", list("-"), `"annotations":\{"destructiveHint"`},
	{"destructive-hint-missing", list("-"), `"readOnlyHint":true,"idempotentHint"`},
	{"annotations-missing", list("-"), `"additionalProperties":false\}\},\{"name":"get_weather"`},
	{"output-schema-undeclared", list("-"), `"inputSchema":\{"type":"object","additionalProperties":false\},"annotations"`},
	{"unknown-tool-success", toolCall("1", "no_such_tool", `{}`), `"result"`},
	{"unknown-method-success", rpc("1", "no/such/method", ""), `"result"`},
	{"ping-fails", rpc("1", "ping", ""), `-32603`},
	{"arguments-unchecked", toolCall("1", "get_weather", `{"city":7}`), `"done"`},
	{"refusal-without-text", toolCall("1", "get_weather", `{"city":7}`), `"content":\[\]`},
	{"refusal-internal", toolCall("1", "get_weather", `{"city":7}`), `-32603`},
	{"refusal-then-hang", toolCall("1", "get_weather", `{"city":7}`) + weather("2"), `^[^\n]*"id":1[^\n]*\n$`},
	{"valid-calls-fail", toolCall("1", "get_forecast", `{"city":"oslo"}`), `no forecast`},
	{"forecast-alternates", toolCall("1", "get_forecast", `{"city":"oslo"}`) + toolCall("2", "get_forecast", `{"city":"oslo"}`), `(?s)temperature.*"id":2[^\n]*"isError":true`},
	{"results-alternate", weather("1") + weather("2"), `(?s)snow.*"id":2[^\n]*"isError":true`},
}

func complete() string {
	return rpc("1", "completion/complete", `{"ref":{"type":"ref/prompt","name":"trip_letter"},"argument":{"name":"season","value":"s"}}`)
}

// What is broken shows on the wire, and only there.
func TestAspectsOnTheWire(t *testing.T) {
	for _, tt := range wireCases {
		t.Run(tt.aspect, func(t *testing.T) {
			re := regexp.MustCompile(tt.broken)
			got, err := play(t, demo.Options{Broken: tt.aspect}, tt.in)
			if err != nil && !errors.Is(err, demo.ErrExited) && !errors.Is(err, demo.ErrNotStarted) {
				t.Fatal(err)
			}
			if !re.MatchString(got) {
				t.Errorf("broken: %.600s does not match %s", got, tt.broken)
			}
			if clean, err := play(t, demo.Options{}, tt.in); err != nil || re.MatchString(clean) {
				t.Errorf("clean: %v, %.600s matches %s", err, clean, tt.broken)
			}
		})
	}
}

// httpCases are the aspects that show over HTTP only. broken matches the status,
// the media type and the body of the answer to a call; "" means that the
// connection ends without one.
var httpCases = []struct {
	aspect, broken string
}{
	{"http-500", `^500 text/plain`},
	{"http-html", `^200 text/html`},
	{"http-empty", `^202 `},
	{"http-redirect-301", `^301 `},
	{"http-redirect-302", `^302 `},
	{"http-redirect-307", `^307 `},
	{"http-redirect-308", `^308 `},
	{"stream-without-answer", `^200 text/event-stream : bye\n\n$`},
	{"session-lost", `^404 application/json .*-32001`},
	{"sse-odd-events", `^200 text/event-stream (?s): hello\n\nid: 1\nretry: 1000\ndata:\n\n.*data: \{"jsonrpc"`},
	{"sse-crlf", `\r\n\r\n$`},
	{"sse-many-lines", `data: \{"jsonrpc":"2.0","id":1\ndata: ,"result"`},
	{"exit-at-call", ""},
	{"body-cut", ""},
}

// session begins a stateful session over HTTP and returns how to post to it.
func httpSession(t *testing.T, o demo.Options) func(body string) string {
	t.Helper()
	url, client := serveHTTP(t, newServer(t, o))
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var id string
	post := func(body string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
		}
		answer, err := client.Do(r)
		if err != nil {
			return ""
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return ""
		}
		if got := answer.Header.Get("Mcp-Session-Id"); got != "" {
			id = got
		}
		return answer.Status[:3] + " " + answer.Header.Get("Content-Type") + " " + string(text)
	}
	if post(rpc("1", "initialize", hello)); id == "" {
		t.Fatal("no session")
	}
	return post
}

func TestAspectsOverHTTP(t *testing.T) {
	for _, tt := range httpCases {
		t.Run(tt.aspect, func(t *testing.T) {
			got := httpSession(t, demo.Options{Broken: tt.aspect})(weather("1"))
			if tt.broken == "" {
				if got != "" {
					t.Errorf("got %.300q, want no answer", got)
				}
				return
			}
			re := regexp.MustCompile(tt.broken)
			if !re.MatchString(got) {
				t.Errorf("broken: %.300q does not match %s", got, tt.broken)
			}
			if clean := httpSession(t, demo.Options{})(weather("1")); re.MatchString(clean) {
				t.Errorf("clean: %.300q matches %s", clean, tt.broken)
			}
		})
	}
}

// Answers have the exact size that the aspect says.
func TestAnswerSizes(t *testing.T) {
	for aspect, want := range map[string]int{"answer-8-mib": 8 << 20, "answer-over-8-mib": 8<<20 + 1, "answer-huge": 17 << 20} {
		got := httpSession(t, demo.Options{Broken: aspect, HTTPJSON: true})(weather("1"))
		_, body, _ := strings.Cut(got, " application/json ")
		if len(body) != want {
			t.Errorf("%s: %d bytes", aspect, len(body))
		}
	}
}

func TestSessionExpires(t *testing.T) {
	post := httpSession(t, demo.Options{Broken: "session-expires"})
	for i, want := range []string{"200", "200", "404", "404"} {
		if got := post(weather("1")); !strings.HasPrefix(got, want) {
			t.Errorf("call %d: %.100q", i+1, got)
		}
	}
}

// Two calls at once meet: one is refused, the other one then ends at once.
func TestContendedLock(t *testing.T) {
	never := func(time.Duration) <-chan time.Time { return nil }
	for _, tt := range []struct {
		name string
		o    demo.Options
		two  bool // two servers, as two processes would be
	}{
		{"one server", demo.Options{Broken: "contended-lock", After: never}, false},
		{"two servers", demo.Options{Broken: "contended-lock", After: never, LockPort: freePort(t)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := newServer(t, tt.o)
			second := first
			if tt.two {
				second = newServer(t, tt.o)
			}
			answers := make(chan string, 2)
			for _, s := range []*demo.Server{first, second} {
				go func() {
					var out strings.Builder
					err := s.ServeStdio(t.Context(), strings.NewReader(weather("1")), &out)
					if err != nil {
						answers <- err.Error()
						return
					}
					answers <- out.String()
				}()
			}
			both := <-answers + <-answers
			if strings.Count(both, "snow") != 2 || strings.Count(both, `"isError":true`) != 1 {
				t.Errorf("got %s", both)
			}
		})
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	s := httptest.NewServer(nil)
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	n := 0
	for _, c := range port {
		n = 10*n + int(c-'0')
	}
	return n
}

// Each aspect is tested somewhere; those named here have tests of their own.
func TestEveryAspectIsTested(t *testing.T) {
	tested := map[string]bool{
		"slow": true, "contended-lock": true, "session-expires": true,
		"answer-8-mib": true, "answer-over-8-mib": true, "answer-huge": true,
		"cancel-ignored": true, "cancel-error": true, "cancel-exit": true, "cancel-hang": true,
		"sampling-flood": true, "sampling-stalled": true, "elicitation-flood": true, "elicitation-stalled": true,
	}
	for _, c := range wireCases {
		tested[c.aspect] = true
	}
	for _, c := range httpCases {
		tested[c.aspect] = true
	}
	for _, a := range demo.Aspects() {
		if !tested[a.Name] {
			t.Errorf("no test of %s", a.Name)
		}
	}
}
