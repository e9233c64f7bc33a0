package demo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/probes/demo"
)

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// talk is a client over pipes that writes and reads line by line.
type talk struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	done chan error
}

func newTalk(t *testing.T, o demo.Options) *talk {
	t.Helper()
	fromClient, to := io.Pipe()
	from, toClient := io.Pipe()
	k := &talk{t: t, to: to, from: bufio.NewReader(from), done: make(chan error, 1)}
	server := newServer(t, o)
	go func() {
		err := server.ServeStdio(context.Background(), fromClient, toClient)
		toClient.Close()
		fromClient.Close()
		k.done <- err
	}()
	return k
}

func (k *talk) say(message string) {
	k.t.Helper()
	if _, err := io.WriteString(k.to, strings.TrimSpace(message)+"\n"); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talk) hear(pattern string) string {
	k.t.Helper()
	got, err := k.from.ReadString('\n')
	if err != nil || !matches(pattern, got) {
		k.t.Fatalf("heard %v %.400s, want %s", err, got, pattern)
	}
	return got
}

// end closes the client's side and returns what else the server said.
func (k *talk) end() (string, error) {
	k.to.Close()
	rest, err := io.ReadAll(k.from)
	return string(rest), errors.Join(err, <-k.done)
}

const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`

func TestCancellation(t *testing.T) {
	for _, tt := range []struct {
		aspect string
		want   string // all that is said after the cancellation and a ping
		exits  bool
	}{
		{"", `^\{"jsonrpc":"2.0","id":6,"result":\{\}\}\n$`, false},
		{"cancel-ignored", `"id":5,.*"tide":"high"`, false},
		{"cancel-error", `"id":5,"error":\{"code":-32603`, false},
		{"cancel-exit", `^$`, true},
		{"cancel-hang", `^$`, false},
	} {
		t.Run(tt.aspect, func(t *testing.T) {
			begun, tide := make(chan bool, 2), make(chan time.Time)
			k := newTalk(t, demo.Options{Broken: tt.aspect, After: func(time.Duration) <-chan time.Time {
				begun <- true
				return tide
			}})
			k.say(toolCall("5", "wait_for_tide", `{"milliseconds":1000}`))
			<-begun
			said := make(chan string)
			go func() {
				rest, _ := io.ReadAll(k.from)
				said <- string(rest)
			}()
			k.say(cancel)
			// The server may have ended already, so that nothing can be written.
			_, _ = io.WriteString(k.to, rpc("6", "ping", ""))
			close(tide)
			k.to.Close()
			if got := <-said; !matches(tt.want, got) {
				t.Errorf("said %.400s, want %s", got, tt.want)
			}
			if err := <-k.done; errors.Is(err, demo.ErrExited) != tt.exits {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

const sampled = `"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Pack warm."}}}`

// What a server with sessions asks, and what becomes of the answers.
func TestAskingWithSessions(t *testing.T) {
	for _, tt := range []struct {
		name, aspect, tool, answer string
		asks                       int
		want                       string // the answer to the call; "" is none
	}{
		{"sampling", "", "summarize_note", sampled, 1, `"sampled":true,"summary":"Pack warm\."`},
		{"sampling refused", "", "summarize_note", `"error":{"code":-1,"message":"no"}}`, 1, `"sampled":false,"summary":"Packing list"`},
		{"sampling junk", "", "summarize_note", `"result":{}}`, 1, `"sampled":false`},
		{"sampling flood", "sampling-flood", "summarize_note", sampled, 20, `"sampled":true`},
		{"sampling stalled", "sampling-stalled", "summarize_note", sampled, 1, ``},
		{"elicitation", "", "plan_trip", `"result":{"action":"accept","content":{"days":9}}}`, 1, `"answer":"accept","city":"oslo","days":9`},
		{"elicitation out of range", "", "plan_trip", `"result":{"action":"accept","content":{"days":99}}}`, 1, `"days":3`},
		{"elicitation declined", "", "plan_trip", `"result":{"action":"decline"}}`, 1, `"answer":"decline"`},
		{"elicitation cancelled", "", "plan_trip", `"result":{"action":"cancel"}}`, 1, `"answer":"cancel"`},
		{"elicitation flood", "elicitation-flood", "plan_trip", `"result":{"action":"accept","content":{"days":9}}}`, 20, `"days":9`},
		{"elicitation stalled", "elicitation-stalled", "plan_trip", `"result":{"action":"decline"}}`, 1, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTalk(t, demo.Options{Broken: tt.aspect})
			k.say(rpc("0", "initialize", hello))
			k.hear(`"protocolVersion"`)
			if tt.tool == "plan_trip" {
				k.say(toolCall("1", tt.tool, `{"city":"oslo"}`))
			} else {
				k.say(toolCall("1", tt.tool, `{"id":"note-1"}`))
			}
			for range tt.asks {
				var asked struct{ ID json.RawMessage }
				if err := json.Unmarshal([]byte(k.hear(`"method":"(sampling/createMessage|elicitation/create)"`)), &asked); err != nil {
					t.Fatal(err)
				}
				k.say(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,` + tt.answer)
			}
			if tt.want != "" {
				k.hear(tt.want)
			}
			if rest, err := k.end(); err != nil || rest != "" {
				t.Errorf("then %v %.300s", err, rest)
			}
		})
	}
}

// What a server without sessions requires, and what becomes of the answers.
func TestAskingWithoutSessions(t *testing.T) {
	call := func(aspect, more string) string {
		t.Helper()
		got, err := play(t, demo.Options{Broken: aspect}, modern("1", "tools/call", `"name":"plan_trip","arguments":{"city":"oslo"}`+more))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	state := func(answer string) string {
		t.Helper()
		var m struct {
			Result struct{ RequestState string }
		}
		if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result.RequestState == "" {
			t.Fatalf("no state in %s", answer)
		}
		return m.Result.RequestState
	}
	first := call("", "")
	if !matches(`"input-1":\{"method":"elicitation/create".*"resultType":"input_required"`, first) {
		t.Fatalf("got %s", first)
	}
	given := `,"requestState":"` + state(first) + `"`
	for _, tt := range []struct{ name, more, want string }{
		{"accepted", given + `,"inputResponses":{"input-1":{"action":"accept","content":{"days":7}}}`, `"resultType":"complete".*"days":7`},
		{"declined", given + `,"inputResponses":{"input-1":{"action":"decline"},"other":{}}`, `"answer":"decline"`},
		{"no answer", given, `"resultType":"input_required"`},
		{"junk", given + `,"inputResponses":{"input-1":{"days":7}}`, `"resultType":"input_required"`},
		{"tampered", `,"requestState":"1.0000","inputResponses":{"input-1":{"action":"decline"}}`, `-32602`},
		{"no text", `,"requestState":7`, `-32602`},
		{"no state", `,"inputResponses":{"input-1":{"action":"decline"}}`, `"resultType":"input_required"`},
	} {
		if got := call("", tt.more); !matches(tt.want, got) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	answer, rounds := call("elicitation-flood", ""), 0
	for ; strings.Contains(answer, "input_required"); rounds++ {
		key := regexp.MustCompile(`input-\d+`).FindString(answer)
		answer = call("elicitation-flood", `,"requestState":"`+state(answer)+`","inputResponses":{"`+key+`":{"action":"decline"}}`)
	}
	if rounds != 20 || !matches(`"answer":"decline"`, answer) {
		t.Errorf("%d rounds, then %s", rounds, answer)
	}
	stalled := call("elicitation-stalled", given+`,"inputResponses":{"input-1":{"action":"decline"}}`)
	if stalled != "" {
		t.Errorf("answered %s", stalled)
	}
}

// A subscription over stdio in 2026-07-28: an acknowledgement first, then
// updates, each with the ID of the request, until it is cancelled.
func TestListen(t *testing.T) {
	k := newTalk(t, demo.Options{})
	k.say(modern("5", "subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://stations/oslo","demo://none"]}`))
	k.hear(`"method":"notifications/subscriptions/acknowledged".*subscriptionId":5.*"notifications":\{"resourceSubscriptions":\["demo://stations/oslo"\]\}`)
	k.say(modern("6", "tools/call", `"name":"refresh_station","arguments":{"city":"oslo"}`))
	both := k.hear(`.`) + k.hear(`.`)
	if !matches(`"method":"notifications/resources/updated".*subscriptionId":5.*"uri":"demo://stations/oslo"`, both) || !matches(`"id":6`, both) {
		t.Errorf("heard %s", both)
	}
	k.say(cancel)
	k.say(modern("7", "tools/call", `"name":"refresh_station","arguments":{"city":"tokyo"}`))
	k.hear(`"id":7`)
	if rest, err := k.end(); err != nil || rest != "" {
		t.Errorf("then %v %s", err, rest)
	}
}
