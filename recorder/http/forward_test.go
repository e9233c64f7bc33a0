package httpshim_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatusesPassAndAreRecorded(t *testing.T) {
	tests := []struct {
		name    string
		status  int
		headers []string
		body    string
		want    []string
	}{
		{"unauthorized", 401, []string{"Www-Authenticate", `Bearer realm="x", error="invalid_token", scope="a b"`, "Content-Type", "application/json"},
			`{"error":"invalid_token"}`, []string{"client ping error http-401"}},
		{"forbidden", 403, []string{"Www-Authenticate", `Bearer scope="admin"`}, "", []string{"client ping error http-403"}},
		{"moved, same origin", 307, []string{"Location", "/mcp/"}, "", []string{"client ping error http-307"}},
		{"moved elsewhere", 308, []string{"Location", "https://example.com/mcp"}, "moved", []string{"client ping error http-308"}},
		{"found", 302, []string{"Location", "/login"}, "", []string{"client ping error http-302"}},
		{"too large for it", 413, []string{"Content-Type", "text/plain"}, "too big", []string{"client ping error http-413"}},
		{"too many", 429, []string{"Retry-After", "7"}, "", []string{"client ping error http-429"}},
		{"its own bad gateway", 502, nil, "<html>", []string{"client ping error http-502"}},
		{"its own timeout", 504, nil, "", []string{"client ping error http-504"}},
		{"text for an error", 400, []string{"Content-Type", "text/plain"}, `JSON RPC not handled`, []string{"client ping error http-400"}},
		{"error that names the request", 404, []string{"Content-Type", "application/json"},
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, []string{"client ping error -32601"}},
		{"error that names no request", 400, []string{"Content-Type", "application/json"},
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`, []string{"client ping error -32000"}},
		{"error without an id", 400, []string{"Content-Type", "application/json; charset=utf-8"},
			`{"jsonrpc":"2.0","error":{"code":-32000,"message":"no session"}}`, []string{"client ping error -32000"}},
		{"server error", 500, []string{"Content-Type", "text/html"}, "<h1>", []string{"client ping error http-500"}},
		{"wrong id", 200, []string{"Content-Type", "application/json"}, `{"jsonrpc":"2.0","id":"1","result":{}}`, []string{"client ping unanswered"}},
		{"not JSON", 200, []string{"Content-Type", "application/json"}, `oops`, []string{"unparsed inbound", "client ping unanswered"}},
		{"a page", 200, []string{"Content-Type", "text/html"}, `<p>`, []string{"client ping unanswered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for i := 0; i < len(tt.headers); i += 2 {
					w.Header().Set(tt.headers[i], tt.headers[i+1])
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			resp := g.post(ping)
			if resp.StatusCode != tt.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
			}
			for i := 0; i < len(tt.headers); i += 2 {
				if got := resp.Header.Get(tt.headers[i]); got != tt.headers[i+1] {
					t.Errorf("%s: %q, want %q", tt.headers[i], got, tt.headers[i+1])
				}
			}
			if got := text(t, resp); got != tt.body {
				t.Errorf("body %q, want %q", got, tt.body)
			}
			if diff := cmp.Diff(tt.want, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// What reaches upstream and comes back is what was sent, but for what concerns
// one connection.
func TestHeadersAndTargets(t *testing.T) {
	type seen struct {
		Method, Target, Host, Body, Length string
		Header                             http.Header
	}
	var got seen
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = seen{r.Method, r.RequestURI, r.Host, string(body), strconv.FormatInt(r.ContentLength, 10), r.Header}
		h := w.Header()
		h["Date"] = nil
		h["X-Two"] = []string{"a", "b"}
		h.Set("Mcp-Session-Id", "s1")
		h.Set("X-Accel-Buffering", "no")
		h.Set("Connection", "X-Private")
		h.Set("X-Private", "1")
		w.WriteHeader(202)
	}))
	tests := []struct {
		name, method, target, body string
		headers                    []string
		want                       seen
	}{
		{"the root is the endpoint", "POST", "/", ping, []string{
			"Origin", "http://localhost:5173", "Authorization", "Bearer x", "Cookie", "a=b", "Mcp-Method", "ping",
			"Mcp-Name", "=?base64?4oKs?=", "Mcp-Param-X", "1", "Mcp-Protocol-Version", "2026-07-28", "Last-Event-Id", "7",
			"Connection", "X-Hop", "X-Hop", "1", "Te", "trailers", "User-Agent", "", "Accept", "*/*"},
			seen{"POST", "/mcp", "", ping, "40", http.Header{
				"Origin": {"http://localhost:5173"}, "Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "Mcp-Method": {"ping"},
				"Mcp-Name": {"=?base64?4oKs?="}, "Mcp-Param-X": {"1"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Last-Event-Id": {"7"},
				"Content-Type": {"application/json"}, "Content-Length": {"40"}, "Accept": {"*/*"}}}},
		{"its own path", "POST", "/mcp", ping, []string{"User-Agent", "c/1", "Accept", "*/*"},
			seen{"POST", "/mcp", "", ping, "40", http.Header{"User-Agent": {"c/1"}, "Accept": {"*/*"},
				"Content-Type": {"application/json"}, "Content-Length": {"40"}}}},
		{"another path", "DELETE", "/other/%2Fx//y?k=%20v&k=2", "", []string{"User-Agent", "c/1"},
			seen{"DELETE", "/other/%2Fx//y?k=%20v&k=2", "", "", "0", http.Header{"User-Agent": {"c/1"}}}},
		{"no body", "POST", "/mcp?x", "", []string{"User-Agent", "c/1", "Accept", "*/*"},
			seen{"POST", "/mcp?x", "", "", "0", http.Header{"User-Agent": {"c/1"}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "Content-Length": {"0"}}}},
		{"preflight", "OPTIONS", "/mcp", "", []string{"User-Agent", "c/1", "Access-Control-Request-Method", "POST"},
			seen{"OPTIONS", "/mcp", "", "", "0", http.Header{"User-Agent": {"c/1"}, "Access-Control-Request-Method": {"POST"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := g.do(tt.method, "http://"+g.host()+tt.target, tt.body, tt.headers...)
			text(t, resp)
			tt.want.Host = g.o.Upstream.Host
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("upstream saw (-want +got):\n%s", diff)
			}
			want := http.Header{"X-Two": {"a", "b"}, "Mcp-Session-Id": {"s1"}, "X-Accel-Buffering": {"no"}, "Content-Length": {"0"}}
			if diff := cmp.Diff(want, resp.Header); diff != "" {
				t.Errorf("the client saw (-want +got):\n%s", diff)
			}
		})
	}
}

func squeeze(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompressedBodies(t *testing.T) {
	sse := "event: message\r\ndata: " + pong + "\r\n\r\n"
	bomb := squeeze(t, `{"jsonrpc":"2.0","id":1,"result":{"a":"`+string(make([]byte, bigFrame))+`"}}`)
	tests := []struct{ name, contentType, encoding, body, want string }{
		{"gzip", "application/json", "gzip", squeeze(t, pong), "ok"},
		{"gzip, old name", "application/json", "X-GZIP", squeeze(t, pong), "ok"},
		{"gzip stream", "text/event-stream", "gzip", squeeze(t, ": hello\n\n"+sse), "ok"},
		{"two gzip members", "text/event-stream", "gzip", squeeze(t, sse[:20]) + squeeze(t, sse[20:]), "ok"},
		{"identity", "application/json", "identity", pong, "ok"},
		{"brotli", "application/json", "br", "\x0b\x02\x80{}\x03", "unknown"},
		{"zstd stream", "text/event-stream", "zstd", "\x28\xb5\x2f\xfd", "unknown"},
		{"damaged gzip", "application/json", "gzip", squeeze(t, pong)[:20], "unknown"},
		{"damaged gzip stream", "text/event-stream", "gzip", squeeze(t, sse)[:9] + "xxxxxxxxxxxxxx", "unknown"},
		{"inflates to too much", "application/json", "gzip", bomb, "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, reply(tt.contentType, tt.body, "Content-Encoding", tt.encoding))
			resp := g.post(ping)
			if got := resp.Header.Get("Content-Encoding"); got != tt.encoding {
				t.Errorf("encoding %q", got)
			}
			if got := text(t, resp); got != tt.body {
				t.Errorf("body differs: %d bytes, want %d", len(got), len(tt.body))
			}
			if diff := cmp.Diff([]string{"client ping " + tt.want}, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompressedRequest(t *testing.T) {
	g := newRig(t, reply("application/json", pong))
	text(t, g.post(squeeze(t, ping), "Content-Encoding", "gzip"))
	if diff := cmp.Diff([]string{"client ping ok"}, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Only MCP is recorded, wherever it goes; what else passes leaves nothing.
func TestOtherTraffic(t *testing.T) {
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(body, []byte("ping")) {
			io.WriteString(w, pong)
			return
		}
		io.WriteString(w, `{"client_id":"x"}`)
	}))
	base := "http://" + g.host()
	for _, r := range [][3]string{
		{"GET", "/.well-known/oauth-protected-resource", ""},
		{"POST", "/register", `{"client_name":"x"}`},
		{"GET", "/mcp", ""},
		{"HEAD", "/mcp", ""},
		{"OPTIONS", "/mcp", ""},
	} {
		text(t, g.do(r[0], base+r[1], r[2]))
	}
	text(t, g.do("POST", base+"/elsewhere", ping))
	if diff := cmp.Diff([]string{"client ping ok"}, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
