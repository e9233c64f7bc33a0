package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

func (p *player) on(channel, exchange uint64, d journal.Direction, line string) recorder.Read {
	p.now = p.now.Add(time.Millisecond)
	r := recorder.Read{Channel: channel, Exchange: exchange, Direction: d, At: p.now}
	p.scan.Feed([]byte(line+"\n"), func(f *wire.Frame) { p.c.Frame(r, f) })
	return r
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
func pong(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }
func cancel(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func wantCalls(t *testing.T, s *memorySink, want map[string]int) {
	t.Helper()
	for outcome, n := range want {
		if s.calls[outcome] != n {
			t.Errorf("%d calls are %s, want %d", s.calls[outcome], outcome, n)
		}
	}
	total := 0
	for _, n := range want {
		total += n
	}
	if s.types["call"] != total {
		t.Errorf("%d calls, want %d", s.types["call"], total)
	}
}

func (s *memorySink) last() string { return string(s.lines[len(s.lines)-1]) }

func wantInEnd(t *testing.T, s *memorySink, members ...string) {
	t.Helper()
	for _, m := range members {
		if !strings.Contains(s.last(), m) {
			t.Errorf("no %s in the end event: %s", m, s.last())
		}
	}
}

func TestChannelsDoNotMix(t *testing.T) {
	p := newPlayer(t)
	p.on(1, 1, journal.Outbound, ping(1))
	p.on(2, 2, journal.Outbound, ping(1))
	p.on(2, 2, journal.Inbound, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`)
	p.on(3, 3, journal.Inbound, pong(1))
	p.on(1, 1, journal.Inbound, pong(1))
	p.c.End(p.now, recorder.NoExit)
	wantCalls(t, p.sink, map[string]int{"ok": 1, "error": 1})
	wantInEnd(t, p.sink, `"orphans":1`, `"duplicates":0`)
}

func TestExchangesAndChannelsThatEnd(t *testing.T) {
	p := newPlayer(t)
	r := p.on(1, 10, journal.Outbound, ping(1))
	p.on(1, 11, journal.Outbound, ping(2))
	p.on(1, 12, journal.Outbound, ping(3))
	p.on(1, 13, journal.Outbound, ping(4))
	p.on(1, 14, journal.Outbound, ping(5))
	p.on(1, 14, journal.Outbound, cancel(5))
	p.on(2, 15, journal.Outbound, ping(1))
	p.c.CloseExchange(r, recorder.Lost)
	r.Exchange = 11
	p.c.CloseExchange(r, recorder.Withdrawn)
	r.Exchange = 12
	p.c.CloseExchange(r, recorder.Unread)
	r.Exchange, r.At = 13, p.now
	p.c.FailExchange(r, 503, 7)
	if got := p.sink.last(); !strings.Contains(got, `"response_bytes":7,"outcome":"error","error":{"code":"http-503","layer":"transport"}`) {
		t.Errorf("a failed exchange is %s", got)
	}
	wantCalls(t, p.sink, map[string]int{"unanswered": 1, "cancelled": 1, "unknown": 1, "error": 1})
	p.c.CloseChannel(1, p.now, recorder.Lost)
	wantCalls(t, p.sink, map[string]int{"unanswered": 1, "cancelled": 2, "unknown": 1, "error": 1})
	p.c.End(p.now, recorder.NoExit)
	wantCalls(t, p.sink, map[string]int{"unanswered": 2, "cancelled": 2, "unknown": 1, "error": 1})
	if strings.Contains(p.sink.last(), "exit_code") {
		t.Error("there was no process, but an exit code")
	}
}

func TestWaitingRequestsAreBounded(t *testing.T) {
	const bound, more = 65_536, 10
	p := newPlayer(t)
	for i := range bound + more {
		p.on(0, 0, journal.Outbound, ping(i))
	}
	wantCalls(t, p.sink, map[string]int{"unknown": more})
	p.on(0, 0, journal.Inbound, pong(0)) // evicted
	p.on(0, 0, journal.Inbound, pong(more))
	p.c.End(p.now, recorder.Exit{})
	wantCalls(t, p.sink, map[string]int{"unknown": more, "ok": 1, "unanswered": bound - 1})
	wantInEnd(t, p.sink, `"orphans":1`)
}

func TestHundredThousandCalls(t *testing.T) {
	const n = 100_000
	p := newPlayer(t)
	for i := range n {
		p.on(0, 0, journal.Outbound, ping(i))
		p.on(0, 0, journal.Inbound, pong(i))
		p.c.Tick(p.now)
	}
	p.c.End(p.now, recorder.Exit{})
	wantCalls(t, p.sink, map[string]int{"ok": n})
	wantInEnd(t, p.sink, `"orphans":0`, `"duplicates":0`, `"outbound_frames":100000`)
}

// Answered ids are remembered for a while: a second response is a duplicate,
// one long after is an orphan.
func TestAnsweredIDsAreForgotten(t *testing.T) {
	p := newPlayer(t)
	for i := range 5_000 {
		p.on(0, 0, journal.Outbound, ping(i))
		p.on(0, 0, journal.Inbound, pong(i))
	}
	p.on(0, 0, journal.Inbound, pong(4_999))
	p.on(0, 0, journal.Inbound, pong(0))
	p.c.End(p.now, recorder.Exit{})
	wantInEnd(t, p.sink, `"orphans":1`, `"duplicates":1`)
}

func TestLargeFrames(t *testing.T) {
	for _, size := range []int{65_535, 65_536, 65_537, 1<<20 + 1, 20 << 20} {
		p := newPlayer(t)
		p.on(0, 0, journal.Outbound, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"s":"`+strings.Repeat("a", size)+`"}}}`)
		p.on(0, 0, journal.Inbound, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+strings.Repeat("a", size)+`"}],"isError":true}}`)
		wantCalls(t, p.sink, map[string]int{"error": 1})
		if got, want := strings.Contains(p.sink.last(), `"truncated":true`), size > 16<<20; got != want {
			t.Errorf("%d bytes: truncated is %v", size, got)
		}
	}
}

func TestCatalogIsLearnedAndReplaced(t *testing.T) {
	call := func(id int, tool, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
	}
	list := func(id int, cursor string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, id, cursor)
	}
	tools := func(id int, name string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":%q,"inputSchema":{"type":"object","properties":{"mode":{"type":"string","enum":["fast","slow"]}}}}],"nextCursor":"x"}}`, id, name)
	}
	p := newPlayer(t)
	shape := func(id int, tool string) bool {
		p.on(0, 0, journal.Outbound, call(id, tool, `{"mode":"fast"}`))
		p.on(0, 0, journal.Inbound, pong(id))
		return strings.Contains(p.sink.last(), `"enum:fast"`)
	}
	page := func(id int, cursor, name string) {
		p.on(0, 0, journal.Outbound, list(id, cursor))
		p.on(0, 0, journal.Inbound, tools(id, name))
	}
	if shape(1, "a:one") {
		t.Error("a schema is known before any list")
	}
	if !strings.Contains(p.sink.last(), `"tool":"unlisted"`) {
		t.Error("the name of an undeclared tool passed")
	}
	page(2, "", "a:one")
	page(3, `"cursor":"x"`, "b:two")
	if !shape(4, "a:one") || !shape(5, "b:two") {
		t.Error("not all pages were learned")
	}
	page(6, `"cursor":null`, "a:one")
	page(7, "", "a:one")
	if !shape(8, "a:one") || shape(9, "b:two") {
		t.Error("a later list did not replace the earlier")
	}
}

// A sink's error ends the recording but for lines that are too long, which are
// lost alone.
func TestSinkErrors(t *testing.T) {
	p := newPlayer(t)
	p.sink.err = journal.ErrTooLong
	p.on(0, 0, journal.Outbound, ping(1))
	p.on(0, 0, journal.Inbound, pong(1))
	p.sink.err = nil
	p.on(0, 0, journal.Outbound, ping(2))
	p.on(0, 0, journal.Inbound, pong(2))
	wantCalls(t, p.sink, map[string]int{"ok": 1})
	if err := p.c.Err(); err != nil {
		t.Errorf("a line too long gave %v", err)
	}
	full := errors.New("no space")
	p.sink.err = full
	p.on(0, 0, journal.Outbound, ping(3))
	p.on(0, 0, journal.Inbound, pong(3))
	p.sink.err = nil
	p.on(0, 0, journal.Outbound, ping(4))
	p.c.End(p.now, recorder.Exit{})
	wantCalls(t, p.sink, map[string]int{"ok": 1})
	if err := p.c.Err(); !errors.Is(err, full) {
		t.Errorf("the error is %v, want the sink's", err)
	}
}

// Canaries for positions of which nothing may be stored. The credential stands
// in names that are stored too, where the screen has to catch it.
const (
	canaryWord       = "quarterly_merger_7"
	canaryCredential = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
)

// TestEveryRequestIsOneCall plays random traffic, canaries in every position.
func TestEveryRequestIsOneCall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sink := newMemorySink()
		c := recorder.NewCorrelator(sink, sanitize.New(sanitize.Salt{2}))
		scan := wire.NewScanner(nil)
		now, requests := epoch, 0
		id := rapid.SampledFrom([]string{"0", "1", "1.0", `"1"`, "2", `"` + canaryWord + `"`, "9007199254740993", `"` + strings.Repeat(canaryWord, 9) + `"`})
		secret := rapid.SampledFrom([]string{canaryWord, canaryCredential})
		ops := rapid.SampledFrom([]string{"request", "request", "request", "response", "response", "response", "cancel", "progress", "note", "noise", "batch", "tick", "gone", "gap", "close"})
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(rt, "ms")) * time.Millisecond)
			r := recorder.Read{
				Channel:   uint64(rapid.IntRange(0, 1).Draw(rt, "channel")),
				Direction: rapid.SampledFrom([]journal.Direction{journal.Outbound, journal.Inbound}).Draw(rt, "direction"),
				At:        now,
			}
			s := secret.Draw(rt, "secret")
			request := func() string {
				requests++
				method := rapid.SampledFrom([]string{"tools/call", "tools/list", "ping", "initialize", "server/discover", "subscriptions/listen", "prompts/get", s}).Draw(rt, "method")
				retry := rapid.SampledFrom([]string{"", `,"requestState":"` + s + `"`, `,"inputResponses":{"` + s + `":1}`}).Draw(rt, "retry")
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"name":%q,"uri":%q,"cursor":%q,"protocolVersion":%q,"capabilities":{%q:{}},"arguments":{"a":%q,%q:1,"n":{%q:%q}},"_meta":{"progressToken":%q,"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{%q:1}}%s}}`,
					id.Draw(rt, "id"), method, canaryCredential, s, s, s, s, s, canaryCredential, s, s, s, s, s, retry)
			}
			response := func() string {
				members := rapid.SampledFrom([]string{
					`"result":{"content":[{"type":"text","text":"` + s + `"}],"isError":true,"structuredContent":{"kind":"` + s + `","layer":"` + s + `","retryable":"` + s + `","code":"` + s + `"}}`,
					`"result":{"tools":[{"name":"` + canaryCredential + `","description":"` + s + `","inputSchema":{"type":"object","properties":{"` + canaryCredential + `":{"enum":["` + canaryCredential + `"]}}}}],"nextCursor":"` + s + `"}`,
					`"result":{"resultType":"input_required","requestState":"` + s + `","inputRequests":{"` + s + `":{}}}`,
					`"result":{"resultType":"` + s + `"}`, `"result":{"isError":"` + s + `"}`, `"result":"` + s + `"`,
					`"result":{"protocolVersion":"` + s + `","capabilities":{"` + s + `":{}},"supportedVersions":["` + s + `","2026-07-28"]}`,
					`"error":{"code":"` + canaryCredential + `","message":"` + s + `","data":{"` + s + `":"` + s + `"}}`,
					`"error":{"code":-32800,"message":"` + s + `"}`, `"error":"` + s + `"`,
					`"result":{},"error":{"message":"` + s + `"}`, `"` + s + `":1`,
				}).Draw(rt, "members")
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id.Draw(rt, "id"), members)
			}
			line := ""
			switch ops.Draw(rt, "op") {
			case "request":
				line = request()
			case "response":
				line = response()
			case "batch":
				line = "[" + request() + "," + response() + "," + request() + `,"` + s + `"]`
			case "cancel":
				line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id.Draw(rt, "id"), s)
			case "progress":
				line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"message":%q}}`, s, s)
			case "note":
				line = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%q:%q}}`, "notifications/"+s, s, s)
			case "noise":
				line = s
			case "tick":
				c.Tick(now)
			case "gone":
				c.ClientGone(now)
			case "gap":
				c.Gap(now, journal.Traffic{Frames: 1, Bytes: 2}, journal.Traffic{})
			case "close":
				c.CloseChannel(1, now, recorder.Lost)
			}
			if line != "" {
				scan.Feed([]byte(line+"\n"), func(f *wire.Frame) { c.Frame(r, f) })
			}
		}
		c.End(now, recorder.Exit{})

		if got := sink.types["call"]; got != requests {
			rt.Errorf("%d calls for %d requests", got, requests)
		}
		replaced := make(map[string]bool)
		for _, line := range sink.lines {
			if bytes.Contains(line, []byte(canaryWord)) || bytes.Contains(line, []byte(canaryCredential)) {
				rt.Errorf("a canary is in %s", line)
			}
			if _, rest, ok := bytes.Cut(line, []byte(`"pending":"`)); ok {
				replaced[string(rest[:36])] = true
			}
			ev := journal.Event{}
			if err := decode(line, &ev); err != nil {
				rt.Errorf("not a canonical event: %v", err)
			}
		}
		if len(replaced) != sink.types["pending"] {
			rt.Errorf("%d of %d pending events are named by a call", len(replaced), sink.types["pending"])
		}
	})
}

// decode completes a line of a memorySink, which has no capture, session and
// server, and decodes it.
func decode(line []byte, ev *journal.Event) error {
	s := strings.Replace(string(line), uuid.Nil.String(), "f47ac10b-58cc-4372-a567-0e02b2c3d479", 1)
	s = strings.Replace(s, `"seq":1,`, `"seq":2,`, 1) // 1 is a capture event's
	s = strings.Replace(s, `"session":"","server":""`, `"session":"session:`+strings.Repeat("0", 64)+`","server":"x"`, 1)
	return journal.NewDecoder().Decode(journal.FileCapture, []byte(s), ev)
}
