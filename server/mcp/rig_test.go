package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/server/app"
	"github.com/mcpeval/mcpeval/server/mcp"
)

// TestMain is also the servers that evaluations start:
//
//	demo [ASPECT]         the demo server
//	held ADDR             connects to ADDR and then does nothing, until it is told to end
//	stubborn ADDR         the same, but neither the end of input nor TERM ends it, and
//	                      it has a child like itself
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.GuardArg:
			os.Exit(process.GuardMain(os.Args[2:]))
		case "demo":
			s, err := demo.New(&demo.Options{Broken: strings.Join(os.Args[2:], "")})
			if err != nil {
				os.Exit(2)
			}
			_ = s.ServeStdio(context.Background(), os.Stdin, os.Stdout)
			s.Close()
			os.Exit(0)
		case "held":
			hold(os.Args[2])
		case "stubborn":
			signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
			if len(os.Args) == 3 {
				child := exec.Command(os.Args[0], "stubborn", os.Args[2], "child")
				if err := child.Start(); err != nil {
					os.Exit(2)
				}
			}
			hold(os.Args[2])
		}
	}
	goleak.VerifyTestMain(m)
}

// hold ends when the test closes the connection.
func hold(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(2)
	}
	_, _ = conn.Read(make([]byte, 1))
	os.Exit(0)
}

// gate knows of processes that hold an evaluation.
type gate struct {
	t *testing.T
	net.Listener
}

func newGate(t *testing.T) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &gate{t, l}
}

// arguments are those of an evaluation of the held server.
func (g *gate) arguments(mode string) string {
	exe, err := os.Executable()
	if err != nil {
		g.t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"command": []string{exe, mode, g.Addr().String()}})
	if err != nil {
		g.t.Fatal(err)
	}
	return string(text)
}

// wait waits for a process to hold the evaluation. gone waits for its end.
func (g *gate) wait() (gone func()) {
	g.t.Helper()
	conn, err := g.Accept()
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { conn.Close() })
	return func() {
		g.t.Helper()
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			g.t.Error("the process said something")
		}
	}
}

// rig is an endpoint on a socket.
type rig struct {
	t       *testing.T
	home    *home.Home
	address string
	url     string
	stop    func() error // ends it, and gives its error
}

func newRig(t *testing.T, change func(*mcp.Options)) *rig {
	t.Helper()
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(t, h)
	if change != nil {
		change(o)
	}
	e, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- e.Serve(ctx, l) }()
	var stopped atomic.Bool
	r := &rig{t: t, home: h, address: l.Addr().String(), url: "http://" + l.Addr().String() + mcp.Path}
	r.stop = func() error {
		cancel()
		stopped.Store(true)
		return <-served
	}
	t.Cleanup(func() {
		if !stopped.Load() {
			if err := r.stop(); err != nil {
				t.Errorf("serve: %v", err)
			}
		}
	})
	return r
}

func optionsOf(t *testing.T, h *home.Home) *mcp.Options {
	return &mcp.Options{
		Home: func() (*home.Home, error) { return h, nil }, Version: "0.1.0", AllowSpawn: true,
		Record: &app.Recording{
			Open: func() (recorder.Store, error) {
				salt, err := h.Salt()
				return recorder.Store{Dir: h.Store(), Salt: salt}, err
			},
			Report:  func(line string) { t.Error(line) },
			Session: "the-session-of-serve",
		},
	}
}

// legacy and modern are the life cycles of clients.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// connect is an official client.
func (r *rig) connect(revision string, o *sdk.ClientOptions) *sdk.ClientSession {
	r.t.Helper()
	transport := &http.Transport{}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := c.Connect(context.Background(), &sdk.StreamableClientTransport{
		Endpoint: r.url, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = session.Close()
		transport.CloseIdleConnections()
	})
	return session
}

// post sends a body as a client before 2026-07-28 and returns the status and the
// message that comes.
func (r *rig) post(body string, headers ...string) (status int, message string, head http.Header) {
	r.t.Helper()
	response := r.begin(context.Background(), body, headers...)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response.StatusCode, messageOf(text), response.Header
}

// messageOf is the last message of an answer: an event stream or JSON.
func messageOf(text []byte) string {
	for line := range bytes.Lines(text) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			text = data
		}
	}
	return strings.TrimSpace(string(text))
}

// begin sends a body and returns when the head of the answer is there.
func (r *rig) begin(ctx context.Context, body string, headers ...string) *http.Response {
	r.t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		r.t.Fatal(err)
	}
	return response
}

// call is the body of a call.
func call(id any, tool, arguments string) string {
	text, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, text, tool, arguments)
}

// outcome is what became of a call, as a client sees it.
type outcome struct {
	ID     any
	Result *struct {
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
	}
	Error *struct {
		Code    int
		Message string
	}
}

func parse(t *testing.T, message string) *outcome {
	t.Helper()
	o := &outcome{}
	if err := json.Unmarshal([]byte(message), o); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	return o
}

// text is the first text of a result that may be an error, or "error CODE".
func (o *outcome) text() string {
	switch {
	case o.Error != nil:
		return fmt.Sprint("error ", o.Error.Code)
	case o.Result == nil || len(o.Result.Content) == 0:
		return ""
	}
	return o.Result.Content[0].Text
}

// raw sends bytes on a socket and returns the head of the answer, or what came
// before the end.
func (r *rig) raw(text string) (status string, head []string) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if line == "" || err != nil {
			break
		}
		head = append(head, line)
	}
	if len(head) == 0 {
		return "closed", nil
	}
	status, _, _ = strings.Cut(strings.TrimPrefix(head[0], "HTTP/1.1 "), " ")
	return status, head
}

// demoURL is a demo server over HTTP that observes its calls.
func demoURL(t *testing.T, o *demo.Options) string {
	t.Helper()
	server, err := demo.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		listening.CloseClientConnections()
		listening.Close()
	})
	return listening.URL + "/mcp"
}
