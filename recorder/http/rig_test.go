package httpshim_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	httpshim "github.com/mcpeval/mcpeval/recorder/http"
)

// rig is a running shim, its upstream, and its store.
type rig struct {
	t        testing.TB
	o        httpshim.Options
	store    string
	url      string // for clients
	upstream *httptest.Server
	client   *http.Client
	clock    atomic.Int64 // how far the shim's clock is ahead

	mu       sync.Mutex
	reported []string

	cancel context.CancelFunc
	ended  chan error
	err    error
	once   sync.Once
}

// newRig starts a shim before handler. adjust may change its options.
func newRig(t testing.TB, handler http.Handler, adjust ...func(*httpshim.Options)) *rig {
	t.Helper()
	g := &rig{t: t, store: t.TempDir(), ended: make(chan error, 1)}
	target := "http://127.0.0.1:1/mcp"
	if handler != nil {
		g.upstream = httptest.NewUnstartedServer(handler)
		g.upstream.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		g.upstream.Start()
		t.Cleanup(g.upstream.Close)
		target = g.upstream.URL + "/mcp"
	}
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	g.o = httpshim.Options{
		Listen:   netip.MustParseAddrPort("127.0.0.1:0"),
		Upstream: u,
		Report: func(line string) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.reported = append(g.reported, line)
		},
		Ready: func(url string) { ready <- url },
		Now:   func() time.Time { return time.Now().Add(time.Duration(g.clock.Load())) },
		Capture: recorder.CaptureOptions{
			Open:     func() (recorder.Store, error) { return recorder.Store{Dir: g.store, Salt: sanitize.Salt{3}}, nil },
			Server:   label(t, "demo"),
			Version:  label(t, "0.0.0"),
			Recorder: journal.RecorderShimHTTP,
			Kind:     journal.Real,
		},
	}
	for _, f := range adjust {
		f(&g.o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	go func() { g.ended <- httpshim.Run(ctx, g.o) }()
	select {
	case g.url = <-ready:
	case err := <-g.ended:
		cancel()
		t.Fatal(err)
	}
	g.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(func() { g.stop() })
	return g
}

func label(t testing.TB, s string) sanitize.Label {
	t.Helper()
	l, err := sanitize.NewLabel(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// stop ends the shim as Ctrl-C does and returns what Run returned.
func (g *rig) stop() error {
	g.once.Do(func() {
		g.client.CloseIdleConnections()
		g.cancel()
		g.err = <-g.ended
	})
	return g.err
}

func (g *rig) advance(d time.Duration) { g.clock.Add(int64(d)) }

func (g *rig) host() string { return strings.TrimSuffix(strings.TrimPrefix(g.url, "http://"), "/mcp") }

// post sends a JSON body; headers are names and values in turn.
func (g *rig) post(body string, headers ...string) *http.Response {
	g.t.Helper()
	return g.do(http.MethodPost, g.url, body, headers...)
}

func (g *rig) do(method, url, body string, headers ...string) *http.Response {
	g.t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	return resp
}

// text reads and closes a body.
func text(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read body: %v", err)
	}
	return string(b)
}

// captures stops the shim and decodes its logs, in the order in which they
// began.
func (g *rig) captures() (all [][]journal.Event) {
	g.t.Helper()
	if err := g.stop(); err != nil {
		g.t.Fatal(err)
	}
	return g.logs()
}

func (g *rig) logs() (all [][]journal.Event) {
	g.t.Helper()
	err := filepath.WalkDir(g.store, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data = data[:bytes.LastIndexByte(data, '\n')+1]
		if len(data) == 0 {
			return nil
		}
		decoder := journal.NewDecoder()
		var events []journal.Event
		for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			var ev journal.Event
			if err := decoder.Decode(journal.FileCapture, line, &ev); err != nil {
				return fmt.Errorf("line %d: %w", i+1, err)
			}
			events = append(events, ev)
		}
		all = append(all, events)
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b []journal.Event) int { return a[0].TS.Compare(b[0].TS) })
	return all
}

// lines are the events of one capture in short, but for its first and last, and
// for the evidence that is kept of what is open when the shim is told to end.
func lines(events []journal.Event) (short []string) {
	for _, ev := range events {
		switch b := ev.Body.(type) {
		case *journal.Call:
			s := b.Origin.String() + " " + b.Method.String() + " " + b.Outcome.String()
			if b.Error != nil {
				s += " " + b.Error.Code.String()
			}
			short = append(short, s)
		case *journal.Notification:
			short = append(short, b.Origin.String()+" "+b.Method.String())
		case *journal.Unparsed:
			short = append(short, "unparsed "+b.Direction.String())
		case *journal.CaptureStart, *journal.End, *journal.Pending:
		default:
			short = append(short, ev.Body.Type().String())
		}
	}
	return short
}

// only is the short form of the one capture there must be.
func (g *rig) only() []string {
	g.t.Helper()
	all := g.captures()
	if len(all) != 1 {
		g.t.Fatalf("%d captures, want 1", len(all))
	}
	if _, ok := all[0][len(all[0])-1].Body.(*journal.End); !ok {
		g.t.Error("the capture has no end")
	}
	return lines(all[0])
}

// eventually waits until ok.
func (g *rig) eventually(what string, ok func() bool) {
	g.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			g.t.Fatalf("never: %s", what)
		}
	}
}

// dial opens a raw connection to the shim.
func (g *rig) dial() (net.Conn, *bufio.Reader) {
	g.t.Helper()
	c, err := net.Dial("tcp", g.host())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { c.Close() })
	return c, bufio.NewReader(c)
}

const (
	ping     = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong     = `{"jsonrpc":"2.0","id":1,"result":{}}`
	bigFrame = 8 << 20
)

// reply answers every POST with a body.
func reply(contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		io.WriteString(w, body)
	}
}
