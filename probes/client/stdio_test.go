package client_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
)

func dial(t testing.TB, target client.Target, o *client.Options) *client.Conn {
	t.Helper()
	c, err := client.Dial(context.Background(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// faultOf is the fault in err, which must have one that quotes nothing.
func faultOf(t testing.TB, err error) *client.Fault {
	t.Helper()
	var f *client.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v is no fault", err)
	}
	if strings.Contains(err.Error(), "CANARY") {
		t.Errorf("the fault quotes traffic: %v", err)
	}
	return f
}

func TestNegotiation(t *testing.T) {
	tests := []struct {
		mode, protocol string
		revision       string
		lifecycle      client.Lifecycle
		spawns         int
		notes          []client.Note
		requests       int
	}{
		{"plain", "", "2025-11-25", client.Stateful, 1, nil, 2},
		{"modern", "", "2026-07-28", client.Stateless, 1, nil, 1},
		{"modern", "2026-07-28", "2026-07-28", client.Stateless, 1, nil, 1},
		{"plain", "2025-11-25", "2025-11-25", client.Stateful, 1, nil, 1},
		{"plain", "2025-06-18", "2025-11-25", client.Stateful, 1, []client.Note{client.NoteOlderRevision}, 1},
		{"newest-2024", "", "2024-11-05", client.Stateful, 1, []client.Note{client.NoteOlderRevision}, 2},
		{"exits-on-discover", "", "2025-11-25", client.Stateful, 2, []client.Note{client.NoteRespawnedExit}, 2},
		{"modern-older", "", "2025-06-18", client.Stateful, 2, []client.Note{client.NoteFreshForLegacy}, 2},
		{"unsupported", "", "2025-06-18", client.Stateful, 2, []client.Note{client.NoteFreshForLegacy}, 2},
		{"wrong-discover-id", "", "2025-11-25", client.Stateful, 1, []client.Note{client.NoteDiscoverWrongID}, 2},
		{"picky", "2025-11-25", "2025-03-26", client.Stateful, 1, nil, 2},
		{"banner", "", "2025-11-25", client.Stateful, 1, nil, 2},
		{"loud-stderr", "", "2025-11-25", client.Stateful, 1, nil, 2},
	}
	for _, tt := range tests {
		t.Run(tt.mode+" "+tt.protocol, func(t *testing.T) {
			t.Parallel()
			budget := client.NewBudget(nil)
			c := dial(t, target(t, tt.mode), &client.Options{Protocol: tt.protocol, Budget: budget})
			f := c.Facts()
			if f.Revision != tt.revision || f.Lifecycle != tt.lifecycle || f.Spawns != tt.spawns {
				t.Errorf("revision %s, lifecycle %d, %d spawns", f.Revision, f.Lifecycle, f.Spawns)
			}
			if diff := cmp.Diff(tt.notes, f.Notes); diff != "" {
				t.Errorf("notes:\n%s", diff)
			}
			if budget.Used() != tt.requests {
				t.Errorf("the handshake took %d requests, want %d", budget.Used(), tt.requests)
			}
			r, err := c.Call(context.Background(), "tools/call", []byte("{\"name\":\"t\",\n \"arguments\":{\"s\":\"a b\\n\"}}"))
			if err != nil {
				t.Fatal(err)
			}
			params, _ := r.Result.Get("params")
			arguments, _ := params.Get("arguments")
			if string(arguments.Raw()) != `{"s":"a b\n"}` || !r.ExactID || r.Rounds != 1 {
				t.Errorf("answer %s, exact %v, %d rounds", r.Result.Raw(), r.ExactID, r.Rounds)
			}
			meta, hasMeta := params.Get("_meta")
			if hasMeta != (tt.lifecycle == client.Stateless) {
				t.Errorf("_meta %s", meta.Raw())
			}
		})
	}
}

func TestHangsOnDiscover(t *testing.T) {
	clock := newClock()
	type dialed struct {
		c   *client.Conn
		err error
	}
	got := make(chan dialed)
	go func() {
		c, err := client.Dial(context.Background(), target(t, "hangs-on-discover"), &client.Options{Clock: clock, StartupTimeout: 61 * time.Second})
		got <- dialed{c, err}
	}()
	clock.fire(t, 61*time.Second)
	d := <-got
	if d.err != nil {
		t.Fatal(d.err)
	}
	defer d.c.Close()
	f := d.c.Facts()
	if f.Spawns != 2 || !slices.Contains(f.Notes, client.NoteRespawnedSilent) || f.Revision != "2025-11-25" {
		t.Errorf("%d spawns, notes %v", f.Spawns, f.Notes)
	}
}

func TestNotStarted(t *testing.T) {
	tests := []struct {
		name     string
		target   client.Target
		protocol string
		want     client.Detail
		exit     int
	}{
		{"not found", client.Target{Command: []string{"mcpeval-no-such-command"}}, "", client.CommandFailed, -1},
		{"exits", target(t, "exits"), "", client.ServerExited, 3},
		{"echoes an unknown version", target(t, "echoes"), "", client.NoCommonRevision, -1},
		{"lists unknown versions only", target(t, "modern-unknown"), "", client.NoCommonRevision, -1},
		{"refuses initialize", target(t, "refuses"), "", client.HandshakeRefused, -1},
		{"legacy server pinned to the newest", target(t, "plain"), "2026-07-28", client.DiscoverRefused, -1},
		{"no such revision", target(t, "plain"), "1999-01-01", client.NoCommonRevision, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := client.Dial(context.Background(), tt.target, &client.Options{Protocol: tt.protocol})
			f := faultOf(t, err)
			if f.Kind != client.ServerNotStarted || f.Detail != tt.want {
				t.Errorf("fault %v", f)
			}
			if tt.exit >= 0 && (f.Exit == nil || f.Exit.Code != tt.exit || f.StderrBytes == 0) {
				t.Errorf("exit %v, %d bytes on stderr", f.Exit, f.StderrBytes)
			}
		})
	}
}

func TestSilentServerIsOneRootCause(t *testing.T) {
	clock := newClock()
	got := make(chan error)
	go func() {
		_, err := client.Dial(context.Background(), target(t, "silent"), &client.Options{Clock: clock})
		got <- err
	}()
	clock.fire(t, client.DefaultStartupTimeout)
	clock.fire(t, client.DefaultStartupTimeout)
	if f := faultOf(t, <-got); f.Kind != client.ServerNotStarted || f.Detail != client.SilentStart {
		t.Errorf("fault %v", f)
	}
}

// TestCalls makes one call of servers that are odd in one way.
func TestCalls(t *testing.T) {
	tests := []struct {
		mode   string
		kind   client.FaultKind // "" for an answer
		detail client.Detail
		check  func(*testing.T, *client.Response, client.Counts)
	}{
		{"exits-mid-call", client.TransportClosed, client.ServerExited, nil},
		{"exits-after-answer", "", "", nil},
		{"crlf", "", "", func(t *testing.T, _ *client.Response, n client.Counts) {
			if n.CRLF != 1 {
				t.Errorf("%d lines with CR", n.CRLF)
			}
		}},
		{"banner", "", "", func(t *testing.T, _ *client.Response, n client.Counts) {
			if n.BannerLines != 3 || n.OtherJSON != 1 || n.BlankLines != 2 || n.ByteOrderMark != 1 {
				t.Errorf("counts %+v", n)
			}
		}},
		{"stray", "", "", func(t *testing.T, _ *client.Response, n client.Counts) {
			if n.Orphans != 1 {
				t.Errorf("%d orphans", n.Orphans)
			}
		}},
		{"id-as-float", "", "", func(t *testing.T, r *client.Response, n client.Counts) {
			if r.ExactID || n.InexactIDs != 1 {
				t.Errorf("exact %v, %d inexact", r.ExactID, n.InexactIDs)
			}
		}},
		{"batch", "", "", func(t *testing.T, _ *client.Response, n client.Counts) {
			if n.Batches != 1 {
				t.Errorf("%d batches", n.Batches)
			}
		}},
		{"case-variants", "", "", func(t *testing.T, r *client.Response, _ client.Counts) {
			if string(r.Result.Raw()) != `{"good":1}` {
				t.Errorf("result %s", r.Result.Raw())
			}
		}},
		{"neither", client.TransportError, client.MalformedAnswer, nil},
		{"both", client.TransportError, client.MalformedAnswer, nil},
		{"error-text", client.TransportError, client.MalformedAnswer, nil},
		{"error-code-text", client.TransportError, client.MalformedAnswer, nil},
		{"no-jsonrpc", client.TransportError, client.MalformedAnswer, nil},
		{"latin-1", client.TransportError, client.InvalidUTF8, nil},
		{"asks-forever", client.TransportError, client.RequestFlood, func(t *testing.T, _ *client.Response, n client.Counts) {
			if n.Declined != client.MaxServerRequests {
				t.Errorf("%d declined", n.Declined)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c := dial(t, target(t, tt.mode), nil)
			r, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"t"}`))
			switch {
			case tt.kind == "" && err != nil:
				t.Fatal(err)
			case tt.kind != "":
				if f := faultOf(t, err); f.Kind != tt.kind || f.Detail != tt.detail {
					t.Fatalf("fault %v", f)
				}
			}
			if tt.check != nil {
				tt.check(t, r, c.Counts())
			}
		})
	}
}

func TestDuplicateAndLateAnswers(t *testing.T) {
	c := dial(t, target(t, "twice"), nil)
	for range 2 {
		if _, err := c.Call(context.Background(), "tools/call", nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Counts().Duplicates; n != 1 && n != 2 { // the last one may come after this
		t.Errorf("%d duplicates", n)
	}

	clock := newClock()
	late := dial(t, target(t, "late"), &client.Options{Clock: clock, Timeout: 17 * time.Second})
	p := late.Start(context.Background(), client.Request{Method: "tools/call"})
	clock.fire(t, 17*time.Second)
	<-p.Done()
	if _, err := p.Result(); client.KindOf(err) != client.TransportTimeout {
		t.Errorf("error %v", err)
	}
	if _, err := late.Call(context.Background(), "tools/call", nil); err != nil {
		t.Fatal(err)
	}
	if n := late.Counts().Late; n != 1 {
		t.Errorf("%d late answers", n)
	}
}

// TestWrongIDs waits for the timeout: a right answer could still come.
func TestWrongIDs(t *testing.T) {
	for _, mode := range []string{"id-as-text", "id-null"} {
		t.Run(mode, func(t *testing.T) {
			clock := newClock()
			c := dial(t, target(t, mode), &client.Options{Clock: clock, Timeout: 17 * time.Second})
			p := c.Start(context.Background(), client.Request{Method: "tools/call"})
			<-p.Sent()
			// Frames are taken in the order they come: when the second answer was
			// taken, so was the first.
			seen := make(chan struct{})
			q := c.Start(context.Background(), client.Request{Method: "tools/call", Timeout: 18 * time.Second})
			<-q.Sent()
			go func() {
				defer close(seen)
				for c.Counts().Orphans < 2 {
					runtime.Gosched()
				}
			}()
			<-seen
			clock.fire(t, 17*time.Second)
			clock.fire(t, 18*time.Second)
			<-p.Done()
			<-q.Done()
			_, err := p.Result()
			if f := faultOf(t, err); f.Kind != client.TransportError || f.Detail != client.MismatchedID {
				t.Errorf("fault %v", f)
			}
		})
	}
}

func TestLineSizes(t *testing.T) {
	c := dial(t, target(t, "size"), nil)
	for _, n := range []int{65535, 65536, 65537, 1<<20 + 1, client.MaxLine} {
		r, err := c.Call(context.Background(), "tools/call", fmt.Appendf(nil, `{"n":%d}`, n))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if r.Bytes != n {
			t.Errorf("%d bytes came as %d", n, r.Bytes)
		}
	}
	_, err := c.Call(context.Background(), "tools/call", fmt.Appendf(nil, `{"n":%d}`, client.MaxLine+1))
	if f := faultOf(t, err); f.Kind != client.TransportError || f.Detail != client.TooLarge {
		t.Errorf("fault %v", f)
	}
}

func TestServerRequests(t *testing.T) {
	var asked []string
	o := &client.Options{
		Sampling: func(params rawjson.Value) []byte {
			asked = append(asked, string(params.Raw()))
			return []byte(`{"role":"assistant"}`)
		},
		Elicitation: func(rawjson.Value) []byte { return nil },
	}
	want := map[bool][]string{
		true: {`{"jsonrpc":"2.0","id":0,"result":{"role":"assistant"}}`, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`,
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}`},
		false: {`{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"Sampling was declined"}}`, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`,
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}`},
	}
	for declared, answers := range want {
		options := &client.Options{}
		if declared {
			options = o
		}
		c := dial(t, target(t, "asks"), options)
		r, err := c.Call(context.Background(), "tools/call", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		list, _ := r.Result.Get("answers")
		for e := range list.Elements() {
			got = append(got, string(e.Raw()))
		}
		if diff := cmp.Diff(answers, got); diff != "" {
			t.Errorf("declared %v:\n%s", declared, diff)
		}
		if r.Asked != 5 {
			t.Errorf("asked %d times", r.Asked)
		}
	}
	if diff := cmp.Diff([]string{`{"n":0}`}, asked); diff != "" {
		t.Errorf("the handler saw:\n%s", diff)
	}
}

func TestMultiRoundTrip(t *testing.T) {
	for _, answer := range []string{"", `{"action":"accept","content":{"n":"x"}}`} {
		o := &client.Options{}
		want := `{"action":"decline"}`
		if answer != "" {
			o.Elicitation = func(rawjson.Value) []byte { return []byte(answer) }
			want = answer
		}
		budget := client.NewBudget(nil)
		o.Budget = budget
		c := dial(t, target(t, "modern-input"), o)
		before := budget.Used()
		r, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"t","arguments":{"a":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		if r.Rounds != 2 || r.Asked != 1 || budget.Used() != before+2 {
			t.Errorf("%d rounds, asked %d, %d requests", r.Rounds, r.Asked, budget.Used()-before)
		}
		params, _ := r.Result.Get("params")
		inputs, _ := params.Get("inputResponses")
		who, _ := inputs.Get("who")
		state, _ := params.Get("requestState")
		text, _ := state.Text()
		arguments, _ := params.Get("arguments")
		if string(who.Raw()) != want || text != "st\u00e9" || string(arguments.Raw()) != `{"a":1}` {
			t.Errorf("retry %s", params.Raw())
		}
	}
}

func TestStatelessServerMustNotAsk(t *testing.T) {
	c := dial(t, target(t, "modern-asks"), nil)
	if _, err := c.Call(context.Background(), "tools/call", nil); err != nil {
		t.Fatal(err)
	}
	if n := c.Counts(); n.Unanswered != 1 || !slices.Contains(c.Facts().Notes, client.NoteStatelessRequest) {
		t.Errorf("counts %+v, notes %v", n, c.Facts().Notes)
	}
}

func TestCancel(t *testing.T) {
	saw := make(chan string, 10)
	c := dial(t, target(t, "hangs"), &client.Options{OnNotification: func(_ string, params rawjson.Value) { saw <- string(params.Raw()) }})
	<-saw // notifications/initialized
	p := c.Start(context.Background(), client.Request{Method: "tools/call"})
	<-p.Sent()
	if err := p.Cancel(context.Background(), "no_longer_needed"); err != nil {
		t.Fatal(err)
	}
	if got := <-saw; got != `{"saw":"notifications/cancelled","id":3}` {
		t.Errorf("the server saw %s", got)
	}
	select {
	case <-p.Done():
		t.Error("the call ended with its cancellation")
	default:
	}
	if _, err := c.Call(context.Background(), "ping", nil); err != nil {
		t.Errorf("ping after cancellation: %v", err)
	}
	c.Close()
	<-p.Done()
	if _, err := p.Result(); client.KindOf(err) != client.TransportClosed {
		t.Errorf("error %v", err)
	}
	if _, err := c.Call(context.Background(), "ping", nil); client.KindOf(err) != client.TransportClosed {
		t.Errorf("call after close: %v", err)
	}
}

func TestTimeoutCancelsAndNeverReusesTheID(t *testing.T) {
	clock := newClock()
	saw := make(chan string, 10)
	c := dial(t, target(t, "hangs"), &client.Options{Clock: clock, OnNotification: func(_ string, params rawjson.Value) { saw <- string(params.Raw()) }})
	<-saw
	p := c.Start(context.Background(), client.Request{Method: "tools/call", Timeout: 19 * time.Second})
	<-p.Sent()
	clock.fire(t, 19*time.Second)
	<-p.Done()
	if _, err := p.Result(); client.KindOf(err) != client.TransportTimeout {
		t.Errorf("error %v", err)
	}
	if got := <-saw; got != `{"saw":"notifications/cancelled","id":3}` {
		t.Errorf("the server saw %s", got)
	}
	if _, err := c.Call(context.Background(), "ping", nil); err != nil {
		t.Error(err)
	}
}

func TestShutdownLadder(t *testing.T) {
	t.Run("end of stdin", func(t *testing.T) {
		c := dial(t, target(t, "plain"), &client.Options{Clock: newClock()}) // no timer goes off
		c.Close()
	})
	t.Run("TERM", func(t *testing.T) {
		clock := newClock()
		c := dial(t, target(t, "ignores-eof-politely"), &client.Options{Clock: clock, Grace: 6 * time.Second})
		done := make(chan struct{})
		go func() { c.Close(); close(done) }()
		clock.fire(t, 6*time.Second)
		<-done
		if notes := c.Facts().Notes; !slices.Contains(notes, client.NoteNeededTerm) {
			t.Errorf("notes %v", notes)
		}
	})
	t.Run("KILL", func(t *testing.T) {
		clock := newClock()
		c := dial(t, target(t, "ignores-eof"), &client.Options{Clock: clock, Grace: 6 * time.Second})
		done := make(chan struct{})
		go func() { c.Close(); close(done) }()
		clock.fire(t, 6*time.Second)
		clock.fire(t, 6*time.Second)
		<-done
		if notes := c.Facts().Notes; !slices.Contains(notes, client.NoteNeededKill) {
			t.Errorf("notes %v", notes)
		}
	})
}

func TestTap(t *testing.T) {
	var mu sync.Mutex
	var got []string
	c := dial(t, target(t, "plain"), &client.Options{Protocol: "2025-11-25", Tap: func(dir journal.Direction, frame []byte, at time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if at.IsZero() || strings.ContainsAny(string(frame), "\r\n") {
			t.Errorf("frame %q at %v", frame, at)
		}
		got = append(got, dir.String())
	}})
	if _, err := c.Call(context.Background(), "tools/call", nil); err != nil {
		t.Fatal(err)
	}
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(got)
	want := []string{"inbound", "inbound", "inbound", "outbound", "outbound", "outbound"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeclares(t *testing.T) {
	f := dial(t, target(t, "plain"), nil).Facts()
	for path, want := range map[string]bool{
		"tools": true, "resources": true, "resources subscribe": true, "resources listChanged": false,
		"prompts listChanged": false, "completions": false,
	} {
		if got := f.Declares(strings.Fields(path)...); got != want {
			t.Errorf("declares %s: %v", path, got)
		}
	}
}

func TestListen(t *testing.T) {
	saw := make(chan string, 10)
	c := dial(t, target(t, "modern"), &client.Options{OnNotification: func(method string, _ rawjson.Value) { saw <- method }})
	l, err := c.Listen(context.Background(), []byte(`{"toolsListChanged":true}`))
	if err != nil || !l.Open {
		t.Fatal(err, l)
	}
	if got := <-saw; got != "notifications/subscriptions/acknowledged" {
		t.Errorf("saw %s", got)
	}
	if _, err := c.Call(context.Background(), "tools/call", nil); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	stateful := dial(t, target(t, "plain"), nil)
	if l, err := stateful.Listen(context.Background(), nil); err != nil || l.Open {
		t.Errorf("over stdio: %v", err)
	}
}

func TestPages(t *testing.T) {
	tests := []struct {
		kind         string
		tools, pages int
		problem      client.PageProblem
		page         int
	}{
		{"null", 1, 1, "", 0},
		{"empty", 1, 1, "", 0},
		{"number", 0, 0, client.CursorInvalid, 1},
		{"same", 2, 2, client.CursorRepeated, 2},
		{"twenty", 20, 20, "", 0},
		{"endless", 20, 20, client.MorePagesFollow, 20},
		{"second-fails", 1, 1, client.PageRefused, 2},
		{"no-list", 0, 0, client.PageInvalid, 1},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			c := dial(t, target(t, "pages", "PAGES="+tt.kind), nil)
			tools, pages, err := c.ListTools(context.Background())
			if len(tools) != tt.tools || pages != tt.pages {
				t.Errorf("%d tools on %d pages", len(tools), pages)
			}
			var e *client.PageError
			if tt.problem == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &e) || e.Problem != tt.problem || e.Page != tt.page {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	clock := newClock()
	budget := client.NewBudget(clock)
	c := dial(t, target(t, "plain"), &client.Options{Protocol: "2025-11-25", Budget: budget, Clock: clock})
	other := dial(t, target(t, "plain"), &client.Options{Protocol: "2025-11-25", Budget: budget, Clock: clock})
	if budget.Used() != 2 {
		t.Errorf("two handshakes took %d", budget.Used())
	}
	if err := c.Notify(context.Background(), "notifications/x", nil); err != nil {
		t.Error(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		conn := []*client.Conn{c, other}[i%2]
		group.Go(func() {
			for budget.Used() < client.BudgetRequests {
				if _, err := conn.Call(context.Background(), "ping", nil); err != nil && client.KindOf(err) != client.BudgetExceeded {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if client.BudgetRequests != 4096 || client.BudgetTime != 5*time.Minute {
		t.Error("the budget is another one")
	}
	_, err := c.Call(context.Background(), "ping", nil)
	if f := faultOf(t, err); f.Kind != client.BudgetExceeded || f.Detail != client.OutOfRequests || budget.Used() != 4096 {
		t.Errorf("fault %v after %d", f, budget.Used())
	}
	_, err = client.Dial(context.Background(), target(t, "plain"), &client.Options{Budget: budget, Clock: clock})
	if f := faultOf(t, err); f.Kind != client.BudgetExceeded {
		t.Errorf("fault %v of a start", f)
	}
}

func TestBudgetTime(t *testing.T) {
	clock := newClock()
	budget := client.NewBudget(clock)
	c := dial(t, target(t, "hangs"), &client.Options{Budget: budget, Clock: clock})
	p := c.Start(context.Background(), client.Request{Method: "tools/call"})
	<-p.Sent()
	clock.fire(t, client.BudgetTime)
	<-p.Done()
	if _, err := p.Result(); client.KindOf(err) != client.BudgetExceeded {
		t.Errorf("error %v", err)
	}
	if _, err := c.Call(context.Background(), "ping", nil); client.KindOf(err) != client.BudgetExceeded || !budget.Exhausted() {
		t.Errorf("error %v", err)
	}
}

func TestHandshakeByHand(t *testing.T) {
	c := dial(t, target(t, "echoes"), &client.Options{NoHandshake: true})
	if f := c.Facts(); f.Revision != "" {
		t.Errorf("revision %s before a handshake", f.Revision)
	}
	r, err := c.Initialize(context.Background(), "1999-01-01")
	if err != nil {
		t.Fatal(err)
	}
	version, _ := r.Result.Get("protocolVersion")
	if text, _ := version.Text(); text != "1999-01-01" || c.Facts().Revision != "" {
		t.Errorf("answered %s, adopted %q", text, c.Facts().Revision)
	}

	c = dial(t, target(t, "plain"), &client.Options{NoHandshake: true})
	if _, err := c.Initialize(context.Background(), client.Revision2025b); err != nil || c.Facts().Revision != client.Revision2025c {
		t.Errorf("adopted %q, %v", c.Facts().Revision, err)
	}

	c = dial(t, target(t, "sdk"), nil)
	r, err = c.Discover(context.Background(), "2999-01-01")
	if err != nil || r.Error == nil || r.Error.Code != -32022 {
		t.Errorf("a version from the future: %+v, %v", r, err)
	}
}

// TestConcurrentCalls asks for answers of different sizes at once.
func TestConcurrentCalls(t *testing.T) {
	p := newPeer(t, &peer{})
	for _, to := range []client.Target{target(t, "plain"), {URL: p.URL}} {
		c := dial(t, to, nil)
		var group sync.WaitGroup
		for i := range 32 {
			group.Go(func() {
				r, err := c.Do(context.Background(), client.Request{Method: "tools/call", Params: fmt.Appendf(nil, `{"name":"t%d"}`, i), StringID: i%2 == 0})
				if err != nil || !r.ExactID {
					t.Errorf("%+v, %v", r, err)
					return
				}
				params, _ := r.Result.Get("params")
				name, _ := params.Get("name")
				if text, _ := name.Text(); to.URL == "" && text != fmt.Sprint("t", i) {
					t.Errorf("call %d got the answer of %s", i, text)
				}
			})
		}
		group.Wait()
	}
}

func TestInputThatCannotBeGiven(t *testing.T) {
	c := dial(t, target(t, "modern-samples"), nil)
	r, err := c.Call(context.Background(), "tools/call", nil)
	if err != nil || !r.InputRequired() || r.Rounds != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestStoppedRun(t *testing.T) {
	c := dial(t, target(t, "hangs"), nil)
	ctx, stop := context.WithCancel(context.Background())
	p := c.Start(ctx, client.Request{Method: "tools/call"})
	<-p.Sent()
	stop()
	<-p.Done()
	_, err := p.Result()
	if f := faultOf(t, err); f.Detail != client.Stopped {
		t.Errorf("fault %v", f)
	}
}

func TestParamsMustBeAnObject(t *testing.T) {
	c := dial(t, target(t, "plain"), nil)
	for _, params := range []string{"[]", "1", "{", "{} {}"} {
		if _, err := c.Call(context.Background(), "x", []byte(params)); err == nil {
			t.Errorf("%s was sent", params)
		}
	}
}
