package httpshim_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
)

const (
	progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`
	sampling = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`
)

// The server sends each event only when the client has confirmed the one
// before, so that anything held back by the shim would stop both.
func TestEventsPassAsTheyCome(t *testing.T) {
	confirmed := make(chan struct{})
	events := []string{": hello\n\n", "id: 1\ndata:\n\n", "data: " + progress + "\n\n", "event: ping\ndata: x\n\n", "data: " + pong}
	for _, method := range []string{"POST", "GET"} {
		t.Run(method, func(t *testing.T) {
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				flush := http.NewResponseController(w)
				w.WriteHeader(200)
				flush.Flush() // the head alone has to reach the client
				<-confirmed
				for _, e := range events {
					io.WriteString(w, e)
					flush.Flush()
					<-confirmed
				}
			}))
			resp := g.do(method, g.url, ping)
			defer resp.Body.Close()
			confirmed <- struct{}{}
			for _, want := range events {
				got := make([]byte, len(want))
				if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
					t.Fatalf("got %q, %v, want %q", got, err, want)
				}
				confirmed <- struct{}{}
			}
		})
	}
}

// Every way to write a stream means the same to the client and to the record.
func TestLineEndingsAndSplits(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"result":{"a":"` + strings.Repeat("é", 100) + `"}}`
	template := "\ufeff: comment|id: 1|data:||event: message|data: " + progress + "||retry: 5|||event: ping|data: x||data: " + long[:24] + "|data: " + long[24:] + "|id: 2||"
	for name, ending := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r", "mixed": ""} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i, line := range strings.SplitAfter(template, "|") {
				e := ending
				if e == "" {
					e = []string{"\n", "\r", "\r\n"}[i%3] // a CR before a LF would be one end of a line
				}
				b.WriteString(strings.ReplaceAll(line, "|", e))
			}
			stream := b.String()
			size := 1
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "Text/Event-Stream; charset=utf-8")
				for rest := range slices.Chunk([]byte(stream), size) {
					w.Write(rest)
					http.NewResponseController(w).Flush()
				}
			}))
			var want []string
			for _, size = range []int{1, 2, 3, 7, 64, 1 << 20} {
				resp := g.post(ping)
				if got := text(t, resp); got != stream {
					t.Fatalf("cut every %d bytes: got %q\nwant %q", size, got, stream)
				}
				want = append(want, "server notifications/progress", "client ping ok")
			}
			if diff := cmp.Diff(want, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// A client that goes away cancels upstream at once, before and after the head of
// the response, and what it asked is recorded by the rules of its revision.
func TestClientGoes(t *testing.T) {
	tests := []struct {
		name    string
		head    bool // the response had begun
		headers []string
		want    []string
	}{
		{"before the response", false, nil, []string{"client ping unanswered"}},
		{"during the response", true, nil, []string{"server notifications/progress", "client ping unanswered"}},
		{"2026-07-28, before", false, []string{"Mcp-Protocol-Version", "2026-07-28"}, []string{"client ping cancelled"}},
		{"2026-07-28, during", true, []string{"Mcp-Protocol-Version", "2026-07-28"}, []string{"server notifications/progress", "client ping cancelled"}},
		{"in a session", true, []string{"Mcp-Session-Id", "s", "Mcp-Protocol-Version", "2025-11-25"},
			[]string{"server notifications/progress", "client ping unanswered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			arrived, cancelled := make(chan struct{}), make(chan struct{})
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if tt.head {
					w.Header().Set("Content-Type", "text/event-stream")
					io.WriteString(w, "data: "+progress+"\n\n")
					http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-r.Context().Done()
				close(cancelled)
			}))
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			r, err := http.NewRequestWithContext(ctx, "POST", g.url, strings.NewReader(ping))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(tt.headers); i += 2 {
				r.Header.Set(tt.headers[i], tt.headers[i+1])
			}
			if tt.head {
				resp, err := g.client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
					t.Fatal(err)
				}
				leave()
			} else {
				go func() { <-arrived; leave() }()
				if resp, err := g.client.Do(r); err == nil {
					resp.Body.Close()
					t.Fatal("there was an answer")
				}
			}
			<-cancelled
			if diff := cmp.Diff(tt.want, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// In a session an answer may come on any stream, and so may the requests of the
// server, which the client answers in a request of its own.
func TestAnswersOnOtherStreams(t *testing.T) {
	answer := make(chan struct{})
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "s")
		switch {
		case r.Method == "GET":
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: "+sampling+"\n\n")
			http.NewResponseController(w).Flush()
			<-answer
			io.WriteString(w, "data: "+pong+"\n\n")
		case strings.Contains(string(body), "result"):
			w.WriteHeader(202)
			close(answer)
		default:
			w.Header().Set("Content-Type", "text/event-stream") // and ends without an answer
		}
	}))
	stream := g.do("GET", g.url, "", "Mcp-Session-Id", "s")
	lines := bufio.NewReader(stream.Body)
	defer stream.Body.Close()
	if line, err := lines.ReadString('\n'); err != nil || line != "data: "+sampling+"\n" {
		t.Fatal(line, err)
	}
	text(t, g.post(ping, "Mcp-Session-Id", "s"))
	text(t, g.post(pong, "Mcp-Session-Id", "s"))
	if rest, err := io.ReadAll(lines); err != nil || string(rest) != "\ndata: "+pong+"\n\n" {
		t.Fatal(string(rest), err)
	}
	got := g.only()
	slices.Sort(got) // the order in which the two answers meet is open
	if diff := cmp.Diff([]string{"client ping ok", "server sampling/createMessage ok"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The client's connection breaks off where upstream's did, and ends well where
// upstream's did.
func TestUpstreamBreaksOff(t *testing.T) {
	tests := []struct {
		name, response string
		read           string // by the client, before its error
		want           []string
	}{
		{"in a stream", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n: hi\n\r\n", ": hi\n", []string{"client ping unanswered"}},
		{"in a JSON body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{\"jso", "{\"jso", []string{"client ping unanswered"}},
		{"in other bodies", "HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n\r\nwell", "well", []string{"client ping error http-500"}},
		{"before the response", "", "", []string{"client ping unanswered"}},
		{"with something that is no HTTP", "hello\r\n\r\n", "", []string{"client ping unanswered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(c, tt.response)
				c.Close()
			}))
			r, err := http.NewRequest("POST", g.url, strings.NewReader(ping))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			resp, err := g.client.Do(r)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil || string(got) != tt.read {
				t.Errorf("the client read %q, %v", got, err)
			}
			if diff := cmp.Diff(tt.want, g.only()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// The transport of 2024-11-05 passes, is not recorded, and is spoken of once.
func TestEndpointTransport(t *testing.T) {
	posted := make(chan string, 1)
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			posted <- r.RequestURI
			w.WriteHeader(202)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /message?sessionId=4\n\n")
		http.NewResponseController(w).Flush()
		<-posted
		io.WriteString(w, "event: message\ndata: "+pong+"\n\n")
	}))
	for range 2 {
		stream := g.do("GET", "http://"+g.host()+"/sse", "")
		lines := bufio.NewReader(stream.Body)
		for range 3 {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		text(t, g.do("POST", "http://"+g.host()+"/message?sessionId=4", ping))
		if rest, err := io.ReadAll(lines); err != nil || string(rest) != "event: message\ndata: "+pong+"\n\n" {
			t.Errorf("%q, %v", rest, err)
		}
		stream.Body.Close()
	}
	if logs := g.captures(); len(logs) > 0 {
		t.Errorf("it was recorded: %q", lines(logs[0]))
	}
	if len(g.reported) != 1 || !strings.Contains(g.reported[0], "2024-11-05") {
		t.Errorf("reported %q", g.reported)
	}
}

// Two clients use the same ids at the same time, each in an exchange of its own.
func TestSameIDsNeverMix(t *testing.T) {
	const exchanges = 1000
	sizes := [2]int{100, 5000}
	var meet [exchanges]chan struct{} // both requests of a round are in flight at once
	for i := range meet {
		meet[i] = make(chan struct{})
	}
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var round, id, who int
		fmt.Sscanf(r.Header.Get("X-Round"), "%d %d %d", &round, &id, &who)
		if (round+who)%2 == 0 { // one waits for the other, in turn
			<-meet[round]
		} else {
			meet[round] <- struct{}{}
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"a":"%s"}}`, id, strings.Repeat("x", sizes[who]))
		if len(body)%2 == 0 {
			reply("application/json", answer)(w, r)
		} else {
			reply("text/event-stream", "data: "+answer+"\n\n")(w, r)
		}
	}))
	done := make(chan error, 2)
	for who := range sizes {
		go func() {
			done <- func() error {
				for round := range exchanges {
					id := round % 10
					body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"who":%d,"pad":"%s"}}`, id, who, strings.Repeat("y", who*300+round%7))
					r, err := http.NewRequest("POST", g.url, strings.NewReader(body))
					if err != nil {
						return err
					}
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("X-Round", fmt.Sprint(round, id, who))
					resp, err := g.client.Do(r)
					if err != nil {
						return err
					}
					got, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					if n := strings.Count(string(got), "x"); err != nil || n != sizes[who] {
						return fmt.Errorf("client %d got %d bytes of answer: %w", who, n, err)
					}
				}
				return nil
			}()
		}()
	}
	for range sizes {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	logs := g.captures()
	if len(logs) != 1 {
		t.Fatalf("%d captures", len(logs))
	}
	calls := 0
	for _, ev := range logs[0] {
		switch b := ev.Body.(type) {
		case *journal.Call:
			calls++
			small, answeredSmall := b.RequestBytes < 300, b.ResponseBytes < 1000
			if b.Outcome != journal.OutcomeOK || small != answeredSmall {
				t.Fatalf("a request of %d bytes with an answer of %d: %v", b.RequestBytes, b.ResponseBytes, b.Outcome)
			}
		case *journal.End:
			if b.Orphans+b.Duplicates != 0 {
				t.Errorf("%d orphans, %d duplicates", b.Orphans, b.Duplicates)
			}
		case *journal.Gap:
			t.Error("a gap")
		}
	}
	if calls != 2*exchanges {
		t.Errorf("%d calls, want %d", calls, 2*exchanges)
	}
}
