package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/mcpeval/mcpeval/server/mcp/admission"
)

const (
	// maxHeader is the size of the largest head of a request.
	maxHeader = 16 << 10
	// headerSlop is what net/http reads beyond its limit.
	headerSlop = 4 << 10
	// endTime is how long everything may take to end.
	endTime = 4 * time.Second
)

// ListenHTTP serves Streamable HTTP at a loopback address until ctx is done. ready,
// when set, is told the URL. Then it takes no new connections, ends the evaluation
// that runs and its processes, and returns within five seconds.
func (e *Endpoint) ListenHTTP(ctx context.Context, address netip.AddrPort, ready func(url string)) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		return fmt.Errorf("open listener: %w", err)
	}
	if ready != nil {
		ready("http://" + listener.Addr().String() + Path)
	}
	return e.Serve(ctx, listener)
}

// Serve is ListenHTTP with a listener, which it closes.
func (e *Endpoint) Serve(ctx context.Context, listener net.Listener) error {
	hall := admission.NewHall()
	server := &http.Server{
		Handler:                      e.handler(hall),
		MaxHeaderBytes:               maxHeader - headerSlop,
		DisableGeneralOptionsHandler: true,
		ConnContext:                  hall.ConnContext,
		ConnState:                    hall.ConnState,
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, 0), // it quotes requests
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(hall.Listener(listener)) }()
	indexing, enough := context.WithCancel(ctx)
	defer enough()
	stopped := e.reindex(indexing)
	var failed error
	select {
	case <-ctx.Done():
	case err := <-served: // the listener broke
		failed = fmt.Errorf("accept connections: %w", err)
		served <- err
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	over := e.evaluations.end()
	if err := server.Shutdown(limit); err != nil {
		_ = server.Close()
	}
	<-served
	select {
	case <-over:
	case <-limit.Done():
		// Whoever is left ends with this process: their guards see to that.
		failed = errors.Join(failed, errLeft)
	}
	enough()
	stopped()
	return failed
}

var errLeft = errors.New("the evaluation did not end in time")
