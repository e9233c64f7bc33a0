package scaffold

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
)

// notified takes note of a catalog that the server says has changed.
func (r *run) notified(method string, _ rawjson.Value) {
	if method == "notifications/tools/list_changed" {
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
}

// maxListings is how often a catalog that keeps changing is listed again.
const maxListings = 3

// settleTimeout bounds the wait for the sign of life.
const settleTimeout = 5 * time.Second

// settle lists the catalog again while the server announces that it has changed.
// Servers that do so right after the handshake are asked for a sign of life first,
// so that the announcement is there when it is looked for.
func (r *run) settle(ctx context.Context) (again bool, pages int, err error) {
	facts := r.conn.Facts()
	if !facts.Declares("tools", "listChanged") {
		return false, 0, nil
	}
	for range maxListings {
		method := "ping"
		if facts.Lifecycle == client.Stateless {
			method = "server/discover"
		}
		if _, err := r.conn.Do(ctx, client.Request{Method: method, Timeout: settleTimeout}); err != nil {
			if client.KindOf(err) == client.BudgetExceeded || ctx.Err() != nil {
				return false, 0, err
			}
			r.hangUp() // the calls get a fresh connection
			return again, pages, nil
		}
		select {
		case <-r.changed:
		default:
			return again, pages, nil
		}
		if pages, err = r.discover(ctx); err != nil {
			return false, 0, err
		}
		again = true
	}
	return again, pages, nil
}

// callAll calls the candidates and writes the cases of those whose call succeeds.
func (r *run) callAll(ctx context.Context, tools []*Tool, w *writer) error {
	total := 0
	for _, t := range tools {
		if t.Decision.Candidate() {
			total++
		}
	}
	total = min(total, MaxCalls)
	called := 0
	var succeeded []*Tool
	for _, t := range tools {
		if !t.Decision.Candidate() || called == MaxCalls {
			t.Left = &Left{Why: whyOf(t.Decision)}
			continue
		}
		if called == 0 && r.o.BeforeCalls != nil {
			r.o.BeforeCalls()
		}
		if r.o.Progress != nil {
			r.o.Progress(called, total)
		}
		called++
		latency, left, err := r.call(ctx, t)
		if err != nil {
			return err
		}
		if left != nil {
			left.Tried = t.source
			t.Left = left
			continue
		}
		succeeded = append(succeeded, t)
		w.toolCases(t, latency, len(succeeded) == 1)
	}
	w.payloadCase(succeeded)
	return nil
}

// call calls one tool, on a fresh connection when the last one is broken. Its
// error means that there is nothing more to be had.
func (r *run) call(ctx context.Context, t *Tool) (time.Duration, *Left, error) {
	if r.conn == nil {
		if err := r.dial(ctx); err != nil {
			return 0, nil, err
		}
	}
	params := slices.Concat([]byte(`{"name":`), t.raw.Raw(), []byte(`,"arguments":`), t.arguments, []byte(`}`))
	response, err := r.conn.Call(ctx, "tools/call", params)
	if err == nil {
		return response.Latency, judge(response), nil
	}
	f, ok := errors.AsType[*client.Fault](err)
	if !ok || f.Kind == client.BudgetExceeded || ctx.Err() != nil {
		return 0, nil, err
	}
	r.hangUp()
	left := &Left{Why: CallFailed, Outcome: Outcome(f.Kind)}
	if f.RPC != nil {
		left.Outcome = ProtocolError
	}
	return 0, left, nil
}
