package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Listener receives what a server sends outside of calls. Notifications go to
// Options.OnNotification.
type Listener struct {
	// Open reports whether there is a stream. A stateful HTTP server may offer
	// none; over stdio none is needed.
	Open bool

	cancel context.CancelCauseFunc
	done   chan struct{}
	err    error
}

// Listen opens the stream for notifications: subscriptions/listen with a filter,
// a JSON object, for a stateless server, and the GET stream for a stateful one
// over HTTP. It returns once the stream is open or refused; of a stateless server
// the acknowledgement is a notification like any other.
func (c *Conn) Listen(ctx context.Context, filter []byte) (*Listener, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &Listener{cancel: cancel, done: make(chan struct{})}
	switch t, overHTTP := c.transport().(*httpTransport); {
	case c.stateless():
		if _, f := object(filter); f != nil {
			cancel(nil)
			return nil, f
		}
		l.Open = true
		params := merge(rawjson.Value{}, []member{{"notifications", filter}})
		p := c.Start(ctx, Request{Method: "subscriptions/listen", Params: params, listen: true})
		go func() {
			defer close(l.done)
			<-p.Done()
			response, err := p.Result()
			if err == nil && response.Error != nil {
				err = &Fault{Kind: TransportError, Detail: HandshakeRefused, RPC: response.Error}
			}
			l.err = err
		}()
		<-p.Sent()
	case overHTTP:
		return l, l.get(ctx, t)
	default:
		close(l.done)
	}
	return l, nil
}

// get opens the GET stream.
func (l *Listener) get(ctx context.Context, t *httpTransport) error {
	x, f := t.do(ctx, http.MethodGet, nil, nil, header{})
	if f != nil {
		close(l.done)
		l.cancel(nil)
		return f
	}
	if !x.ok() || x.media() != eventsType {
		x.end()
		close(l.done)
		return nil
	}
	l.Open = true
	if !t.conn.goWork(func() {
		defer close(l.done)
		defer x.end()
		if f := t.events(x, nil, &position{}); f != nil && f.Detail != Stopped {
			l.err = f
		}
	}) {
		x.end()
		close(l.done)
	}
	// Close of the connection ends the stream.
	stop := context.AfterFunc(t.conn.life, func() { l.cancel(nil) })
	go func() { <-l.done; stop() }()
	return nil
}

// Done is closed when the stream has ended.
func (l *Listener) Done() <-chan struct{} { return l.done }

// Close ends the stream and returns why it ended before, nil when it had not.
func (l *Listener) Close() error {
	l.cancel(nil)
	<-l.done
	var f *Fault
	if errors.As(l.err, &f) && f.Detail == Stopped || errors.Is(l.err, ErrCancelled) {
		return nil
	}
	return l.err
}

// opensWithEndpoint reports whether a GET is answered by a stream that begins
// with an endpoint event.
func (t *httpTransport) opensWithEndpoint(ctx context.Context) bool {
	x, f := t.do(ctx, http.MethodGet, nil, nil, header{})
	if f != nil {
		return false
	}
	defer x.end()
	if !x.ok() || x.media() != eventsType {
		return false
	}
	parser := wire.NewEvents(nil)
	buf := make([]byte, 4<<10)
	found, seen := false, false
	for total := 0; !seen && total < 64<<10; {
		x.watch.arm(reading, NetworkTimeout)
		n, err := x.resp.Body.Read(buf)
		total += n
		parser.Feed(buf[:n], func(e *wire.Event) {
			found = found || !seen && string(e.Name) == "endpoint"
			seen = true
		})
		if err != nil {
			break
		}
	}
	return found
}
