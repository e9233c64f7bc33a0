package httpshim_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	httpshim "github.com/mcpeval/mcpeval/recorder/http"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
)

// sessions is a server that knows sessions, and answers those without one too.
type sessions struct{ minted int }

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Header.Get("Mcp-Session-Id") == "gone":
		http.Error(w, "session not found", http.StatusNotFound)
	case r.Method == "DELETE" && r.Header.Get("Mcp-Session-Id") == "keep":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == "DELETE":
		w.WriteHeader(http.StatusNoContent)
	case strings.Contains(string(body), `"initialize"`):
		s.minted++
		reply("text/event-stream", "data: "+initialized+"\n\n", "Mcp-Session-Id", fmt.Sprint("s", s.minted))(w, r)
	default:
		reply("application/json", pong)(w, r)
	}
}

// logsOf are the captures in short, and how many sessions they are of.
func (g *rig) logsOf() (short [][]string, sessionCount int) {
	seen := make(map[sanitize.Session]bool)
	for _, events := range g.captures() {
		short = append(short, lines(events))
		seen[events[0].Session] = true
		if _, ok := events[len(events)-1].Body.(*journal.End); !ok {
			g.t.Error("a capture has no end")
		}
	}
	return short, len(seen)
}

func TestSessionsAndCaptures(t *testing.T) {
	in := func(session string) []string { return []string{"Mcp-Session-Id", session} }
	tests := []struct {
		name     string
		session  string // MCPEVAL_SESSION
		run      func(g *rig)
		want     [][]string
		sessions int
	}{
		{"two sessions, interleaved", "", func(g *rig) {
			text(g.t, g.post(initialize))
			text(g.t, g.post(ping, in("s1")...))
			g.advance(time.Second) // captures are told apart by when they began
			text(g.t, g.post(initialize))
			text(g.t, g.post(ping, in("s2")...))
			text(g.t, g.post(ping, in("s1")...))
		}, [][]string{
			{"client initialize ok", "handshake", "client ping ok", "client ping ok"},
			{"client initialize ok", "handshake", "client ping ok"},
		}, 2},
		{"two sessions of one named session", "agent", func(g *rig) {
			text(g.t, g.post(initialize))
			text(g.t, g.post(initialize))
		}, [][]string{{"client initialize ok", "handshake"}, {"client initialize ok", "handshake"}}, 1},
		{"DELETE ends it", "", func(g *rig) {
			text(g.t, g.post(ping, in("a")...))
			text(g.t, g.do("DELETE", g.url, "", in("a")...))
			text(g.t, g.post(ping, in("a")...))
		}, [][]string{{"client ping ok"}, {"client ping ok"}}, 2},
		{"a refused DELETE does not", "", func(g *rig) {
			text(g.t, g.post(ping, in("keep")...))
			text(g.t, g.do("DELETE", g.url, "", in("keep")...))
			text(g.t, g.post(ping, in("keep")...))
		}, [][]string{{"client ping ok", "client ping ok"}}, 1},
		{"404 ends it", "", func(g *rig) {
			text(g.t, g.post(ping, in("gone")...))
			text(g.t, g.post(ping, in("gone")...))
		}, [][]string{{"client ping error http-404"}, {"client ping error http-404"}}, 2},
		{"30 idle minutes end it", "", func(g *rig) {
			text(g.t, g.post(ping, in("a")...))
			g.advance(29 * time.Minute)
			text(g.t, g.post(ping, in("a")...))
			g.advance(30 * time.Minute)
			text(g.t, g.post(ping, in("a")...))
		}, [][]string{{"client ping ok", "client ping ok"}, {"client ping ok"}}, 2},
		{"stateless traffic rotates after 30 idle minutes", "", func(g *rig) {
			text(g.t, g.post(ping))
			g.advance(29 * time.Minute)
			text(g.t, g.post(ping))
			g.advance(29 * time.Minute)
			text(g.t, g.post(ping))
			g.advance(30 * time.Minute)
			text(g.t, g.post(ping))
		}, [][]string{{"client ping ok", "client ping ok", "client ping ok"}, {"client ping ok"}}, 2},
		{"a preflight or a page is no use of it", "", func(g *rig) {
			text(g.t, g.post(ping))
			g.advance(29 * time.Minute)
			text(g.t, g.do("OPTIONS", g.url, ""))
			text(g.t, g.do("GET", g.url, ""))
			g.advance(time.Minute)
			text(g.t, g.post(ping))
		}, [][]string{{"client ping ok"}, {"client ping ok"}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, new(sessions), func(o *httpshim.Options) { o.Capture.Session = tt.session })
			tt.run(g)
			short, n := g.logsOf()
			if diff := cmp.Diff(tt.want, short); diff != "" {
				t.Errorf("captures (-want +got):\n%s", diff)
			}
			if n != tt.sessions {
				t.Errorf("%d sessions, want %d", n, tt.sessions)
			}
		})
	}
}

// At most 256 captures are open; the idlest makes room, and begins anew when it
// is needed again.
func TestManySessions(t *testing.T) {
	g := newRig(t, new(sessions))
	for i := range 257 {
		g.advance(time.Second)
		text(t, g.post(ping, "Mcp-Session-Id", fmt.Sprint("m", i)))
	}
	text(t, g.post(ping, "Mcp-Session-Id", "m256"))
	g.eventually("the first is ended", func() bool {
		ended := 0
		for _, events := range g.logs() {
			if _, ok := events[len(events)-1].Body.(*journal.End); ok {
				ended++
			}
		}
		return ended == 1
	})
	text(t, g.post(ping, "Mcp-Session-Id", "m0"))
	short, n := g.logsOf()
	if len(short) != 258 || n != 258 {
		t.Errorf("%d captures of %d sessions, want 258", len(short), n)
	}
}

// A subscription does not keep the capture of stateless traffic from rotating,
// and still ends as what it is.
func TestStreamDoesNotStopRotation(t *testing.T) {
	finish := make(chan struct{})
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "listen") {
			reply("application/json", pong)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		<-finish
		io.WriteString(w, "data: "+pong+"\n\n")
	}))
	stream := g.post(listen)
	g.advance(30 * time.Minute)
	text(t, g.post(ping))
	close(finish)
	text(t, stream)
	short, n := g.logsOf()
	want := [][]string{{"client subscriptions/listen ok"}, {"client ping ok"}}
	if diff := cmp.Diff(want, short); diff != "" || n != 2 {
		t.Errorf("captures of %d sessions (-want +got):\n%s", n, diff)
	}
}

// An open stream does not keep a session's capture open, and what it brings
// later is recorded all the same.
func TestStreamOutlivesCapture(t *testing.T) {
	next := make(chan struct{})
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 2 {
			io.WriteString(w, "data: "+progress+"\n\n")
			http.NewResponseController(w).Flush()
			<-next
		}
	}))
	stream := g.do("GET", g.url, "", "Mcp-Session-Id", "s")
	defer stream.Body.Close()
	event := make([]byte, len("data: "+progress+"\n\n"))
	if _, err := io.ReadFull(stream.Body, event); err != nil {
		t.Fatal(err)
	}
	g.advance(31 * time.Minute)
	g.eventually("the capture has ended", func() bool {
		logs := g.logs()
		if len(logs) != 1 {
			return false
		}
		_, ok := logs[0][len(logs[0])-1].Body.(*journal.End)
		return ok
	})
	next <- struct{}{}
	if _, err := io.ReadFull(stream.Body, event); err != nil {
		t.Fatal(err)
	}
	next <- struct{}{}
	short, n := g.logsOf()
	note := []string{"server notifications/progress"}
	if diff := cmp.Diff([][]string{note, note}, short); diff != "" || n != 2 {
		t.Errorf("captures of %d sessions (-want +got):\n%s", n, diff)
	}
}

// A request whose answer is slow leaves evidence although its session is not
// known yet.
func TestHungRequestLeavesEvidence(t *testing.T) {
	release := make(chan struct{})
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-release
		reply("application/json", pong)(w, r)
	}))
	answer := make(chan string, 1)
	go func() { answer <- text(t, g.post(ping)) }()
	g.eventually("a pending event", func() bool {
		g.advance(time.Second)
		for _, events := range g.logs() {
			for _, ev := range events {
				if _, ok := ev.Body.(*journal.Pending); ok {
					return true
				}
			}
		}
		return false
	})
	close(release)
	<-answer
	if diff := cmp.Diff([]string{"client ping ok"}, g.only()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
