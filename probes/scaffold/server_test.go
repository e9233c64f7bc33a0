package scaffold_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a Streamable HTTP server whose catalog and answers a test chooses. It
// keeps the names of all tools that were called.
type fake struct {
	capabilities string                                              // default {"tools":{}}
	pages        func(page int) string                               // a tools/list result, counted from 1
	call         func(tool string, arguments json.RawMessage) string // a response without id, or ""

	// announces makes the first listings come with a notification that the catalog
	// has changed.
	announces int

	mu     sync.Mutex // guards what follows
	calls  []string
	args   []string
	listed int
}

// catalog is a server with one page of these tools.
func catalog(tools ...string) *fake {
	return &fake{pages: func(int) string { return page(tools, "") }}
}

func page(tools []string, cursor string) string {
	list := ""
	for i, t := range tools {
		if i > 0 {
			list += ","
		}
		list += t
	}
	if cursor != "" {
		return `{"tools":[` + list + `],"nextCursor":` + strconv.Quote(cursor) + `}`
	}
	return `{"tools":[` + list + `]}`
}

const success = `"result":{"content":[{"type":"text","text":"CANARY result"}]}`

func (f *fake) start(t *testing.T) client.Target {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return client.Target{URL: server.URL + "/mcp"}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name, Cursor string
			Arguments    json.RawMessage
		}
	}
	body, err := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || err != nil || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := `"error":{"code":-32601,"message":"no such method"}`
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Method {
	case "initialize":
		capabilities := f.capabilities
		if capabilities == "" {
			capabilities = `{"tools":{}}`
		}
		answer = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":` + capabilities + `}`
	case "tools/list":
		n := 1
		if m.Params.Cursor != "" {
			n, _ = strconv.Atoi(m.Params.Cursor)
		}
		f.listed++
		if text := f.pages(n); text != "" {
			answer = `"result":` + text
		}
	case "tools/call":
		f.calls = append(f.calls, m.Params.Name)
		f.args = append(f.args, string(m.Params.Arguments))
		answer = success
		if f.call != nil {
			answer = f.call(m.Params.Name, m.Params.Arguments)
		}
		if answer == "" {
			panic(http.ErrAbortHandler) // the connection breaks
		}
	}
	if m.Method == "ping" {
		answer = `"result":{}`
	}
	if m.Method == "tools/list" && f.listed <= f.announces {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n\n", m.ID, answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}

// tool is an entry of tools/list; hints and schemas are JSON or "".
func tool(name, annotations, input, output string) string {
	text := `{"name":` + strconv.Quote(name)
	if annotations != "" {
		text += `,"annotations":` + annotations
	}
	if input == "" {
		input = `{"type":"object"}`
	}
	text += `,"inputSchema":` + input
	if output != "" {
		text += `,"outputSchema":` + output
	}
	return text + `}`
}

const (
	reads    = `{"readOnlyHint":true}`
	writes   = `{"readOnlyHint":false}`
	destroys = `{"destructiveHint":true}`
)

// stoppedClock goes on only when a test says so; its timers never go off.
type stoppedClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stoppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stoppedClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (*stoppedClock) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }
