package loopback_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// The checks come in one order, so that a request with several faults has one
// answer. The wire forms are tested through the shim, over raw sockets.
func TestGuardOrder(t *testing.T) {
	post := func(change func(*http.Request)) *http.Request {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader("{}"))
		r.Host = "127.0.0.1:8090"
		r.Header.Set("Content-Type", "application/json")
		change(r)
		return r
	}
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
		why    string
	}{
		{"good", func(*http.Request) {}, 200, ""},
		{"all at once", func(r *http.Request) {
			r.Header["Origin"] = []string{"null", "null"}
			r.Header["Content-Type"] = []string{"a", "b"}
			r.Host = "evil.example"
			r.Method = "PUT"
		}, 400, "repeated Origin header"},
		{"repeated Host", func(r *http.Request) { r.Header["Host"] = []string{"localhost", "localhost"} }, 400, "repeated Host header"},
		{"type and Host", func(r *http.Request) {
			r.Header["Content-Type"] = []string{"a", "b"}
			r.Host = "evil.example"
		}, 400, "repeated Content-Type header"},
		{"no Host and Origin", func(r *http.Request) { r.Host = ""; r.Header.Set("Origin", "null") }, 400, "missing Host header"},
		{"Host and Origin", func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("Origin", "null") }, 403, "Host is not a loopback name or address"},
		{"Origin and method", func(r *http.Request) { r.Method = "PUT"; r.Header.Set("Origin", "null") }, 403, "Origin is not on loopback"},
		{"method and type", func(r *http.Request) { r.Method = "PUT"; r.Header.Del("Content-Type") }, 405, "method not allowed"},
		{"type", func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "Content-Type must be application/json"},
		{"type of a GET", func(r *http.Request) { r.Method = "GET"; r.Header.Del("Content-Type") }, 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reached := false
			g := &loopback.Guard{Methods: []string{"GET", "POST"}, Next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })}
			w := httptest.NewRecorder()
			g.ServeHTTP(w, post(tt.change))
			if w.Code != tt.status || reached != (tt.status == 200) {
				t.Errorf("status %d, want %d; reached %t", w.Code, tt.status, reached)
			}
			want := ""
			if tt.why != "" {
				want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"` + tt.why + `"}}`
			}
			if diff := cmp.Diff(want, w.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if got := w.Header().Get("Allow"); (got == "GET, POST") != (tt.status == 405) {
				t.Errorf("Allow: %q", got)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	loopback.Answer(w, http.StatusBadGateway, []byte(`"a\n"`), "gone")
	body, _ := io.ReadAll(w.Result().Body)
	if want := `{"jsonrpc":"2.0","id":"a\n","error":{"code":-32603,"message":"gone"}}`; string(body) != want {
		t.Errorf("got %s", body)
	}
}
