package client

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// The error codes by which a stateless server makes itself known.
const (
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// Dial starts or connects to a server and agrees on a revision with it. Its
// error is a *Fault: ServerNotStarted, or BudgetExceeded.
//
// With Auto, server/discover comes first. A server that answers it as 2026-07-28
// wants is stateless; any other answer is followed by initialize, on a fresh
// process when the server exited, stayed silent, or is known to be confused by
// initialize after server/discover.
func Dial(ctx context.Context, target Target, o *Options) (*Conn, error) {
	c := &Conn{
		o:       o.withDefaults(),
		target:  target,
		pending: make(map[wire.ID]*call),
		closed:  make(map[wire.ID]bool),
	}
	c.life, c.endLife = context.WithCancel(context.Background())
	if c.o.Protocol != Auto && !slices.Contains(Revisions(), c.o.Protocol) {
		return nil, fault(ServerNotStarted, NoCommonRevision)
	}
	if f := c.open(); f != nil {
		return nil, f
	}
	if c.o.NoHandshake {
		return c, nil
	}
	if f := c.handshake(ctx); f != nil {
		c.Close()
		return nil, notStarted(f)
	}
	return c, nil
}

// notStarted makes a fault of the handshake one of the start.
func notStarted(f *Fault) *Fault {
	if f.Kind == BudgetExceeded {
		return f
	}
	g := *f
	g.Kind = ServerNotStarted
	return &g
}

// open makes the transport; a command is started.
func (c *Conn) open() *Fault {
	if len(c.target.Command) == 0 {
		t, f := startHTTP(c)
		if f != nil {
			return f
		}
		c.setTransport(t)
		return nil
	}
	c.mu.Lock()
	c.facts.Spawns++
	c.mu.Unlock()
	return startStdio(c)
}

func (c *Conn) setTransport(t transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tr = t
}

func (c *Conn) transport() transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tr
}

func (c *Conn) overHTTP() bool { return len(c.target.Command) == 0 }

// restart begins anew with a fresh process. Over HTTP there is nothing to end
// before initialize.
func (c *Conn) restart() *Fault {
	if c.overHTTP() {
		return nil
	}
	c.transport().close()
	c.mu.Lock()
	c.heard = false
	c.mu.Unlock()
	return c.open()
}

func (c *Conn) handshake(ctx context.Context) *Fault {
	began := c.o.Clock.Now()
	f := c.agree(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.facts.Startup == 0 {
		c.facts.Startup = c.o.Clock.Now().Sub(began)
	}
	return f
}

func (c *Conn) agree(ctx context.Context) *Fault {
	if stateful(c.o.Protocol) {
		return c.initialize(ctx, c.o.Protocol)
	}
	response, err := c.Discover(ctx, Revision2026)
	var f *Fault
	errors.As(err, &f)
	var e *RPCError
	switch {
	case err == nil && response.Error == nil:
		listed, ok := versions(response.Result, "supportedVersions")
		if slices.Contains(listed, Revision2026) {
			c.adopt(Revision2026, Stateless, response.Result)
			return nil
		}
		if ok {
			return c.older(ctx, listed)
		}
		return c.fallBack(ctx)
	case err == nil:
		e = response.Error
	case f == nil || f.Kind == BudgetExceeded || f.Detail == Stopped:
		return f
	default:
		e = f.RPC
	}
	if e != nil {
		switch e.Code {
		case codeUnsupportedVersion:
			listed, _ := versions(e.Data, "supported")
			return c.older(ctx, listed)
		case codeHeaderMismatch, codeMissingCapability:
			c.note(NoteModernOurMistake)
			c.adopt(Revision2026, Stateless, rawjson.Value{})
			return nil
		}
	}
	if f == nil {
		return c.fallBack(ctx)
	}
	switch f.Detail {
	case ConnectFailed, ConnectTimeout, Unauthorized, RedirectRefused:
		return f
	case ServerExited, ServerClosed:
		return c.again(ctx, NoteRespawnedExit, f)
	case SilentStart:
		return c.again(ctx, NoteRespawnedSilent, f)
	case MismatchedID:
		if !c.overHTTP() {
			c.note(NoteDiscoverWrongID)
		}
	}
	if f.Status >= 500 {
		c.note(NoteDiscoverFailed)
	}
	return c.fallBack(ctx)
}

// again starts the server anew and goes straight to initialize.
func (c *Conn) again(ctx context.Context, n Note, why *Fault) *Fault {
	if c.o.Protocol != Auto {
		return why
	}
	if f := c.restart(); f != nil {
		return f
	}
	if f := c.initialize(ctx, Revision2025c); f != nil {
		return f
	}
	c.note(n)
	return nil
}

// older goes on with the newest stateful revision of a list.
func (c *Conn) older(ctx context.Context, listed []string) *Fault {
	offer := newestStateful(listed)
	switch {
	case c.o.Protocol != Auto:
		return fault(ServerNotStarted, DiscoverRefused)
	case offer == "":
		return fault(ServerNotStarted, NoCommonRevision)
	}
	if f := c.restart(); f != nil {
		return f
	}
	if !c.overHTTP() {
		c.note(NoteFreshForLegacy)
	}
	return c.initialize(ctx, offer)
}

// fallBack goes on with initialize on the same connection.
func (c *Conn) fallBack(ctx context.Context) *Fault {
	if c.o.Protocol != Auto {
		return fault(ServerNotStarted, DiscoverRefused)
	}
	return c.initialize(ctx, Revision2025c)
}

// Discover sends server/discover in the given version, known or not.
func (c *Conn) Discover(ctx context.Context, version string) (*Response, error) {
	return c.Do(ctx, Request{
		Method: "server/discover", Revision: version, modern: true,
		startup: c.startingUp(), anyID: c.revision() == "",
	})
}

// startingUp reports whether a process has not answered anything yet.
func (c *Conn) startingUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.overHTTP() && !c.heard
}

// Initialize sends initialize, offering a version. When the answer names a
// stateful revision that is spoken, the connection adopts it and
// notifications/initialized follows.
func (c *Conn) Initialize(ctx context.Context, version string) (*Response, error) {
	params := merge(rawjson.Value{}, []member{
		{"protocolVersion", quoted(version)}, {"capabilities", c.capabilities()}, {"clientInfo", c.clientInfo()},
	})
	response, err := c.Do(ctx, Request{Method: "initialize", Params: params, startup: c.startingUp()})
	if err != nil || response.Error != nil {
		return response, err
	}
	v, _ := response.Result.Get("protocolVersion")
	answered, _ := v.Text()
	if !stateful(answered) {
		return response, nil
	}
	c.adopt(answered, Stateful, response.Result)
	const method = "notifications/initialized"
	r := request{method: method}
	f := c.send(ctx, r.encode(), method)
	if status := c.Facts().InitializedStatus; status != 0 && status != http.StatusAccepted {
		c.note(NoteInitializedOdd)
	}
	if f != nil && f.Status == 0 {
		return nil, f
	}
	return response, nil
}

func (c *Conn) initialize(ctx context.Context, offer string) *Fault {
	for try := 1; ; try++ {
		response, err := c.Initialize(ctx, offer)
		if err != nil {
			var f *Fault
			if !errors.As(err, &f) {
				return fault(TransportClosed, Stopped)
			}
			return c.diagnose(ctx, f)
		}
		if response.Error != nil {
			listed, _ := versions(response.Error.Data, "supported")
			next := newestStateful(listed)
			if try > 1 || next == "" || next == offer {
				return fault(ServerNotStarted, HandshakeRefused)
			}
			offer = next
			continue
		}
		revision := c.revision()
		switch {
		case revision == "" && response.Result.Kind() != rawjson.Object:
			return fault(ServerNotStarted, HandshakeInvalid)
		case revision == "":
			return fault(ServerNotStarted, NoCommonRevision)
		case revision != offer:
			c.note(NoteOlderRevision)
		}
		return nil
	}
}

// diagnose looks whether a URL that refuses initialize is an endpoint of the
// HTTP+SSE transport of 2024-11-05.
func (c *Conn) diagnose(ctx context.Context, f *Fault) *Fault {
	t, ok := c.transport().(*httpTransport)
	if !ok || f.Detail != HTTPStatus || f.Status != http.StatusBadRequest && f.Status != http.StatusNotFound && f.Status != http.StatusMethodNotAllowed {
		return f
	}
	if t.opensWithEndpoint(ctx) {
		return fault(ServerNotStarted, OldTransport)
	}
	return f
}

func (c *Conn) adopt(revision string, l Lifecycle, result rawjson.Value) {
	listed, _ := versions(result, "supportedVersions")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.facts.Revision, c.facts.Lifecycle, c.facts.Handshake, c.facts.Supported = revision, l, result, listed
}

// versions reads a list of texts; ok is false when there is none.
func versions(v rawjson.Value, name string) (listed []string, ok bool) {
	list, _ := v.Get(name)
	if list.Kind() != rawjson.Array {
		return nil, false
	}
	const most = 100
	for e := range list.Elements() {
		if text, ok := e.Text(); ok && len(listed) < most {
			listed = append(listed, text)
		}
	}
	return listed, true
}

// renew begins a lost session anew, once in a connection, and reports whether a
// call may be made again. Only calls that change nothing are.
func (c *Conn) renew(ctx context.Context, method string, err error) bool {
	var f *Fault
	t, ok := c.transport().(*httpTransport)
	if !ok || !errors.As(err, &f) || f.Detail != SessionLost || !repeatable(method) {
		return false
	}
	t.mu.Lock()
	first := !t.renewed
	t.renewed = true
	t.mu.Unlock()
	if !first {
		return false
	}
	t.setSession("")
	if c.initialize(ctx, c.revision()) != nil {
		return false
	}
	c.note(NoteSessionRenewed)
	return true
}

func repeatable(method string) bool {
	switch method {
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list", "prompts/get", "resources/read",
		"completion/complete", "ping":
		return true
	}
	return false
}
