package standard

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/portability"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// run is a run in progress. It makes one call at a time, so that nothing but
// changed needs a lock.
type run struct {
	Config
	stop     <-chan struct{} // closed when the run is stopped
	revision string          // settled by the first connection
	conn     *client.Conn
	changed  chan struct{} // holds one element when the catalog has changed
	entries  []rawjson.Value
	tools    []*tool
	notes    notes
	watch    *portability.Watch
}

// errExhausted ends a run whose budget is used up.
var errExhausted = errors.New("the budget is used up")

func (r *run) dial(ctx context.Context) error {
	if r.changed == nil {
		r.changed = make(chan struct{}, 1)
	}
	conn, err := client.Dial(ctx, r.Target, &client.Options{
		Protocol: r.Protocol, StartupTimeout: r.StartupTimeout, Grace: r.Grace, Timeout: r.CallTimeout,
		Budget: r.Budget, Clock: r.Clock, Version: r.Version.String(), Stop: r.stop, Tap: r.watch.Frame,
		OnNotification: func(method string, _ rawjson.Value) {
			if method == "notifications/tools/list_changed" {
				select {
				case r.changed <- struct{}{}:
				default:
				}
			}
		},
	})
	if err != nil {
		return err
	}
	conn.Learn(r.entries)
	r.conn = conn
	return nil
}

func (r *run) hangUp() {
	if r.conn == nil {
		return
	}
	r.conn.Close()
	r.notes.conn(r.conn.Facts(), r.conn.Counts())
	r.watch.Counts(r.conn.Counts())
	r.conn = nil
}

const codeMethodNotFound = -32601

// maxListings is how often a catalog that keeps changing is listed again.
const maxListings = 3

// settleTimeout bounds the wait for the sign of life.
const settleTimeout = 5 * time.Second

// discover reads the catalog, again where the server says that it has changed:
// some list more tools once they know their client. Its error is a
// *client.PageError.
func (r *run) discover(ctx context.Context) (entries []rawjson.Value, err error) {
	for range 1 + maxListings {
		entries, _, err = r.conn.ListTools(ctx)
		e, ok := errors.AsType[*client.PageError](err)
		facts := r.conn.Facts()
		switch {
		case ok && e.Problem == client.PageRefused && e.Page == 1 && e.RPC.Code == codeMethodNotFound && !facts.Declares("tools"):
			return nil, nil // it has none, and does not say so
		case err != nil:
			return nil, err
		}
		r.entries = entries
		if !facts.Declares("tools", "listChanged") {
			return entries, nil
		}
		// The announcement is there once a later question is answered.
		q := r.signOfLife()
		q.Timeout = min(settleTimeout, r.CallTimeout)
		if _, err := r.conn.Do(ctx, q); err != nil {
			if client.KindOf(err) == client.TransportClosed {
				r.hangUp() // what follows gets a fresh connection
			}
			return entries, nil
		}
		select {
		case <-r.changed:
		default:
			return entries, nil
		}
	}
	return entries, nil
}

// signOfLife is the request that every server answers.
func (r *run) signOfLife() client.Request {
	if r.revision == client.Revision2026 {
		return client.Request{Method: "server/discover"}
	}
	return client.Request{Method: "ping"}
}

// answer is what became of a request: one of its members is set.
type answer struct {
	response *client.Response // a result
	refusal  *client.RPCError
	fault    reason.Label
}

// ask makes a request, on a fresh connection when there is none. Its error is
// errExhausted or, when the context is done, its cause.
func (r *run) ask(ctx context.Context, q client.Request) (answer, error) {
	for again := false; ; again = true {
		a, lost, err := r.askOnce(ctx, q)
		if !lost || again {
			return a, err
		}
	}
}

// askOnce also reports whether the session had come to its end, so that the
// server has not seen the request.
func (r *run) askOnce(ctx context.Context, q client.Request) (a answer, lost bool, err error) {
	var response *client.Response
	if r.conn == nil {
		err = r.dial(ctx)
	}
	if err == nil {
		response, err = r.conn.Do(ctx, q)
	}
	f, isFault := errors.AsType[*client.Fault](err)
	switch {
	case ctx.Err() != nil:
		return answer{}, false, context.Cause(ctx)
	case err == nil && response.Error != nil:
		return answer{refusal: response.Error}, false, nil
	case err == nil && response.Result.Kind() != rawjson.Object:
		return answer{fault: reason.TransportError}, false, nil
	case err == nil:
		return answer{response: response}, false, nil
	case !isFault:
		return answer{}, false, err
	case f.Kind == client.BudgetExceeded:
		return answer{}, false, errExhausted
	case f.RPC != nil && 400 <= f.Status && f.Status < 500:
		return answer{refusal: f.RPC}, false, nil // over HTTP the error may come without the request's id
	}
	r.hangUp()
	if f.Detail == client.SessionLost {
		return answer{fault: battery.LabelOf(f)}, true, nil
	}
	return answer{fault: battery.LabelOf(f)}, false, nil
}

// success reports whether an answer of a tool is one.
func (a *answer) success() bool {
	if a.response == nil || a.response.IsToolError() {
		return false
	}
	// Before 2026-07-28 servers do not say that a result is final.
	v, ok := a.response.Result.Get("resultType")
	text, _ := v.Text()
	return !ok || text == "complete"
}

// notes are what a run passed over, for the text report.
type notes struct {
	stray, declined int64
	respawned       bool
}

func (n *notes) conn(f client.Facts, c client.Counts) {
	n.stray += int64(c.BannerLines + c.OtherJSON)
	n.declined += int64(c.Declined)
	n.respawned = n.respawned || slices.Contains(f.Notes, client.NoteRespawnedExit) || slices.Contains(f.Notes, client.NoteRespawnedSilent)
}

func (n *notes) list() []report.Note {
	var list []report.Note
	if n.respawned {
		list = append(list, report.Note{Kind: report.NoteRespawned})
	}
	if n.stray > 0 {
		list = append(list, report.Note{Kind: report.NoteStrayLines, Count: n.stray})
	}
	if n.declined > 0 {
		list = append(list, report.Note{Kind: report.NoteDeclined, Count: n.declined})
	}
	return list
}

// add takes the notes of the cases of probes/battery that concern the server as a
// whole.
func (n *notes) add(list []report.Note) {
	for _, note := range list {
		switch note.Kind {
		case report.NoteRespawned:
			n.respawned = true
		case report.NoteStrayLines:
			n.stray += note.Count
		case report.NoteDeclined:
			n.declined += note.Count
		}
	}
}
