package httpshim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// proxy forwards requests that the guard has let through.
type proxy struct {
	upstream  *url.URL
	transport *http.Transport
	queue     *queue
	now       func() time.Time
	ending    context.Context // done when the shim gives up its exchanges
	numbers   atomic.Uint64
	buffers   sync.Pool // of *[readSize]byte

	census census
}

const readSize = 32 << 10

// newProxy makes a proxy. o has its defaults.
func newProxy(ending context.Context, o *Options, q *queue) *proxy {
	return &proxy{
		upstream:  o.Upstream,
		transport: newTransport(o.Upstream, o.Dial),
		queue:     q,
		now:       o.Now,
		ending:    ending,
		buffers:   sync.Pool{New: func() any { return new([readSize]byte) }},
		census:    census{news: make(chan struct{}, 1)},
	}
}

// ServeHTTP forwards one exchange.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.census.enter(r.Method)
	defer p.census.leave(r.Method)

	x := p.exchange(r)
	body, size, err := readRequest(r)
	readAt := p.now()
	switch {
	case errors.Is(err, errTooLarge):
		x.refuse(size, readAt)
		defer x.finish(end{})
		loopback.Refuse(w, http.StatusRequestEntityTooLarge, "the request body has more than 8 MiB")
		return
	case err != nil: // it never came to its end, which is no message yet
		loopback.Refuse(w, http.StatusBadRequest, "the request body cannot be read")
		return
	}

	f := &forward{proxy: p, x: x, w: w, r: r, request: body, end: end{why: interrupted}}
	defer func() { x.finish(f.end) }()
	ctx, connected := watch(r.Context())
	out := p.outgoing(ctx, r, body)
	x.begin(body, readAt)
	resp, err := p.transport.RoundTrip(out)
	if err == nil {
		defer resp.Body.Close() // before its end, this closes the connection: upstream notices
		if resp.StatusCode >= http.StatusOK {
			f.response(resp)
			return
		}
	}
	f.failed(err, connected.Load())
}

// exchange is what the recording is to know about a request.
func (p *proxy) exchange(r *http.Request) *exchange {
	return &exchange{
		queue:    p.queue,
		now:      p.now,
		number:   p.numbers.Add(1),
		method:   r.Method,
		path:     r.URL.Path,
		endpoint: p.isEndpoint(r.URL),
		session:  keyOf(r.Header),
		modern:   isModern(r.Header.Get("Mcp-Protocol-Version")),
		coding:   codingOf(r.Header),
	}
}

// isEndpoint reports whether a request is for the upstream URL itself.
func (p *proxy) isEndpoint(u *url.URL) bool {
	path := u.EscapedPath()
	return path == "/" || path == p.upstream.EscapedPath()
}

// outgoing is the request for upstream.
func (p *proxy) outgoing(ctx context.Context, r *http.Request, body []byte) *http.Request {
	u := &url.URL{
		Scheme: p.upstream.Scheme, Host: p.upstream.Host,
		Path: r.URL.Path, RawPath: r.URL.RawPath,
		RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery,
	}
	if p.isEndpoint(r.URL) {
		u.Path, u.RawPath = p.upstream.Path, p.upstream.RawPath
	}
	out := &http.Request{Method: r.Method, URL: u, Host: p.upstream.Host, Header: make(http.Header, len(r.Header)+1)}
	passOn(out.Header, r.Header)
	absent(out.Header, "User-Agent")
	if len(body) > 0 {
		out.ContentLength = int64(len(body))
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return out.WithContext(ctx)
}
