package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// maxResumes is how often one stream is taken up again.
const maxResumes = 20

// stream takes an answer that comes in an event stream, and takes the stream up
// again when the server ends it early but has given events ids.
func (t *httpTransport) stream(ctx context.Context, x *exchange, k *call) *Fault {
	var last position
	for resumed := 0; ; resumed++ {
		f := t.events(x, k, &last)
		select {
		case <-k.settled:
			return nil
		default:
		}
		if f != nil {
			return f
		}
		t.conn.mu.Lock()
		strays := k.strays
		t.conn.mu.Unlock()
		switch {
		case strays > 0:
			return &Fault{Kind: TransportError, Detail: MismatchedID, Status: x.resp.StatusCode}
		case last.id == "" || k.header.version != "" || resumed == maxResumes:
			return fault(TransportClosed, ConnectionLost)
		}
		x.end()
		t.conn.note(NoteResumed)
		wait := make(chan struct{})
		stop := t.conn.o.Clock.AfterFunc(last.retry, func() { close(wait) })
		select {
		case <-wait:
		case <-k.settled:
		case <-ctx.Done():
		}
		stop()
		next, f := t.do(ctx, http.MethodGet, nil, k, header{}, member{"Last-Event-ID", []byte(last.id)})
		if f != nil {
			return f
		}
		x = next
		defer next.end()
		if !x.ok() || x.media() != eventsType {
			return fault(TransportClosed, ConnectionLost)
		}
	}
}

// position is where an event stream can be taken up again.
type position struct {
	id    string
	retry time.Duration
}

const (
	defaultRetry = time.Second
	maxRetry     = 30 * time.Second
)

// events reads an event stream until it ends, or until the call it belongs to
// is settled. k is nil for a stream of no call.
func (t *httpTransport) events(x *exchange, k *call, last *position) *Fault {
	if last.retry == 0 {
		last.retry = defaultRetry
	}
	silence, bounded := NetworkTimeout, true
	if k == nil || k.request.listen {
		silence, bounded = 0, false
	} else if k.chosen {
		silence = 0 // the call's own timeout bounds it
	}
	parser := wire.NewEvents(&wire.EventOptions{MaxData: MaxHTTPBody})
	buf := make([]byte, 16<<10)
	total, tooLarge := 0, false
	for {
		x.watch.arm(reading, silence)
		n, err := x.resp.Body.Read(buf)
		at := t.conn.o.Clock.Now()
		total += n
		fits := n
		if bounded && total > MaxHTTPBody {
			fits = max(0, n-(total-MaxHTTPBody))
		}
		parser.Feed(buf[:fits], func(e *wire.Event) {
			if e.ID != nil && validHeaderValue(string(e.ID)) {
				last.id = string(e.ID)
			}
			if e.Retry >= 0 {
				last.retry = min(time.Duration(e.Retry)*time.Millisecond, maxRetry)
			}
			switch {
			case e.Truncated:
				tooLarge = true
			case e.IsMessage():
				t.conn.inbound(bytes.Clone(e.Data), at, k)
			default:
				t.conn.count(func(n *Counts) { n.KeepAlives++ })
			}
		})
		if k != nil {
			select {
			case <-k.settled:
				return nil
			default:
			}
		}
		switch {
		case tooLarge || bounded && total > MaxHTTPBody:
			return &Fault{Kind: TransportError, Detail: TooLarge, Status: x.resp.StatusCode}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return failure(x.ctx, err)
		}
	}
}
