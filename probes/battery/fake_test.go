package battery_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpeval/mcpeval/probes/client"
)

// fake is a server that answers with what it is given: for a method, or for
// tools/call the tool's name, a result, or an error when it begins with "!".
type fake struct {
	answers map[string]string
	hook    func(method string, call int) // before each answer

	mu       sync.Mutex
	requests int
	calls    int
}

const fakeHello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}`

// oneTool is a catalog of a tool t.
const oneTool = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`

// answer is the answer to a line, "" for none.
func (f *fake) answer(line []byte) string {
	var q struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &q) != nil || q.ID == nil || q.Method == "" {
		return ""
	}
	f.mu.Lock()
	f.requests++
	if q.Method == "tools/call" {
		f.calls++
	}
	call := f.calls
	f.mu.Unlock()
	if f.hook != nil {
		f.hook(q.Method, call)
	}
	text, ok := f.answers[q.Method+" "+q.Params.Name]
	if !ok {
		text, ok = f.answers[q.Method]
	}
	if !ok {
		switch q.Method {
		case "initialize":
			text = fakeHello
		case "tools/list":
			text = oneTool
		case "tools/call":
			text = `{"content":[]}`
		case "ping":
			text = `{}`
		default:
			text = `!{"code":-32601,"message":"Method not found"}`
		}
	}
	if text == "" {
		return ""
	}
	if failure, ok := strings.CutPrefix(text, "!"); ok {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, failure)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, text)
}

func (f *fake) count() (requests, calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests, f.calls
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch text := f.answer(body); {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case text != "":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	case strings.Contains(string(body), `"id"`):
		<-r.Context().Done() // never answered
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// overHTTP serves the fake.
func (f *fake) overHTTP(t *testing.T) client.Target { return serveHTTP(t, f, func() {}) }

// otherVariable holds the answers of a fake that this program is over stdio.
const otherVariable = "MCPEVAL_BATTERY_TEST_FAKE"

// overStdio is this program as a fake with the answers.
func (f *fake) overStdio(t *testing.T) client.Target {
	t.Helper()
	data, err := json.Marshal(f.answers)
	if err != nil {
		t.Fatal(err)
	}
	return self(t, otherVariable+"="+string(data))
}

func serveFake() int {
	f := &fake{}
	if json.Unmarshal([]byte(os.Getenv(otherVariable)), &f.answers) != nil {
		return 2
	}
	if before, ok := f.answers["exit"]; ok {
		_, _ = os.Stdout.WriteString(before)
		return 3
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		if text := f.answer(line); text != "" {
			_, _ = os.Stdout.WriteString(text + "\n")
		}
	}
}

// manifestOf is a manifest of cases, each of them the members that follow its id
// and access.
func manifestOf(cases ...string) string {
	var list []string
	for i, c := range cases {
		list = append(list, fmt.Sprintf(`{"id":"c%d","access":"read_only",%s}`, i+1, c))
	}
	return `{"version":1,"timeout_ms":1000,"probes":[` + strings.Join(list, ",") + `]}`
}

const (
	guess    = `"probe":"schema-guessability","tool":"t","arguments":{}`
	degrade  = `"probe":"degradation-over-n","tool":"t","arguments":{},"max_attempts":100`
	paginate = `"probe":"pagination","max_pages":5`
)
