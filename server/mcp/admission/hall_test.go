package admission_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpeval/mcpeval/server/mcp/admission"
)

// room is a server in a hall, over connections in memory, so that the time of a
// synctest bubble is its time.
type room struct {
	t      *testing.T
	dials  chan net.Conn
	gate   chan struct{} // one request leaves for each item; closed lets all go
	server *http.Server
	once   sync.Once

	mu   sync.Mutex
	busy int
	most int
}

func (r *room) Accept() (net.Conn, error) {
	conn, ok := <-r.dials
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (r *room) Close() error   { r.once.Do(func() { close(r.dials) }); return nil }
func (r *room) Addr() net.Addr { return &net.TCPAddr{} }

func open(t *testing.T) *room {
	r := &room{t: t, dials: make(chan net.Conn), gate: make(chan struct{})}
	hall := admission.NewHall()
	r.server = &http.Server{
		ConnContext: hall.ConnContext, ConnState: hall.ConnState,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/refused" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			body, err := io.ReadAll(q.Body)
			if err != nil {
				return
			}
			hall.Serve(w, q, func() {
				r.count(1)
				defer r.count(-1)
				if q.URL.Path == "/large" {
					_, _ = w.Write(make([]byte, 1<<20))
					return
				}
				<-r.gate
				_, _ = w.Write(append([]byte("served "), body...))
			})
		}),
	}
	go func() { _ = r.server.Serve(hall.Listener(r)) }()
	return r
}

func (r *room) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy += n
	r.most = max(r.most, r.busy)
}

func (r *room) serving() (now, most int) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy, r.most
}

// end lets all go and waits for the last goroutine, or the bubble would not end.
func (r *room) end() {
	select {
	case <-r.gate:
	default:
		close(r.gate)
	}
	_ = r.server.Close()
}

// guest is a client's end of a connection.
type guest struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func (r *room) dial() *guest {
	client, server := net.Pipe()
	r.dials <- server
	synctest.Wait()
	return &guest{r.t, client, bufio.NewReader(client)}
}

func (g *guest) send(text string) {
	g.t.Helper()
	if _, err := io.WriteString(g, text); err != nil {
		g.t.Fatalf("send: %v", err)
	}
	synctest.Wait()
}

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// answer is the status and body that come, or "closed".
func (g *guest) answer() string {
	g.t.Helper()
	response, err := http.ReadResponse(g.in, nil)
	if err != nil {
		return "closed"
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "cut"
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body)
}

// isOpen reports whether the connection is open and nothing has come.
func (g *guest) isOpen() bool {
	synctest.Wait()
	_ = g.SetReadDeadline(time.Now())
	_, err := g.in.ReadByte()
	_ = g.SetReadDeadline(time.Time{})
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// Four HTTP workers; at most sixteen connections wait for a worker; excess
// connections are closed.
func TestFourAreServedSixteenWaitAndTheNextIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		var guests []*guest
		for i := range admission.Workers + admission.Waiting {
			g := r.dial()
			g.send(post("/", fmt.Sprint(i)))
			guests = append(guests, g)
		}
		if now, _ := r.serving(); now != admission.Workers {
			t.Fatalf("%d are served at once", now)
		}
		want(t, "the seventeenth that waits", r.dial().answer(), "closed")
		for i, g := range guests {
			synctest.Wait() // until the next has its worker, or two of them may change places
			r.gate <- struct{}{}
			want(t, fmt.Sprint("guest ", i), g.answer(), fmt.Sprint("200 served ", i))
		}
		if _, most := r.serving(); most != admission.Workers {
			t.Errorf("%d were served at once", most)
		}
	})
}

// The sixteenth waiting connection is served once a worker is free, and there is
// room for another.
func TestRoomComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		var guests []*guest
		for range admission.Workers + admission.Waiting {
			g := r.dial()
			g.send(post("/", "x"))
			guests = append(guests, g)
		}
		r.gate <- struct{}{}
		want(t, "the first", guests[0].answer(), "200 served x")
		synctest.Wait()
		late := r.dial()
		late.send(post("/", "late"))
		if !late.isOpen() {
			t.Error("there was room for one more")
		}
		want(t, "one too many", r.dial().answer(), "closed")
		close(r.gate)
		want(t, "the sixteenth", guests[len(guests)-1].answer(), "200 served x")
		want(t, "the late one", late.answer(), "200 served late")
	})
}

// Clients that never finish hold no worker.
func TestSlowClientsHoldNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		for range admission.Waiting - 1 {
			r.dial().send("POST / HTTP/1.1\r\n")
		}
		close(r.gate)
		g := r.dial()
		for range 50 {
			g.send(post("/", "x"))
			want(t, "one that is quick", g.answer(), "200 served x")
		}
	})
}

// Headers and bodies share a five-second request deadline.
func TestRequestTime(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
	for _, c := range []struct {
		name  string
		parts []string // one a second
		want  string
	}{
		{"nothing at all", []string{"", "", "", "", "", ""}, "closed"},
		{"a slow head", []string{"POST", " / ", "HTTP/1.1\r\n", "Host: ", "localhost\r\n", ""}, "408"},
		{"a slow body", []string{head, "a", "b", "c", "", ""}, "408"},
		{"both", []string{"", "", "", head, "abc", ""}, "408"},
		{"in time", []string{"", "", head, "ab", "cd", ""}, "200 served abcd"},
		{"a body that never begins", []string{head, "", "", "", "", ""}, "408"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t)
				defer r.end()
				close(r.gate)
				g := r.dial()
				go func() {
					for _, part := range c.parts {
						_, _ = io.WriteString(g, part)
						<-time.After(time.Second)
					}
				}()
				began := time.Now()
				got := g.answer()
				want(t, "answer", got[:min(len(got), len(c.want))], c.want)
				if took := time.Since(began); strings.HasPrefix(c.want, "200") == (took >= admission.RequestTime) {
					t.Errorf("it took %v", took)
				}
				_ = g.Close()
				<-time.After(10 * time.Second) // the rest is written in vain
			})
		})
	}
}

// The time of a later request begins with its first byte.
func TestKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		close(r.gate)
		g := r.dial()
		for i := range 3 {
			g.send(post("/", "x"))
			want(t, fmt.Sprint("request ", i), g.answer(), "200 served x")
			<-time.After(admission.RestTime - time.Second)
			if !g.isOpen() {
				t.Fatal("it rested less than it may")
			}
		}
		g.send("P")
		<-time.After(admission.RequestTime - time.Second)
		if !g.isOpen() {
			t.Fatal("it had time left")
		}
		<-time.After(time.Second)
		if got := g.answer(); !strings.HasPrefix(got, "408 ") {
			t.Errorf("a slow second request got %q", got)
		}
		h := r.dial()
		h.send(post("/", "x"))
		want(t, "another", h.answer(), "200 served x")
		<-time.After(admission.RestTime)
		want(t, "after the rest", h.answer(), "closed")
	})
}

// A kept-alive connection between requests does not wait, but its next request
// does: with sixteen waiting it is closed.
func TestRestingIsNotWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		rested := r.dial()
		rested.send(post("/", "x"))
		r.gate <- struct{}{}
		want(t, "the first request", rested.answer(), "200 served x")
		synctest.Wait()
		var guests []*guest
		for range admission.Workers + admission.Waiting {
			g := r.dial()
			g.send(post("/", "x"))
			guests = append(guests, g)
		}
		if !guests[len(guests)-1].isOpen() {
			t.Error("the one that rests took the place of one that waits")
		}
		_, _ = io.WriteString(rested, "P")
		want(t, "its next request", rested.answer(), "closed")
	})
}

// Connections that clients opened and do not use keep no request out.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		var silent, guests []*guest
		for range admission.Waiting {
			silent = append(silent, r.dial())
		}
		for i := range admission.Workers + admission.Waiting {
			g := r.dial()
			g.send(post("/", fmt.Sprint(i)))
			guests = append(guests, g)
		}
		for i, g := range silent {
			want(t, fmt.Sprint("silent ", i), g.answer(), "closed")
		}
		late := r.dial()
		_, _ = io.WriteString(late, post("/", "late"))
		want(t, "one too many", late.answer(), "closed")
		close(r.gate)
		for i, g := range guests {
			want(t, fmt.Sprint("guest ", i), g.answer(), fmt.Sprint("200 served ", i))
		}
	})
}

// Sixteen that have not sent a byte keep their places from others that do not:
// whoever comes to say nothing is closed after a moment, or at once when as many
// stand already.
func TestSilentConnectionsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		close(r.gate)
		var silent, standing []*guest
		for range admission.Waiting {
			silent = append(silent, r.dial())
		}
		for range admission.Waiting {
			standing = append(standing, r.dial())
		}
		began := time.Now()
		want(t, "one that finds no place to stand", r.dial().answer(), "closed")
		if took := time.Since(began); took != 0 {
			t.Errorf("it was closed after %v", took)
		}
		for i, g := range standing {
			want(t, fmt.Sprint("standing ", i), g.answer(), "closed")
		}
		if took := time.Since(began); took != admission.StandTime {
			t.Errorf("they stood for %v", took)
		}
		for i, g := range silent {
			if !g.isOpen() {
				t.Errorf("silent %d made room for nothing", i)
			}
		}
		silent[0].send(post("/", "late"))
		want(t, "one that speaks at last", silent[0].answer(), "200 served late")
		for i, g := range silent[1:] {
			want(t, fmt.Sprint("silent ", i+1), g.answer(), "closed")
		}
		if took := time.Since(began); took != admission.RequestTime {
			t.Errorf("they were closed after %v", took)
		}
	})
}

// One that stands gets a place that is free when its moment is over.
func TestStandingMovesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		close(r.gate)
		var silent []*guest
		for range admission.Waiting {
			silent = append(silent, r.dial())
		}
		standing := r.dial()
		_ = silent[0].Close()
		<-time.After(2 * admission.StandTime)
		if !standing.isOpen() {
			t.Fatal("it was closed though there was room")
		}
		standing.send(post("/", "x"))
		want(t, "its request", standing.answer(), "200 served x")
	})
}

// Requests that came together are answered in their order, each with a worker.
func TestPipelined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		close(r.gate)
		for range admission.Workers + admission.Waiting { // none is lost to the counts
			g := r.dial()
			g.send(post("/", "one") + post("/refused", "") + post("/", "two") + post("/", "three")[:20])
			want(t, "one", g.answer(), "200 served one")
			want(t, "refused", g.answer(), "403 ")
			want(t, "two", g.answer(), "200 served two")
			g.send(post("/", "three")[20:])
			want(t, "three", g.answer(), "200 served three")
			_ = g.Close()
		}
	})
}

// A client that goes away gives up its place, and a worker with it.
func TestLostClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		for range 3 {
			var guests []*guest
			for range admission.Workers + admission.Waiting {
				g := r.dial()
				g.send(post("/", "x"))
				guests = append(guests, g)
			}
			want(t, "one too many", r.dial().answer(), "closed")
			for _, g := range guests {
				_ = g.Close()
			}
			synctest.Wait()
			for range admission.Workers {
				r.gate <- struct{}{}
			}
			if now, _ := r.serving(); now != 0 {
				t.Fatalf("%d are served, and nobody is there", now)
			}
		}
	})
}

// A client that does not take its response loses it.
func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		for range admission.Workers {
			r.dial().send(post("/large", ""))
		}
		if now, _ := r.serving(); now != admission.Workers {
			t.Fatalf("%d are served", now)
		}
		g := r.dial()
		g.send(post("/", "x"))
		<-time.After(admission.WriteTime + time.Second)
		r.gate <- struct{}{}
		want(t, "one behind them", g.answer(), "200 served x")
	})
}

// Of connections at rest only so many are kept.
func TestRestingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		defer r.end()
		close(r.gate)
		open, first := 0, 0
		var guests []*guest
		for i := range admission.Resting + 50 {
			g := r.dial()
			g.send(post("/", "x"))
			want(t, fmt.Sprint("guest ", i), g.answer(), "200 served x")
			guests = append(guests, g)
		}
		for _, g := range guests {
			if g.isOpen() {
				open++
			} else {
				first++
			}
		}
		if open != admission.Resting || first != 50 {
			t.Errorf("%d connections rest, want %d", open, admission.Resting)
		}
	})
}
