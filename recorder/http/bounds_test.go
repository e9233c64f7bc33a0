package httpshim_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// padded is a JSON text of exactly n bytes: before, as many x as it takes, after.
func padded(n int, before, after string) string {
	return before + strings.Repeat("x", n-len(before)-len(after)) + after
}

func TestRequestBound(t *testing.T) {
	var got atomic.Int64
	requests := 0
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		got.Store(n)
		requests++
		reply("application/json", pong)(w, r)
	}))
	request := func(n int) string {
		return padded(n, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`, `"}}`)
	}
	if body := text(t, g.post(request(bigFrame))); body != pong || got.Load() != bigFrame {
		t.Errorf("8 MiB: %s, upstream saw %d bytes", body, got.Load())
	}
	tests := []struct {
		name string
		send func(body string) *http.Response
	}{
		{"length declared", func(body string) *http.Response { return g.post(body) }},
		{"length not declared", func(body string) *http.Response {
			r, err := http.NewRequest("POST", g.url, io.MultiReader(strings.NewReader(body)))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			resp, err := g.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}},
		{"leave asked for", func(body string) *http.Response {
			conn, r := g.dial()
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", g.host(), len(body))
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := tt.send(request(bigFrame + 1))
			body := text(t, resp)
			if v, err := rawjson.Parse([]byte(body)); resp.StatusCode != 413 || err != nil || v.Kind() != rawjson.Object {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	if requests != 1 {
		t.Errorf("upstream saw %d requests, want 1", requests)
	}
	want := []string{"client ping ok", "unparsed outbound", "unparsed outbound", "unparsed outbound"}
	if diff := cmp.Diff(want, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAnswerBound(t *testing.T) {
	for _, declared := range []bool{true, false} {
		t.Run(fmt.Sprintf("declared %t", declared), func(t *testing.T) {
			size := 0
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := padded(size, `{"jsonrpc":"2.0","id":"a-7","result":{"a":"`, `"}}`)
				if declared {
					w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				}
				reply("application/json", body)(w, r)
			}))
			request := `{"jsonrpc":"2.0","id":"a-7","method":"ping"}`
			size = bigFrame
			resp := g.post(request)
			if got := text(t, resp); resp.StatusCode != 200 || len(got) != bigFrame {
				t.Errorf("8 MiB: %d, %d bytes", resp.StatusCode, len(got))
			}
			size++
			resp = g.post(request)
			got := text(t, resp)
			v, _ := rawjson.Parse([]byte(got))
			if id, _ := v.Get("id"); resp.StatusCode != 502 || string(id.Raw()) != `"a-7"` {
				t.Errorf("one byte more: %d, %.200s", resp.StatusCode, got)
			}
			if diff := cmp.Diff([]string{"client ping ok", "client ping unknown"}, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// A single event is bounded, not the stream: one of 8 MiB passes, one byte more
// ends the stream, cleanly and after what came before.
func TestEventBound(t *testing.T) {
	for _, ending := range []string{"\n", "\r\n", "\r"} {
		t.Run(fmt.Sprintf("%q", ending), func(t *testing.T) {
			event := func(n int) string { // the blank line does not count
				return padded(n, "data: "+`{"jsonrpc":"2.0","id":1,"result":{"a":"`, `"}}`+ending) + ending
			}
			small := "data: " + progress + ending + ending
			size := 0
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reply("text/event-stream", small+event(size)+small)(w, r)
			}))
			size = bigFrame
			if got := text(t, g.post(ping)); got != small+event(size)+small {
				t.Errorf("8 MiB: %d bytes", len(got))
			}
			size++
			if got := text(t, g.post(ping)); got != (small + event(size))[:len(small)+bigFrame] {
				t.Errorf("one byte more: %d bytes", len(got))
			}
			note := "server notifications/progress"
			if diff := cmp.Diff([]string{note, "client ping ok", note, note, "client ping unknown"}, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherBodiesHaveNoBound(t *testing.T) {
	page := strings.Repeat("p", bigFrame+1)
	g := newRig(t, reply("text/html", page))
	if got := text(t, g.post(ping)); got != page {
		t.Errorf("%d bytes", len(got))
	}
}
