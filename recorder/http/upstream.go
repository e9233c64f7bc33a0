package httpshim

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

var errNotLocal = errors.New("the name of this machine led to another one")

// newTransport makes the way to upstream: straight, over HTTP/1.1, with nothing
// added to requests or undone in responses.
func newTransport(upstream *url.URL, dial time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: dial, KeepAlive: 15 * time.Second}
	if loopback.IsLocal(upstream) {
		dialer.Control = onlyLoopback
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &upstreamConn{Conn: c}, nil
		},
		TLSHandshakeTimeout: dial,
		DisableCompression:  true,
		Protocols:           onlyHTTP1(),
		MaxIdleConnsPerHost: 256,
		// Shorter than the five seconds after which many servers close: a request
		// that meets the close on its way is lost.
		IdleConnTimeout: 4 * time.Second,
	}
}

func onlyHTTP1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// onlyLoopback guards against a localhost that resolves to something else.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() {
		return errNotLocal
	}
	return nil
}

// upstreamConn is a connection whose write errors in the middle of a request are
// not told: a server may refuse a request before it has read all of it, and its
// answer then waits to be read though nothing can be written any more. If there
// is none, reading fails. An error at the start of a request is told, so that a
// connection that upstream has closed meanwhile is replaced by a new one.
type upstreamConn struct {
	net.Conn
	midway atomic.Bool // some of the present request was written
}

func (c *upstreamConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if n > 0 {
		c.midway.Store(true)
	}
	if err != nil && c.midway.Load() && !errors.Is(err, net.ErrClosed) {
		return len(p), nil
	}
	return n, err
}

// watch returns a context for one request, and a flag that is set once there is
// a connection to carry it.
func watch(ctx context.Context) (context.Context, *atomic.Bool) {
	connected := new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			connected.Store(true)
			c := info.Conn
			if t, ok := c.(*tls.Conn); ok {
				c = t.NetConn()
			}
			if c, ok := c.(*upstreamConn); ok {
				c.midway.Store(false)
			}
		},
	}), connected
}
