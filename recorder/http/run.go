package httpshim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

const (
	slowHead   = time.Minute // a client may take for the head of a request
	lastWrites = time.Second // they may take when the shim ends
)

// Run listens and forwards until ctx is done. Then it takes no new connections,
// lets open exchanges go on for o.Drain, ends what is left, and ends the
// captures. Standalone streams have no end of their own and are not waited for.
func Run(ctx context.Context, o Options) error {
	o = o.withDefaults()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", o.Listen.String())
	if err != nil {
		return fmt.Errorf("open listener: %w", err)
	}
	q := newQueue(o.Queue)
	scribe := newScribe(q, &o)
	go scribe.run()

	ending, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	p := newProxy(ending, &o, q)
	server := &http.Server{
		Handler:                      &loopback.Guard{Next: p},
		ReadHeaderTimeout:            slowHead,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return ending },
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, 0), // it quotes requests
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if o.Ready != nil {
		o.Ready("http://" + listener.Addr().String() + o.Upstream.EscapedPath())
	}

	select {
	case <-ctx.Done():
		err = nil
	case err = <-served: // the listener broke
		served <- err
	}
	q.put(item{kind: leaving, at: o.Now()})
	p.drain(server, o.Drain, giveUp)
	if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = fmt.Errorf("accept connections: %w", serveErr)
	}
	if !scribe.close(o.Finish) && err == nil {
		err = ErrRecording
	}
	return err
}

// drain ends the server: it waits for open exchanges at most for patience, and
// returns when no handler runs any more.
func (p *proxy) drain(server *http.Server, patience time.Duration, giveUp func()) {
	polite, enough := context.WithCancel(context.Background())
	defer enough()
	shut := make(chan struct{})
	go func() {
		defer close(shut)
		_ = server.Shutdown(polite) // closes the listener, and connections that are idle
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	p.census.wait(func(_, busy int) bool { return busy == 0 }, timer.C)
	giveUp()
	p.census.wait(func(all, _ int) bool { return all == 0 }, nil)
	// The ends of the last responses are written after their handlers.
	timer.Reset(lastWrites)
	select {
	case <-shut:
	case <-timer.C:
	}
	_ = server.Close()
	p.transport.CloseIdleConnections()
}

// close records the rest and ends the captures. It reports whether that was done
// in time: a disk may hang.
func (s *scribe) close(patience time.Duration) bool {
	close(s.stop)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
		return false
	}
}
