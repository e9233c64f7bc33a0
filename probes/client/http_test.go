package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
)

// peer is a Streamable HTTP server that a test fills in. It answers what the
// test leaves open the ordinary way, and records what came.
type peer struct {
	*httptest.Server
	session  string
	modern   bool
	on       map[string]http.HandlerFunc // by JSON-RPC method, or HTTP method but POST
	mu       sync.Mutex
	requests []seen
}

type seen struct {
	HTTP, Method string
	Header       http.Header
	Frame        frame
}

type frameKey struct{}

// frameOf is the message in a request.
func frameOf(r *http.Request) frame { f, _ := r.Context().Value(frameKey{}).(frame); return f }

func newPeer(t testing.TB, p *peer) *peer {
	t.Helper()
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	var f frame
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &f)
	name := f.Method
	if r.Method != http.MethodPost {
		name = r.Method
	}
	p.mu.Lock()
	p.requests = append(p.requests, seen{r.Method, f.Method, r.Header.Clone(), f})
	p.mu.Unlock()
	r = r.WithContext(context.WithValue(r.Context(), frameKey{}, f))
	if handler := p.on[name]; handler != nil {
		handler(w, r)
		return
	}
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case f.Method == "server/discover" && p.modern:
		sayJSON(w, 200, result(f.ID, discovered))
	case f.Method == "server/discover":
		sayJSON(w, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`)
	case f.Method == "initialize":
		if p.session != "" {
			w.Header().Set("Mcp-Session-Id", p.session)
		}
		sayJSON(w, 200, result(f.ID, handshaken))
	case f.ID == nil || f.Method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		sayJSON(w, 200, result(f.ID, `{"content":[],"tools":[]}`))
	}
}

func (p *peer) seen() []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func sayJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func say(contentType string, status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		if contentType == "" {
			w.Header()["Content-Type"] = nil
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "$ID", string(frameOf(r).ID)))
	}
}

// stream answers with events; each part is flushed on its own.
func stream(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, part := range parts {
			_, _ = io.WriteString(w, strings.ReplaceAll(part, "$ID", string(frameOf(r).ID)))
			_ = http.NewResponseController(w).Flush()
		}
	}
}

const legacy = client.Revision2025c

func TestHTTPHeaders(t *testing.T) {
	p := newPeer(t, &peer{session: "CANARY-session"})
	c := dial(t, client.Target{URL: p.URL + "/mcp", Authorization: "Bearer CANARY"}, nil)
	if !c.Facts().HasSession {
		t.Error("the session was not noticed")
	}
	if _, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"t"}`)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	var order []string
	for _, s := range p.seen() {
		order = append(order, strings.TrimSpace(s.HTTP+" "+s.Method))
		h := s.Header
		if h.Get("Authorization") != "Bearer CANARY" {
			t.Errorf("%s without authorization", s.Method)
		}
		if s.HTTP == "POST" && (h.Get("Accept") != "application/json, text/event-stream" || h.Get("Content-Type") != "application/json") {
			t.Errorf("%s accepts %s, sends %s", s.Method, h.Get("Accept"), h.Get("Content-Type"))
		}
		version, session := "2025-11-25", "CANARY-session"
		switch s.Method {
		case "server/discover":
			version, session = "2026-07-28", ""
		case "initialize":
			version, session = "", ""
		}
		if h.Get("Mcp-Protocol-Version") != version || h.Get("Mcp-Session-Id") != session {
			t.Errorf("%s %s: version %q, session %q", s.HTTP, s.Method, h.Get("Mcp-Protocol-Version"), h.Get("Mcp-Session-Id"))
		}
	}
	want := []string{"POST server/discover", "POST initialize", "POST notifications/initialized", "POST tools/call", "DELETE"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}

func TestStatelessHTTPHeaders(t *testing.T) {
	p := newPeer(t, &peer{modern: true, on: map[string]http.HandlerFunc{
		"tools/list": say("application/json", 200, `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"tö","inputSchema":{"properties":{
			"region":{"type":"string","x-mcp-header":"Region"},"bad":{"x-mcp-header":"a b"},
			"deep":{"properties":{"n":{"type":"integer","x-mcp-header":"Deep"}}}}}}]}}`),
	}})
	c := dial(t, client.Target{URL: p.URL}, nil)
	if _, _, err := c.ListTools(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"tö","arguments":{"region":" eu","bad":"x","deep":{"n":7}}}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(context.Background(), "resources/read", []byte(`{"uri":"a://b"}`)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	got := make(map[string]http.Header)
	for _, s := range p.seen() {
		got[s.Method] = s.Header
		if s.Header.Get("Mcp-Method") != s.Method || s.Header.Get("Mcp-Protocol-Version") != "2026-07-28" || s.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: headers %v", s.Method, s.Header)
		}
		meta := string(s.Frame.Params["_meta"])
		if !strings.Contains(meta, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) || !strings.Contains(meta, "clientCapabilities") {
			t.Errorf("%s: _meta %s", s.Method, meta)
		}
	}
	call := got["tools/call"]
	for name, want := range map[string]string{
		"Mcp-Name": "=?base64?dMO2?=", "Mcp-Param-Region": "=?base64?IGV1?=", "Mcp-Param-Deep": "7",
	} {
		if call.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, call.Get(name), want)
		}
	}
	if got["resources/read"].Get("Mcp-Name") != "a://b" {
		t.Errorf("name of a resource: %q", got["resources/read"].Get("Mcp-Name"))
	}
}

func TestHTTPNegotiation(t *testing.T) {
	tests := []struct {
		name     string
		discover http.HandlerFunc
		revision string
	}{
		{"400 without an id", nil, "2025-11-25"},
		{"400 text", say("text/plain", 400, "CANARY"), "2025-11-25"},
		{"200 unknown method", say("application/json", 200, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"m"}}`), "2025-11-25"},
		{"404", say("text/html", 404, "<html>"), "2025-11-25"},
		{"405", say("", 405, ""), "2025-11-25"},
		{"406", say("application/json", 406, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"m"}}`), "2025-11-25"},
		{"500", say("text/plain", 500, ""), "2025-11-25"},
		{"202", say("", 202, ""), "2025-11-25"},
		{"older only", say("application/json", 200, `{"jsonrpc":"2.0","id":$ID,"result":{"supportedVersions":["2025-06-18","2024-11-05"]}}`), "2025-06-18"},
		{"unsupported", say("application/json", 400, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"m","data":{"supported":["2025-03-26"]}}}`), "2025-03-26"},
		{"unsupported without an id", say("application/json", 400, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"m","data":{"supported":["2025-03-26"]}}}`), "2025-03-26"},
		{"our mistake", say("application/json", 400, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32020,"message":"m"}}`), "2026-07-28"},
		{"in an event stream", stream("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" + discovered + "}\n\n"), "2026-07-28"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, &peer{on: map[string]http.HandlerFunc{
				"server/discover": tt.discover,
				"initialize": func(w http.ResponseWriter, r *http.Request) {
					sayJSON(w, 200, result(frameOf(r).ID, `{"protocolVersion":`+string(frameOf(r).Params["protocolVersion"])+`,"capabilities":{}}`))
				},
			}})
			c := dial(t, client.Target{URL: p.URL}, nil)
			if got := c.Facts().Revision; got != tt.revision {
				t.Errorf("revision %s", got)
			}
		})
	}
}

func TestHTTPNotStarted(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	unauthorized := say("application/json", 401, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"CANARY"}}`)
	old := newPeer(t, &peer{on: map[string]http.HandlerFunc{
		"server/discover": say("text/plain", 405, ""), "initialize": say("text/plain", 405, ""),
		"GET": stream("event: endpoint\ndata: /messages?CANARY\n\n"),
	}})
	gone := newPeer(t, &peer{on: map[string]http.HandlerFunc{"server/discover": say("text/plain", 404, ""), "initialize": say("text/plain", 404, "")}})
	locked := newPeer(t, &peer{on: map[string]http.HandlerFunc{"server/discover": unauthorized, "initialize": unauthorized}})
	tests := []struct {
		name   string
		target client.Target
		want   client.Detail
		status int
	}{
		{"nobody there", client.Target{URL: closed.URL}, client.ConnectFailed, 0},
		{"unauthorized", client.Target{URL: locked.URL}, client.Unauthorized, 401},
		{"HTTP+SSE of 2024-11-05", client.Target{URL: old.URL}, client.OldTransport, 0},
		{"wrong path", client.Target{URL: gone.URL}, client.HTTPStatus, 404},
		{"remote", client.Target{URL: "https://CANARY.example"}, client.URLRefused, 0},
		{"plain remote", client.Target{URL: "http://CANARY.example", AllowRemote: true}, client.URLRefused, 0},
		{"credentials", client.Target{URL: "http://CANARY:x@127.0.0.1"}, client.URLRefused, 0},
		{"no URL", client.Target{URL: "::CANARY"}, client.URLRefused, 0},
		{"header with a line break", client.Target{URL: closed.URL, Authorization: "CANARY\r\nX: y"}, client.BadAuthorization, 0},
		{"blank header", client.Target{URL: closed.URL, Authorization: " "}, client.BadAuthorization, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := client.Dial(context.Background(), tt.target, nil)
			f := faultOf(t, err)
			if f.Kind != client.ServerNotStarted || f.Detail != tt.want || f.Status != tt.status {
				t.Errorf("fault %v", f)
			}
		})
	}
}

// TestHTTPAnswers answers one call in every way.
func TestHTTPAnswers(t *testing.T) {
	const ok = `{"jsonrpc":"2.0","id":$ID,"result":{"ok":true}}`
	const event = "data: " + ok + "\n\n"
	filler := strings.Repeat("x", client.MaxHTTPBody-len(`{"jsonrpc":"2.0","id":3,"result":{"t":""}}`))
	tests := []struct {
		name    string
		handler http.HandlerFunc
		kind    client.FaultKind // "" for the result {"ok":true}
		detail  client.Detail
		status  int
	}{
		{"JSON", say("application/json", 200, ok), "", "", 0},
		{"JSON with parameters in capitals", say("Application/JSON; charset=UTF-8", 200, "\n "+ok+"\n"), "", "", 0},
		{"events", stream(event), "", "", 0},
		{"event in pieces", stream("da", "ta: ", `{"jsonrpc":"2.0","id":$ID,`, `"result":{"ok":true}}`, "\n", "\n"), "", "", 0},
		{"several lines of data", stream("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\ndata: \"result\":{\"ok\":true}}\n\n"), "", "", 0},
		{"CR LF", stream("event: message\r\ndata: " + ok + "\r\n\r\n"), "", "", 0},
		{"CR", stream("event: message\rdata: " + ok + "\r\r"), "", "", 0},
		{"keep-alives and priming", stream(": hi\n\n", "id: 1\nretry: 10\ndata:\n\n", "event: ping\ndata: x\n\n", "data: {\"type\":\"heartbeat\"}\n\n", event), "", "", 0},
		{"notifications first", stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n", event), "", "", 0},
		{"repeated", stream(event+event, event), "", "", 0},
		{"batch", say("application/json", 200, "["+ok+"]"), "", "", 0},
		{"no media type", say("", 200, ok), "", "", 0},
		{"text", say("text/plain", 200, ok), client.TransportError, client.WrongMediaType, 200},
		{"events called JSON", say("application/json", 200, event), client.TransportError, client.MalformedAnswer, 200},
		{"JSON called events", stream(ok), client.TransportClosed, client.ConnectionLost, 0},
		{"empty", say("application/json", 200, ""), client.TransportError, client.NoAnswer, 200},
		{"accepted", say("", 202, ""), client.TransportError, client.NoAnswer, 202},
		{"other id", say("application/json", 200, `{"jsonrpc":"2.0","id":"x","result":{}}`), client.TransportError, client.MismatchedID, 200},
		{"no id", say("application/json", 200, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"CANARY"}}`), client.TransportError, client.MismatchedID, 200},
		{"other id in events", stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n\n"), client.TransportError, client.MismatchedID, 200},
		{"id of an earlier request", say("application/json", 200, `{"jsonrpc":"2.0","id":1,"result":{}}`), client.TransportError, client.MismatchedID, 200},
		{"neither", say("application/json", 200, `{"jsonrpc":"2.0","id":$ID}`), client.TransportError, client.MalformedAnswer, 0},
		{"array of nothing", say("application/json", 200, `[]`), client.TransportError, client.MalformedAnswer, 200},
		{"stream without an answer", stream(": nothing\n\n"), client.TransportClosed, client.ConnectionLost, 0},
		{"half an answer in events", stream("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"res\n\n"), client.TransportError, client.MalformedAnswer, 0},
		{"500", say("text/html", 500, "CANARY"), client.TransportError, client.HTTPStatus, 500},
		{"400 text", say("text/plain", 400, "CANARY"), client.TransportError, client.HTTPStatus, 400},
		{"401", say("application/json", 401, `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"m"}}`), client.TransportError, client.Unauthorized, 401},
		{"8 MiB", say("application/json", 200, `{"jsonrpc":"2.0","id":$ID,"result":{"t":"`+filler+`"}}`), "", "", 0},
		{"8 MiB and one byte", say("application/json", 200, `{"jsonrpc":"2.0","id":$ID,"result":{"t":"`+filler+`x"}}`), client.TransportError, client.TooLarge, 200},
		{"events beyond 8 MiB", stream("data: \""+filler+"\"\n\n", event, event), client.TransportError, client.TooLarge, 200},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, client.TransportClosed, client.ConnectionLost, 0},
		{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, client.TransportClosed, client.ConnectionLost, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"tools/call": tt.handler}})
			c := dial(t, client.Target{URL: p.URL}, nil)
			r, err := c.Call(context.Background(), "tools/call", nil)
			if tt.kind != "" {
				if f := faultOf(t, err); f.Kind != tt.kind || f.Detail != tt.detail || f.Status != tt.status {
					t.Errorf("fault %v", f)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if is, _ := r.Result.Get("ok"); string(is.Raw()) != "true" && r.Bytes != client.MaxHTTPBody {
				t.Errorf("result of %d bytes", r.Bytes)
			}
		})
	}
}

func TestErrorsWithAStatusAreAnswers(t *testing.T) {
	for _, status := range []int{400, 404, 500} {
		p := newPeer(t, &peer{session: "s", on: map[string]http.HandlerFunc{
			"x": say("application/json", status, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"m"}}`),
		}})
		c := dial(t, client.Target{URL: p.URL}, nil)
		r, err := c.Call(context.Background(), "x", nil)
		if err != nil || r.Error == nil || r.Error.Code != -32601 || r.Status != status {
			t.Errorf("status %d: %+v, %v", status, r, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	second := newPeer(t, &peer{})
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"server/discover", "tools/call"} {
			p := newPeer(t, &peer{on: map[string]http.HandlerFunc{method: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", second.URL)
				w.WriteHeader(status)
			}}})
			c, err := client.Dial(context.Background(), client.Target{URL: p.URL, Authorization: "CANARY"}, nil)
			if err == nil {
				_, err = c.Call(context.Background(), "tools/call", nil)
				c.Close()
			}
			if f := faultOf(t, err); f.Detail != client.RedirectRefused || f.Status != status {
				t.Errorf("%d at %s: %v", status, method, f)
			}
		}
	}
	if n := len(second.seen()); n != 0 {
		t.Errorf("the second host saw %d requests", n)
	}
}

func TestInitializedMayBeAnsweredOddly(t *testing.T) {
	for status, body := range map[int]string{200: "null", 202: "", 204: "", 400: "CANARY"} {
		p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"notifications/initialized": say("application/json", status, body)}})
		f := dial(t, client.Target{URL: p.URL}, nil).Facts()
		if f.InitializedStatus != status || slices.Contains(f.Notes, client.NoteInitializedOdd) != (status != 202) {
			t.Errorf("status %d: %d, %v", status, f.InitializedStatus, f.Notes)
		}
	}
}

// hang answers with a head, if there is one, and then nothing.
func hang(head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if head != "" {
			w.Header().Set("Content-Type", strings.SplitN(head, "|", 2)[0])
			_, _ = io.WriteString(w, strings.SplitN(head, "|", 2)[1])
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

func TestHTTPTimeouts(t *testing.T) {
	const own = 17 * time.Second
	tests := []struct {
		name    string
		handler http.HandlerFunc
		timeout time.Duration
		fires   time.Duration
	}{
		{"silent before the first byte", hang(""), 0, client.NetworkTimeout},
		{"silent before the first byte, own timeout", hang(""), own, own},
		{"silent between two bytes of JSON", hang(`application/json|{"js`), 0, client.NetworkTimeout},
		{"silent between two bytes of JSON, own timeout", hang(`application/json|{"js`), own, client.NetworkTimeout},
		{"silent event stream", hang("text/event-stream|: hi\n\n"), 0, client.NetworkTimeout},
		{"silent event stream, own timeout", hang("text/event-stream|: hi\n\n"), own, own},
		{"whole call", hang("text/event-stream|: hi\n\n"), 0, client.DefaultTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			headers := make(chan struct{}, 1)
			p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"tools/call": func(w http.ResponseWriter, r *http.Request) {
				headers <- struct{}{}
				tt.handler(w, r)
			}}})
			c := dial(t, client.Target{URL: p.URL}, &client.Options{Clock: clock, Timeout: tt.timeout, Protocol: legacy})
			call := c.Start(context.Background(), client.Request{Method: "tools/call"})
			<-headers
			clock.fire(t, tt.fires)
			<-call.Done()
			_, err := call.Result()
			if f := faultOf(t, err); f.Kind != client.TransportTimeout {
				t.Errorf("fault %v", f)
			}
		})
	}
}

func TestCommentsKeepAStreamAlive(t *testing.T) {
	clock := newClock()
	step := make(chan string)
	p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"tools/call": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for part := range step {
			_, _ = io.WriteString(w, strings.ReplaceAll(part, "$ID", string(frameOf(r).ID)))
			_ = http.NewResponseController(w).Flush()
		}
	}}})
	c := dial(t, client.Target{URL: p.URL}, &client.Options{Clock: clock, Protocol: legacy})
	call := c.Start(context.Background(), client.Request{Method: "tools/call"})
	for range 20 {
		step <- ": still here\n\n"
		clock.pass(t, client.NetworkTimeout, time.Second)
	}
	step <- "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}\n\n"
	close(step)
	<-call.Done()
	r, err := call.Result()
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency < 19*time.Second || r.Latency > 21*time.Second {
		t.Errorf("latency %v", r.Latency)
	}
}

func TestLostSession(t *testing.T) {
	gone := map[string]int{}
	var mu sync.Mutex
	lose := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		gone[frameOf(r).Method]++
		if gone[frameOf(r).Method] == 1 {
			sayJSON(w, 404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"CANARY"},"id":null}`)
			return
		}
		sayJSON(w, 200, result(frameOf(r).ID, `{"tools":[]}`))
	}
	p := newPeer(t, &peer{session: "s", on: map[string]http.HandlerFunc{"tools/list": lose, "tools/call": lose, "prompts/list": lose}})
	c := dial(t, client.Target{URL: p.URL}, nil)
	_, err := c.Call(context.Background(), "tools/call", nil)
	if f := faultOf(t, err); f.Kind != client.TransportError || f.Detail != client.SessionLost {
		t.Errorf("a tool call: %v", f)
	}
	if _, err := c.Call(context.Background(), "tools/list", nil); err != nil {
		t.Errorf("a list is asked for again: %v", err)
	}
	if !slices.Contains(c.Facts().Notes, client.NoteSessionRenewed) {
		t.Errorf("notes %v", c.Facts().Notes)
	}
	_, err = c.Call(context.Background(), "prompts/list", nil)
	if f := faultOf(t, err); f.Detail != client.SessionLost {
		t.Errorf("a second loss: %v", f)
	}
	handshakes := 0
	for _, s := range p.seen() {
		if s.Method == "initialize" {
			handshakes++
		}
	}
	if handshakes != 2 {
		t.Errorf("%d handshakes", handshakes)
	}
}

func TestResumedStream(t *testing.T) {
	p := newPeer(t, &peer{session: "s"})
	asked := make(chan json.RawMessage, 1)
	p.on = map[string]http.HandlerFunc{
		"tools/call": func(w http.ResponseWriter, r *http.Request) {
			asked <- frameOf(r).ID
			stream("id: e1\nretry: 1\ndata:\n\n")(w, r)
		},
		"GET": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-ID") != "e1" || r.Header.Get("Mcp-Session-Id") != "s" {
				w.WriteHeader(400)
				return
			}
			stream("data: "+result(<-asked, `{"ok":true}`)+"\n\n")(w, r)
		},
	}
	c := dial(t, client.Target{URL: p.URL}, nil)
	if _, err := c.Call(context.Background(), "tools/call", nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(c.Facts().Notes, client.NoteResumed) {
		t.Errorf("notes %v", c.Facts().Notes)
	}
}

func TestHTTPServerRequests(t *testing.T) {
	answered := make(chan frame, 1)
	p := newPeer(t, &peer{on: map[string]http.HandlerFunc{
		"tools/call": func(w http.ResponseWriter, r *http.Request) {
			stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"sampling/createMessage\"}\n\n")(w, r)
			f := <-answered
			stream("data: "+result(frameOf(r).ID, `{"code":`+string(f.Error)+`}`)+"\n\n")(w, r)
		},
		"": func(w http.ResponseWriter, r *http.Request) {
			answered <- frameOf(r)
			w.WriteHeader(202)
		},
	}})
	c := dial(t, client.Target{URL: p.URL}, nil)
	r, err := c.Call(context.Background(), "tools/call", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Result.Raw()); got != `{"code":{"code":-1,"message":"Sampling was declined"}}` || r.Asked != 1 {
		t.Errorf("answer %s, asked %d", got, r.Asked)
	}
}

func TestCancelOverHTTP(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprint("modern ", modern), func(t *testing.T) {
			begun, ended, notified := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
			release := make(chan struct{})
			p := newPeer(t, &peer{modern: modern, on: map[string]http.HandlerFunc{
				"tools/call": func(w http.ResponseWriter, r *http.Request) {
					close(begun)
					select {
					case <-r.Context().Done():
						close(ended)
					case <-release:
						sayJSON(w, 200, result(frameOf(r).ID, `{}`))
					}
				},
				"notifications/cancelled": func(w http.ResponseWriter, r *http.Request) {
					notified <- struct{}{}
					w.WriteHeader(202)
				},
			}})
			c := dial(t, client.Target{URL: p.URL}, nil)
			call := c.Start(context.Background(), client.Request{Method: "tools/call"})
			<-begun
			if err := call.Cancel(context.Background(), "enough"); err != nil {
				t.Fatal(err)
			}
			if modern {
				<-call.Done()
				<-ended
				if _, err := call.Result(); !errors.Is(err, client.ErrCancelled) {
					t.Errorf("error %v", err)
				}
			} else {
				<-notified
				close(release)
				<-call.Done()
				if _, err := call.Result(); err != nil {
					t.Errorf("the answer after a cancellation: %v", err)
				}
			}
		})
	}
}

func TestGETStream(t *testing.T) {
	p := newPeer(t, &peer{session: "s", on: map[string]http.HandlerFunc{"GET": func(w http.ResponseWriter, r *http.Request) {
		stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"a:b\"}}\n\n")(w, r)
		<-r.Context().Done()
	}}})
	saw := make(chan string, 1)
	c := dial(t, client.Target{URL: p.URL}, &client.Options{OnNotification: func(method string, params rawjson.Value) { saw <- method }})
	l, err := c.Listen(context.Background(), nil)
	if err != nil || !l.Open {
		t.Fatal(err)
	}
	if got := <-saw; got != "notifications/resources/updated" {
		t.Errorf("saw %s", got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Listen(context.Background(), nil); err != nil { // Close ends this one
		t.Error(err)
	}
	none := dial(t, client.Target{URL: newPeer(t, &peer{}).URL}, nil)
	if l, err := none.Listen(context.Background(), nil); err != nil || l.Open {
		t.Errorf("405: %v", err)
	}
}

func TestSubscriptionsListenOverHTTP(t *testing.T) {
	p := newPeer(t, &peer{modern: true, on: map[string]http.HandlerFunc{"subscriptions/listen": func(w http.ResponseWriter, r *http.Request) {
		stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}\n\n")(w, r)
		<-r.Context().Done()
	}}})
	saw := make(chan string, 1)
	c := dial(t, client.Target{URL: p.URL}, &client.Options{OnNotification: func(method string, params rawjson.Value) { saw <- method }})
	l, err := c.Listen(context.Background(), []byte(`{"resourceSubscriptions":["a:b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	<-saw
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	begun := make(chan struct{})
	p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"tools/call": func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}}})
	c := dial(t, client.Target{URL: p.URL}, nil)
	call := c.Start(context.Background(), client.Request{Method: "tools/call"})
	<-begun
	c.Close()
	<-call.Done()
	if _, err := call.Result(); client.KindOf(err) != client.TransportClosed {
		t.Errorf("error %v", err)
	}
}
