package httpshim_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpeval/mcpeval/journal"
	httpshim "github.com/mcpeval/mcpeval/recorder/http"
)

// Upstreams answer before they have read a request to its end. Proxies then lose
// the tail of one answer in a hundred.
func TestSoakEarlyAnswers(t *testing.T) {
	exchanges := int64(1000)
	if os.Getenv("MCPEVAL_SOAK") != "" {
		exchanges = 10_000
	}
	body := strings.Repeat("x", 3000)
	want := ": early\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"" + body + "\"}}\n\n"
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w)
		if err := flush.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, want[:9])
		flush.Flush()
		if r.Header.Get("X-Read") != "" {
			io.Copy(io.Discard, r.Body)
		}
		io.WriteString(w, want[9:])
		flush.Flush()
		io.Copy(io.Discard, r.Body)
	}))
	var next atomic.Int64
	failed := make(chan error, 8)
	for range cap(failed) {
		go func() {
			failed <- func() error {
				for i := next.Add(1); i <= exchanges; i = next.Add(1) {
					request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"%s"}}`, body[:i%2500])
					r, err := http.NewRequest("POST", g.url, strings.NewReader(request))
					if err != nil {
						return err
					}
					r.Header.Set("Content-Type", "application/json")
					if i%2 == 0 {
						r.Header.Set("X-Read", "1")
					}
					resp, err := g.client.Do(r)
					if err != nil {
						return err
					}
					got, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					if err != nil || string(got) != want {
						return fmt.Errorf("exchange %d: %d of %d bytes: %w", i, len(got), len(want), err)
					}
				}
				return nil
			}()
		}()
	}
	var all error
	for range cap(failed) {
		all = errors.Join(all, <-failed)
	}
	if all != nil {
		t.Fatal(all)
	}
	calls := int64(0)
	for _, ev := range g.captures()[0] {
		if call, ok := ev.Body.(*journal.Call); ok && call.Outcome == journal.OutcomeOK {
			calls++
		}
	}
	if calls != exchanges {
		t.Errorf("%d calls recorded, want %d", calls, exchanges)
	}
}

// A server that refuses a large request before it has read it, and closes: its
// answer reaches the client all the same.
func TestEarlyRefusal(t *testing.T) {
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Error("the request fits")
		}
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	}), func(o *httpshim.Options) { o.Queue = 1 << 30 }) // it takes long to record so much
	request := padded(bigFrame, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`, `"}}`)
	for range 20 {
		resp := g.post(request)
		if got := text(t, resp); resp.StatusCode != 413 || got != "too large\n" {
			t.Fatalf("%d %q", resp.StatusCode, got)
		}
	}
	for _, line := range g.only() {
		if line != "client ping error http-413" {
			t.Error(line)
		}
	}
}
