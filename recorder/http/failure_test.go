package httpshim_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder"
	httpshim "github.com/mcpeval/mcpeval/recorder/http"
)

func TestUpstreamIsAbsent(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close() // so that nobody listens there
	tests := []struct {
		name   string
		status int
		adjust func(*httpshim.Options)
		body   string
		id     string
		want   []string
	}{
		{"refuses", 502, func(*httpshim.Options) {}, ping, "1", []string{"client ping unanswered"}},
		{"does not accept in time", 504, func(o *httpshim.Options) { o.Dial = time.Nanosecond }, ping, "1", []string{"client ping unanswered"}},
		{"string id", 502, func(*httpshim.Options) {}, `{"jsonrpc":"2.0","method":"ping","id":"\u00e9\"x"}`, `"\u00e9\"x"`, []string{"client ping unanswered"}},
		{"large id", 502, func(*httpshim.Options) {}, `{"jsonrpc":"2.0","method":"ping","id":12345678901234567890123}`, `12345678901234567890123`, []string{"client ping unanswered"}},
		{"notification", 502, func(*httpshim.Options) {}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "null", []string{"client notifications/initialized"}},
		{"id of no request", 502, func(*httpshim.Options) {}, `{"jsonrpc":"2.0","method":"ping","id":{"a":1}}`, "null", []string{"client ping"}},
		{"no JSON", 502, func(*httpshim.Options) {}, `oops`, "null", []string{"unparsed outbound"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, nil, func(o *httpshim.Options) {
				u := *o.Upstream
				u.Host = free.Addr().String()
				o.Upstream = &u
			}, tt.adjust)
			resp := g.post(tt.body)
			body := text(t, resp)
			v, err := rawjson.Parse([]byte(body))
			id, _ := v.Get("id")
			if resp.StatusCode != tt.status || err != nil || string(id.Raw()) != tt.id {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if diff := cmp.Diff(tt.want, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// An upstream that cannot be talked to is as good as none.
func TestUpstreamHasNoTLS(t *testing.T) {
	g := newRig(t, reply("application/json", pong), func(o *httpshim.Options) {
		u := *o.Upstream
		u.Scheme = "https"
		o.Upstream = &u
	})
	resp := g.post(ping)
	if body := text(t, resp); resp.StatusCode != 502 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestUpstreamComesBack(t *testing.T) {
	g := newRig(t, reply("application/json", pong))
	text(t, g.post(ping))
	g.upstream.CloseClientConnections()
	addr := g.upstream.Listener.Addr().String()
	g.upstream.Close()
	// A request that meets the end of a connection on its way is lost, as it would
	// be without the shim.
	g.eventually("upstream is missed", func() bool {
		resp, err := g.client.Post(g.url, "application/json", strings.NewReader(ping))
		if err != nil {
			return false
		}
		text(t, resp)
		return resp.StatusCode == 502
	})
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skip("the port was taken meanwhile")
	}
	again := httptest.NewUnstartedServer(reply("application/json", pong))
	again.Listener.Close()
	again.Listener = listener
	again.Start()
	defer again.Close()
	if got := text(t, g.post(ping)); got != pong {
		t.Error(got)
	}
	got := slices.Compact(g.only())
	if diff := cmp.Diff([]string{"client ping ok", "client ping unanswered", "client ping ok"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// After Ctrl-C an open exchange may come to its end; standalone streams are not
// waited for.
func TestDrain(t *testing.T) {
	arrived, finish := make(chan struct{}), make(chan struct{})
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		arrived <- struct{}{}
		if r.Method == "GET" {
			<-r.Context().Done()
			return
		}
		<-finish
		io.WriteString(w, "data: "+pong+"\n\n")
	}), func(o *httpshim.Options) { o.Drain = time.Minute })
	stream := make(chan *http.Response, 1)
	go func() { stream <- g.do("GET", g.url, "", "Mcp-Session-Id", "s") }()
	<-arrived
	defer (<-stream).Body.Close()
	answer := make(chan string, 1)
	go func() { answer <- text(t, g.post(ping, "Mcp-Session-Id", "s")) }()
	<-arrived
	g.cancel()
	g.eventually("the evidence is kept", func() bool {
		logs := g.logs()
		return len(logs) == 1 && slices.ContainsFunc(logs[0], func(ev journal.Event) bool { _, ok := ev.Body.(*journal.Pending); return ok })
	})
	g.eventually("no new connections", func() bool {
		c, err := net.Dial("tcp", g.host())
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	close(finish)
	if got := <-answer; got != "data: "+pong+"\n\n" {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff([]string{"client ping ok"}, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestDrainGivesUp(t *testing.T) {
	arrived, gone := make(chan struct{}), make(chan struct{})
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(gone)
	}), func(o *httpshim.Options) { o.Drain = 10 * time.Millisecond })
	failed := make(chan error, 1)
	go func() {
		resp, err := g.client.Post(g.url, "application/json", strings.NewReader(ping))
		if err == nil {
			resp.Body.Close()
		}
		failed <- err
	}()
	<-arrived
	if diff := cmp.Diff([]string{"client ping unanswered"}, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	<-gone
	if <-failed == nil {
		t.Error("the client got an answer")
	}
}

// A store that cannot be used costs one line and no traffic.
func TestStoreIsUnusable(t *testing.T) {
	g := newRig(t, reply("application/json", pong), func(o *httpshim.Options) {
		o.Capture.Open = func() (recorder.Store, error) { return recorder.Store{}, errors.New("no home") }
	})
	for _, session := range []string{"", "a", "b"} {
		if got := text(t, g.post(ping, "Mcp-Session-Id", session)); got != pong {
			t.Error(got)
		}
	}
	if err := g.stop(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"mcpeval: not recording: no home"}, g.reported); diff != "" {
		t.Error(diff)
	}
}

// A disk that hangs holds up neither traffic nor the end.
func TestDiskHangs(t *testing.T) {
	release := make(chan struct{})
	hung := make(chan struct{}, 1)
	g := newRig(t, reply("application/json", pong), func(o *httpshim.Options) {
		o.Finish = 50 * time.Millisecond
		o.Queue = 64 << 10
		o.Capture.Write = func(f *os.File, p []byte) (int, error) {
			select {
			case hung <- struct{}{}:
			default:
			}
			<-release
			return f.Write(p)
		}
	})
	text(t, g.post(ping))
	<-hung
	for range 2000 { // 80 KiB of requests and as much of answers
		if got := text(t, g.post(ping)); got != pong {
			t.Fatal(got)
		}
	}
	if err := g.stop(); !errors.Is(err, httpshim.ErrRecording) {
		t.Errorf("Run returned %v", err)
	}
	close(release)
	g.eventually("the capture ends, with a gap", func() bool {
		logs := g.logs()
		if len(logs) != 1 {
			return false
		}
		gaps, ended := journal.Traffic{}, false
		for _, ev := range logs[0] {
			switch b := ev.Body.(type) {
			case *journal.Gap:
				gaps.Frames += b.Outbound.Frames + b.Inbound.Frames
			case *journal.End:
				gaps.Frames += b.Outbound.Frames + b.Inbound.Frames
				ended = true
			}
		}
		if ended && gaps.Frames != 2*2001 {
			t.Fatalf("%d frames, recorded and lost, want %d", gaps.Frames, 2*2001)
		}
		return ended
	})
}

func TestAddressInUse(t *testing.T) {
	g := newRig(t, reply("application/json", pong))
	o := g.o
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	o.Listen = listener.Addr().(*net.TCPAddr).AddrPort()
	if err := httpshim.Run(t.Context(), o); err == nil {
		t.Error("no error")
	}
}
