package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/demo"
)

// post makes a request with headers given as "Name: value" lines; "-Name" takes
// one of the usual headers away.
func post(t *testing.T, client *http.Client, verb, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), verb, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case name[0] == '-':
			r.Header.Del(name[1:])
		default:
			r.Header.Set(name, value)
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// The refusals of 2026-07-28, with their statuses.
func TestStatelessLadder(t *testing.T) {
	const version, method = "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call"
	call := modern("1", "tools/call", `"name":"list_cities"`)
	for _, tt := range []struct {
		name    string
		body    string
		headers []string
		status  int
		want    string
	}{
		{"served", call, []string{version, method, "Mcp-Name: list_cities"}, 200, `"resultType":"complete"`},
		{"name in base64", call, []string{version, method, "Mcp-Name: =?base64?bGlzdF9jaXRpZXM=?="}, 200, `"resultType":"complete"`},
		{"name in bad base64", call, []string{version, method, "Mcp-Name: =?base64?bGlzdF9jaXRpZXM?="}, 400, `-32020`},
		{"session is ignored", call, []string{version, method, "Mcp-Name: list_cities", "Mcp-Session-Id: x"}, 200, `"complete"`},
		{"charset", call, []string{version, method, "Mcp-Name: list_cities", "Content-Type: application/json; charset=utf-8"}, 200, `"complete"`},
		{"no version header", call, []string{method, "Mcp-Name: list_cities"}, 400, `-32020`},
		{"other version header", call, []string{"Mcp-Protocol-Version: 2025-11-25", method, "Mcp-Name: list_cities"}, 400, `-32020`},
		{"no method header", call, []string{version, "Mcp-Name: list_cities"}, 400, `-32020`},
		{"other method", call, []string{version, "Mcp-Method: tools/list", "Mcp-Name: list_cities"}, 400, `-32020`},
		{"no name header", call, []string{version, method}, 400, `-32020`},
		{"no _meta", toolCall("1", "list_cities", "{}"), []string{version, method, "Mcp-Name: list_cities"}, 400, `-32602`},
		{"no capabilities", rpc("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), []string{version, "Mcp-Method: tools/list"}, 400, `-32602`},
		{"unsupported", strings.ReplaceAll(call, "2026-07-28", "2999-01-01"), []string{"Mcp-Protocol-Version: 2999-01-01", method, "Mcp-Name: list_cities"}, 400, `-32022.*"requested":"2999-01-01","supported":\["2026-07-28"`},
		{"unknown method", modern("1", "no/such", ""), []string{version, "Mcp-Method: no/such"}, 404, `-32601`},
		{"ping is gone", modern("1", "ping", ""), []string{version, "Mcp-Method: ping"}, 404, `-32601`},
		{"initialize is gone", modern("1", "initialize", ""), []string{version, "Mcp-Method: initialize"}, 404, `-32601`},
		{"missing resource", modern("1", "resources/read", `"uri":"demo://x"`), []string{version, "Mcp-Method: resources/read", "Mcp-Name: demo://x"}, 400, `-32602.*"uri":"demo://x"`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,` + modernMeta + `}}`, []string{version}, 202, `^$`},
		{"no JSON", `{`, []string{version}, 400, `-32700`},
		{"batch", `[` + call + `]`, []string{version, method, "Mcp-Name: list_cities"}, 400, `-32600`},
		{"media type", call, []string{version, method, "Mcp-Name: list_cities", "Content-Type: text/plain"}, 415, ``},
		{"accept", call, []string{version, method, "Mcp-Name: list_cities", "Accept: application/json"}, 406, ``},
		{"foreign host", call, []string{version, method, "Host: evil.example"}, 403, ``},
		{"foreign origin", call, []string{version, method, "Origin: https://evil.example"}, 403, ``},
		{"null origin", call, []string{version, method, "Origin: null"}, 403, ``},
		{"own origin", call, []string{version, method, "Mcp-Name: list_cities", "Origin: http://localhost:1"}, 200, `"complete"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, client := serveHTTP(t, newServer(t, demo.Options{}))
			answer, text := post(t, client, http.MethodPost, url, tt.body, tt.headers...)
			if answer.StatusCode != tt.status || !matches(tt.want, text) {
				t.Errorf("got %d %.300s, want %d %s", answer.StatusCode, text, tt.status, tt.want)
			}
			if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
				t.Errorf("a session ID: %s", id)
			}
		})
	}
}

// The rules of sessions.
func TestSessions(t *testing.T) {
	number := 0
	url, client := serveHTTP(t, newServer(t, demo.Options{NewID: func() string { number++; return fmt.Sprintf("id-%d", number) }}))
	initialize := func(version string) string {
		return rpc("1", "initialize", `{"protocolVersion":"`+version+`","capabilities":{}}`)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for i, tt := range []struct {
		verb, body string
		headers    []string
		status     int
		want       string
	}{
		{"POST", ping, nil, 400, `-32600`},
		{"POST", initialize("2025-11-25"), nil, 200, `"protocolVersion":"2025-11-25"`},
		{"POST", ping, []string{"Mcp-Session-Id: id-1"}, 200, `"result":\{\}`},
		{"POST", ping, []string{"Mcp-Session-Id: id-1", "Mcp-Protocol-Version: 2025-11-25"}, 200, `"result":\{\}`},
		{"POST", ping, []string{"Mcp-Session-Id: id-1", "Mcp-Protocol-Version: 1999-01-01"}, 400, `-32600`},
		{"POST", ping, []string{"Mcp-Session-Id: id-9"}, 404, `-32001`},
		{"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"Mcp-Session-Id: id-1"}, 202, `^$`},
		{"POST", `{"jsonrpc":"2.0","id":7,"result":{}}`, []string{"Mcp-Session-Id: id-1"}, 202, `^$`},
		{"POST", rpc("1", "no/such", ""), []string{"Mcp-Session-Id: id-1"}, 200, `-32601`},
		{"POST", `[` + ping + `]`, []string{"Mcp-Session-Id: id-1"}, 400, `-32600`},
		{"POST", initialize("2025-03-26"), nil, 200, `"protocolVersion":"2025-03-26"`},
		{"POST", `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},1]`,
			[]string{"Mcp-Session-Id: id-2"}, 200, `\[\{.*"id":1.*"id":2.*-32600.*\]`},
		{"POST", `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, []string{"Mcp-Session-Id: id-2"}, 202, `^$`},
		{"PUT", "", nil, 405, ``},
		{"GET", "", nil, 405, ``},
		{"GET", "", []string{"Mcp-Session-Id: id-9"}, 404, ``},
		{"DELETE", "", []string{"Mcp-Session-Id: id-1"}, 204, ``},
		{"POST", ping, []string{"Mcp-Session-Id: id-1"}, 404, `-32001`},
		{"POST", ping, []string{"Mcp-Session-Id: id-2"}, 200, `"result":\{\}`},
	} {
		answer, text := post(t, client, tt.verb, url, tt.body, tt.headers...)
		if answer.StatusCode != tt.status || !matches(tt.want, text) {
			t.Errorf("%d: got %d %.300s, want %d %s", i, answer.StatusCode, text, tt.status, tt.want)
		}
	}
}

// A server of one lifecycle refuses the other one so that clients understand.
func TestOneLifecycle(t *testing.T) {
	for _, tt := range []struct {
		protocol, body string
		headers        []string
		status         int
		want           string
	}{
		{"legacy", modern("1", "server/discover", ""), []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"}, 400, `-32600`},
		{"modern", rpc("1", "initialize", hello), nil, 400, `-32022.*"supported":\["2026-07-28"\]`},
		{"modern", rpc("1", "tools/list", ""), nil, 400, `-32602`},
		{"2025-06-18", rpc("1", "initialize", hello), nil, 200, `"protocolVersion":"2025-06-18"`},
	} {
		url, client := serveHTTP(t, newServer(t, demo.Options{Protocol: tt.protocol}))
		answer, text := post(t, client, http.MethodPost, url, tt.body, tt.headers...)
		if answer.StatusCode != tt.status || !matches(tt.want, text) {
			t.Errorf("%s: got %d %.300s, want %d %s", tt.protocol, answer.StatusCode, text, tt.status, tt.want)
		}
	}
}

// The observer sees known names only, and which headers came.
func TestObserver(t *testing.T) {
	var seen bytes.Buffer
	fail := func(err error) { t.Error(err) }
	url, client := serveHTTP(t, newServer(t, demo.Options{Observe: demo.Trace(&seen, fail), NewID: func() string { return "s" }}))
	post(t, client, "POST", url, rpc("1", "initialize", hello))
	session := []string{"Mcp-Session-Id: s", "Mcp-Protocol-Version: 2025-11-25", "X-Secret: canary", "-User-Agent"}
	post(t, client, "POST", url, toolCall("1", "save_note", `{"notebook":"scratch","text":"canary"}`), session...)
	post(t, client, "POST", url, toolCall("1", "canary", `{}`), session...)
	post(t, client, "POST", url, rpc("1", "canary", ""), session...)
	post(t, client, "DELETE", url, "", session...)
	post(t, client, "POST", url, "canary")
	if strings.Contains(seen.String(), "canary") {
		t.Error("a value was traced")
	}
	var got []demo.Received
	for text := range strings.Lines(seen.String()) {
		var r demo.Received
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	usual := []string{"Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent"}
	later := []string{"Accept", "Accept-Encoding", "Content-Length", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "User-Agent", "X-Secret"}
	if diff := cmp.Diff([]demo.Received{
		{Verb: "POST", Method: "initialize", Session: 1, Headers: usual},
		{Verb: "POST", Method: "tools/call", Tool: "save_note", Revision: "2025-11-25", Session: 1, Headers: later},
		{Verb: "POST", Method: "tools/call", Tool: "other", Revision: "2025-11-25", Session: 1, Headers: later},
		{Verb: "POST", Method: "other", Revision: "2025-11-25", Session: 1, Headers: later},
		{Verb: "DELETE", Session: 1, Headers: []string{"Accept", "Accept-Encoding", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "User-Agent", "X-Secret"}},
		{Verb: "POST", Method: "invalid", Headers: usual},
	}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzServeHTTP(f *testing.F) {
	f.Add(weather("1"), "", "")
	f.Add(modern("1", "tools/list", ""), "2026-07-28", "tools/list")
	f.Add(`[]`, "2025-03-26", "")
	f.Fuzz(func(t *testing.T, body, version, method string) {
		s := newServer(t, demo.Options{HTTPJSON: true})
		s.Close() // what would wait for clients ends at once
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Mcp-Protocol-Version": {version}, "Mcp-Method": {method}}
		w := &recorder{header: http.Header{}}
		s.ServeHTTP(w, r)
		if media := w.header.Get("Content-Type"); media == "application/json" && !json.Valid(w.body.Bytes()) {
			t.Errorf("answered %q", w.body.String())
		}
	})
}

type recorder struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) WriteHeader(int)             {}
