package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// ErrAddress is returned for an address to listen at that is not loopback.
var ErrAddress = errors.New("the address is a loopback address with a port, such as 127.0.0.1:0")

// ListenHTTP serves HTTP at a loopback address until ctx ends, which is no
// error. ready is told the URL once clients can connect.
func (s *Server) ListenHTTP(ctx context.Context, address string, ready func(url string) error) error {
	if s.aspect.start == startExits {
		return ErrNotStarted
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !local(host) {
		return ErrAddress
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	h := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		s.Close()
		_ = h.Close() // Serve returns, which is all that is wanted
	})
	defer stop()
	if err := ready("http://" + listener.Addr().String() + "/mcp"); err != nil {
		_ = h.Close()
		return errors.Join(err, listener.Close())
	}
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
