package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/client"
)

// FuzzAnswer has a server answer a call with anything. The call ends with an
// answer or a fault, and the fault quotes nothing.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "application/json", `{"jsonrpc":"2.0","id":2,"result":{"CANARY":1}}`)
	f.Add(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":2,\ndata:\"error\":{\"code\":1,\"message\":\"CANARY\"}}\n\n")
	f.Add(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"CANARY"}}`)
	f.Add(400, "text/plain", "CANARY")
	f.Add(200, "application/json", `[{"jsonrpc":"2.0","id":2.0,"error":"CANARY"},{"jsonrpc":"2.0","method":"CANARY"}]`)
	f.Fuzz(func(t *testing.T, status int, media, body string) {
		if status < 200 || status > 599 || strings.ContainsAny(media, "\r\n\x00") {
			return
		}
		p := newPeer(t, &peer{on: map[string]http.HandlerFunc{"tools/call": say(media, status, body)}})
		c := dial(t, client.Target{URL: p.URL}, &client.Options{Protocol: client.Revision2025c})
		r, err := c.Call(context.Background(), "tools/call", nil)
		var fault *client.Fault
		switch {
		case err == nil && (r == nil || (r.Error == nil) == r.Result.IsZero()):
			t.Errorf("neither an answer nor an error: %+v", r)
		case err != nil && !errors.As(err, &fault):
			t.Errorf("error %v is no fault", err)
		case err != nil && strings.Contains(err.Error(), "CANARY"):
			t.Errorf("the fault quotes the answer: %v", err)
		}
	})
}
