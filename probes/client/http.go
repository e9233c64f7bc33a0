package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// httpTransport is the Streamable HTTP transport.
type httpTransport struct {
	conn   *Conn
	url    *url.URL
	client *http.Client

	mu      sync.Mutex // guards what follows
	session string
	renewed bool // a lost session was begun anew once
}

const (
	jsonType   = "application/json"
	eventsType = "text/event-stream"
	accepted   = jsonType + ", " + eventsType
)

// startHTTP checks the URL. It does not connect.
func startHTTP(c *Conn) (*httpTransport, *Fault) {
	u, err := loopback.Upstream(c.target.URL, c.target.AllowRemote)
	if err != nil {
		return nil, &Fault{Kind: ServerNotStarted, Detail: URLRefused, refused: err}
	}
	if c.target.Authorization != "" && !validHeaderValue(c.target.Authorization) {
		return nil, fault(ServerNotStarted, BadAuthorization)
	}
	transport := &http.Transport{
		DisableCompression:     true, // bounds count what is on the wire
		MaxResponseHeaderBytes: 1 << 20,
		// Servers close idle connections after five seconds; a request that meets
		// that moment would be lost.
		IdleConnTimeout:   2 * time.Second,
		ForceAttemptHTTP2: true,
	}
	if !loopback.IsLocal(u) {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &httpTransport{
		conn: c,
		url:  u,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// exchange is one HTTP request and its answer.
type exchange struct {
	t     *httpTransport
	ctx   context.Context
	watch *watchdog
	resp  *http.Response
	end   func()
}

// do sends a request. The exchange must be ended when there is no fault.
func (t *httpTransport) do(ctx context.Context, method string, body []byte, k *call, h header, extra ...member) (*exchange, *Fault) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{clock: t.conn.o.Clock, cancel: cancel}
	firstByte := NetworkTimeout
	switch {
	case k != nil && k.chosen:
		firstByte = k.timeout
	case k == nil && t.conn.o.Timeout > 0 && method != http.MethodDelete:
		firstByte = t.conn.o.Timeout
	}
	written := func() {
		if k != nil {
			t.conn.markWritten(k)
		}
	}
	var reader io.Reader
	if body != nil {
		reader = progress{bytes.NewReader(body), w}
	}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, w.trace(firstByte, written)), method, t.url.String(), reader)
	if err != nil {
		cancel(nil)
		return nil, fault(ServerNotStarted, URLRefused)
	}
	req.ContentLength = int64(len(body))
	t.headers(req, k, h)
	for _, m := range extra {
		req.Header.Set(m.name, string(m.value))
	}
	if body != nil {
		t.conn.tap(journal.Outbound, body, t.conn.o.Clock.Now())
	}
	w.arm(connecting, NetworkTimeout)
	resp, err := t.client.Do(req)
	if err != nil {
		f := failure(ctx, err)
		w.end()
		cancel(nil)
		return nil, f
	}
	written() // a server may answer before it has read everything
	w.arm(reading, NetworkTimeout)
	return &exchange{t: t, ctx: ctx, watch: w, resp: resp, end: func() {
		w.end()
		cancel(nil)
		_ = resp.Body.Close()
	}}, nil
}

func (t *httpTransport) headers(req *http.Request, k *call, h header) {
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", jsonType)
		req.Header.Set("Accept", accepted)
	} else {
		req.Header.Set("Accept", eventsType)
	}
	req.Header.Set("User-Agent", "mcpeval")
	if t.conn.target.Authorization != "" {
		req.Header.Set("Authorization", t.conn.target.Authorization)
	}
	if h.version != "" {
		req.Header.Set("MCP-Protocol-Version", h.version)
		req.Header.Set("Mcp-Method", h.method)
		if h.hasName {
			req.Header.Set("Mcp-Name", h.name)
		}
		for _, m := range h.params {
			req.Header.Set(m.name, string(m.value))
		}
		return
	}
	if k != nil && k.method == "initialize" {
		return
	}
	if revision := t.conn.revision(); revision != "" {
		req.Header.Set("MCP-Protocol-Version", revision)
	}
	if session := t.sessionID(); session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
}

func (t *httpTransport) sessionID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

func (t *httpTransport) setSession(id string) {
	t.mu.Lock()
	t.session = id
	t.mu.Unlock()
	t.conn.mu.Lock()
	t.conn.facts.HasSession = id != ""
	t.conn.mu.Unlock()
}

// failure is the fault behind an error of net/http, whose own text quotes the
// URL.
func failure(ctx context.Context, err error) *Fault {
	if ctx.Err() != nil {
		return faultOf(ctx)
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return fault(TransportClosed, ConnectFailed)
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fault(TransportClosed, ConnectFailed)
	}
	return fault(TransportClosed, ConnectionLost)
}

func (t *httpTransport) roundTrip(ctx context.Context, k *call, frame []byte) *Fault {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	defer close(over)
	t.conn.work.Go(func() {
		// The answer may come on another stream, or a flood end the call.
		select {
		case <-k.settled:
			cancel(nil)
		case <-over:
		}
	})
	x, f := t.do(ctx, http.MethodPost, frame, k, k.header)
	if f != nil {
		return f
	}
	defer x.end()
	t.conn.mu.Lock()
	k.status = x.resp.StatusCode
	t.conn.mu.Unlock()
	if k.method == "initialize" {
		if id := x.resp.Header.Get("Mcp-Session-Id"); id != "" && x.ok() {
			t.setSession(id)
		}
	}
	if x.ok() && x.media() == eventsType {
		return t.stream(ctx, x, k)
	}
	return t.body(x, k)
}

func (x *exchange) ok() bool { return x.resp.StatusCode/100 == 2 }

// media is the media type without parameters, in lower case.
func (x *exchange) media() string {
	media, _, _ := strings.Cut(x.resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// body takes an answer that is not a stream.
func (t *httpTransport) body(x *exchange, k *call) *Fault {
	status := x.resp.StatusCode
	body, f := x.readAll()
	if f != nil {
		if x.ok() {
			return f
		}
		body = nil // the status says enough
	}
	if media := x.media(); x.ok() && media != jsonType && !(media == "" && len(body) > 0) {
		if len(bytes.TrimSpace(body)) == 0 {
			return &Fault{Kind: TransportError, Detail: NoAnswer, Status: status}
		}
		return &Fault{Kind: TransportError, Detail: WrongMediaType, Status: status}
	}
	v, err := rawjson.Parse(body)
	if f := denied(status); f != nil {
		return f
	}
	if err == nil || x.ok() {
		t.conn.inbound(body, t.conn.o.Clock.Now(), k)
	}
	t.conn.mu.Lock()
	over, orphan := k.over, k.orphan
	strays := k.strays
	t.conn.mu.Unlock()
	if over {
		return nil
	}
	f = &Fault{Kind: TransportError, Detail: MalformedAnswer, Status: status, RPC: orphan}
	switch {
	case status == http.StatusNotFound && t.sessionID() != "" && k.method != "initialize":
		f.Detail = SessionLost
	case !x.ok():
		f.Detail = HTTPStatus
	case len(bytes.TrimSpace(body)) == 0:
		f.Detail = NoAnswer
	case strays > 0:
		f.Detail = MismatchedID
	}
	if m, ok := readMessage(v); ok && f.RPC == nil && m.hasError {
		f.RPC, _ = readError(m.err) // without jsonrpc or with a foreign id
	}
	return f
}

// denied is the fault of a status that is no answer whatever its body says.
func denied(status int) *Fault {
	switch {
	case status/100 == 3:
		return &Fault{Kind: TransportError, Detail: RedirectRefused, Status: status}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &Fault{Kind: TransportError, Detail: Unauthorized, Status: status}
	}
	return nil
}

// readAll reads a body of at most MaxHTTPBody bytes.
func (x *exchange) readAll() ([]byte, *Fault) {
	var body []byte
	buf := make([]byte, 16<<10)
	for {
		x.watch.arm(reading, NetworkTimeout)
		n, err := x.resp.Body.Read(buf)
		body = append(body, buf[:n]...)
		if len(body) > MaxHTTPBody {
			return nil, &Fault{Kind: TransportError, Detail: TooLarge, Status: x.resp.StatusCode}
		}
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return nil, failure(x.ctx, err)
		}
	}
}

func (t *httpTransport) send(ctx context.Context, frame []byte, method string) *Fault {
	h := header{}
	if t.conn.stateless() {
		h = header{version: Revision2026, method: method}
	}
	x, f := t.do(ctx, http.MethodPost, frame, nil, h)
	if f != nil {
		return f
	}
	defer x.end()
	if method == "notifications/initialized" {
		t.conn.mu.Lock()
		t.conn.facts.InitializedStatus = x.resp.StatusCode
		t.conn.mu.Unlock()
	}
	if !x.ok() {
		return &Fault{Kind: TransportError, Detail: HTTPStatus, Status: x.resp.StatusCode}
	}
	return nil
}

func (t *httpTransport) reply(frame []byte) {
	t.conn.goWork(func() { _ = t.send(context.Background(), frame, "") })
}

// close deletes the session, if there is one.
func (t *httpTransport) close() {
	if t.sessionID() != "" {
		if x, f := t.do(context.Background(), http.MethodDelete, nil, nil, header{}); f == nil {
			x.end()
		}
	}
	t.client.CloseIdleConnections()
}
