package battery

import (
	"context"
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/recorder"
)

// dial makes a connection of the run. set may change its options.
func (r *run) dial(ctx context.Context, set func(*client.Options)) (*client.Conn, error) {
	o := &client.Options{
		Protocol:       r.protocol,
		StartupTimeout: r.StartupTimeout,
		Grace:          r.Grace,
		Timeout:        r.timeout(),
		Budget:         r.Budget,
		Clock:          r.Clock,
		Version:        r.Version.String(),
		Stop:           r.stop,
	}
	if set != nil {
		set(o)
	}
	r.channels++
	if r.Journal != nil {
		record, look := newTape(r.Journal, r.channels).tap, o.Tap
		o.Tap = record
		if look != nil {
			o.Tap = func(dir journal.Direction, frame []byte, at time.Time) {
				record(dir, frame, at)
				look(dir, frame, at)
			}
		}
	}
	channel := r.channels
	conn, err := client.Dial(ctx, r.Target, o)
	if err != nil {
		r.endChannel(channel)
		return nil, err
	}
	conn.Learn(r.catalog.Entries)
	if r.open == nil {
		r.open = make(map[*client.Conn]uint64)
	}
	r.open[conn] = channel
	return conn, nil
}

// hangUp closes a connection and keeps what was counted on it.
func (r *run) hangUp(conn *client.Conn) {
	channel, ok := r.open[conn]
	if !ok {
		return
	}
	delete(r.open, conn)
	conn.Close()
	r.notes.conn(conn.Facts(), conn.Counts())
	r.endChannel(channel)
}

func (r *run) endChannel(channel uint64) {
	if r.Journal != nil {
		r.Journal.CloseChannel(channel, r.Clock.Now(), recorder.Lost)
	}
}

// dropShared makes the next case connect anew.
func (r *run) dropShared() {
	if r.shared != nil {
		r.hangUp(r.shared)
		r.shared = nil
	}
}

// common is the connection that cases share.
func (e *env) common(ctx context.Context) (*client.Conn, error) {
	if e.shared == nil {
		conn, err := e.dial(ctx, nil)
		if err != nil {
			return nil, err
		}
		e.shared = conn
	}
	e.used = e.shared
	return e.shared, nil
}

// fresh is a connection that only this case uses. It ends with the case.
func (e *env) fresh(ctx context.Context, set func(*client.Options)) (*client.Conn, error) {
	conn, err := e.dial(ctx, set)
	if err != nil {
		return nil, err
	}
	e.own = append(e.own, conn)
	e.used = conn
	return conn, nil
}

// release ends a connection of the case before the case does.
func (e *env) release(conn *client.Conn) {
	e.hangUp(conn)
	if e.used == conn {
		e.used = nil
	}
}

// aliveTimeout bounds the question whether a server is still there. One that
// only does not answer it is left in peace.
const aliveTimeout = 5 * time.Second

// alive asks the server for a sign of life and returns the fault of one that has
// none: what a case did to the server is charged to it.
func (e *env) alive(ctx context.Context, conn *client.Conn) error {
	if e.mute {
		return nil
	}
	_, err := conn.Do(ctx, e.signOfLife(conn))
	f, ok := errors.AsType[*client.Fault](err)
	switch {
	case !ok:
		return nil
	case f.Kind == client.TransportClosed:
		return f
	case f.Kind == client.TransportTimeout:
		e.mute = true
	}
	if conn == e.shared {
		e.dropShared()
	}
	return nil
}

// signOfLife is the request that every server answers.
func (e *env) signOfLife(conn *client.Conn) client.Request {
	q := client.Request{Method: "ping", Timeout: aliveTimeout}
	if facts := conn.Facts(); facts.Lifecycle == client.Stateless {
		q.Method = "server/discover"
	}
	if own := e.timeout(); own > 0 {
		q.Timeout = min(q.Timeout, own)
	}
	return q
}

// timeout is the manifest's, 0 for none.
func (r *run) timeout() time.Duration { return time.Duration(r.Manifest.TimeoutMS) * time.Millisecond }

// wait waits for ch, but no longer than d, the context and the budget. It
// reports whether ch came; its error is a fault.
func (e *env) wait(ctx context.Context, ch <-chan struct{}, d time.Duration) (bool, error) {
	ctx, cancel := e.Budget.Context(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	stop := e.Clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-ch:
		return true, nil
	case <-over:
		return false, nil
	case <-ctx.Done():
		if f, ok := errors.AsType[*client.Fault](context.Cause(ctx)); ok {
			return false, f
		}
		return false, &client.Fault{Kind: client.TransportClosed, Detail: client.Stopped}
	}
}
