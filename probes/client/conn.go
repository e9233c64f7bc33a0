package client

import (
	"context"
	"sync"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Conn is a connection to a server. Calls may be made from several goroutines.
type Conn struct {
	o      Options
	target Target

	life    context.Context // ends with Close
	endLife context.CancelFunc

	tapMu sync.Mutex // serializes Options.Tap

	mu       sync.Mutex // guards what follows
	tr       transport
	nextID   int64
	pending  map[wire.ID]*call
	closed   map[wire.ID]bool // the ids that are done: true when answered
	heard    bool             // the process has answered something
	idle     int              // server requests outside of calls
	facts    Facts
	counts   Counts
	mirrored map[string][]mirror // per tool, arguments to mirror in headers
	over     bool
	work     sync.WaitGroup // operations and replies
}

// transport carries frames.
type transport interface {
	// roundTrip sends a call's request and returns when the call is settled or
	// its context is done, nil if the call was settled.
	roundTrip(ctx context.Context, k *call, frame []byte) *Fault
	// send sends a notification.
	send(ctx context.Context, frame []byte, method string) *Fault
	// reply sends a response without waiting; it may be dropped.
	reply(frame []byte)
	// close ends the transport in order. It is called once.
	close()
}

// Request is a call in full.
type Request struct {
	Method string
	// Params is a JSON object, or empty for none.
	Params []byte
	// Timeout is used in place of Options.Timeout when it is positive.
	Timeout time.Duration
	// MaxServerRequests is how many requests of the server's are answered or
	// declined meanwhile; one more ends the call. Default MaxServerRequests.
	MaxServerRequests int
	// StringID makes the id a string.
	StringID bool
	// Revision stands in for the connection's own in _meta and headers, of a
	// stateless connection only.
	Revision string

	startup bool // the startup timeout applies
	listen  bool // it has no end: no timeout applies
	modern  bool // _meta and headers whatever the lifecycle
	anyID   bool // any response settles it
}

// Call makes a request and waits for its answer: a result or a JSON-RPC error.
// Its own error is a *Fault, or ErrCancelled.
func (c *Conn) Call(ctx context.Context, method string, params []byte) (*Response, error) {
	return c.Do(ctx, Request{Method: method, Params: params})
}

// Do is Call with everything that can be chosen.
func (c *Conn) Do(ctx context.Context, r Request) (*Response, error) {
	p := c.Start(ctx, r)
	<-p.done
	return p.Result()
}

// Notify sends a notification. Params is a JSON object, or empty for none.
func (c *Conn) Notify(ctx context.Context, method string, params []byte) error {
	v, f := object(params)
	if f != nil {
		return f
	}
	r := request{method: method, params: v}
	if c.stateless() {
		r.meta = c.meta(c.revision())
	}
	if f := c.send(ctx, r.encode(), method); f != nil {
		return f
	}
	return nil
}

func (c *Conn) send(ctx context.Context, frame []byte, method string) *Fault {
	ctx, cancel := c.o.Budget.Context(ctx)
	defer cancel(nil)
	return c.transport().send(ctx, frame, method)
}

// Close ends the connection in order: open calls end with TransportClosed, a
// command is shut down, a session deleted. It may be called repeatedly.
func (c *Conn) Close() {
	c.mu.Lock()
	was := c.over
	c.over = true
	c.mu.Unlock()
	if was {
		return
	}
	c.endLife()
	c.failAll(fault(TransportClosed, ConnectionIsOver))
	c.work.Wait()
	c.transport().close()
	c.work.Wait()
}

// failAll settles every open call with a fault.
func (c *Conn) failAll(f *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.pending {
		k.settle(nil, f)
	}
}

func (c *Conn) revision() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts.Revision
}

func (c *Conn) stateless() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts.Lifecycle == Stateless
}

func (c *Conn) tap(dir journal.Direction, frame []byte, at time.Time) {
	if c.o.Tap == nil {
		return
	}
	c.tapMu.Lock()
	defer c.tapMu.Unlock()
	c.o.Tap(dir, frame, at)
}

// goWork runs f, unless the connection is over.
func (c *Conn) goWork(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.work.Go(f)
	return true
}

// object reads params.
func object(params []byte) (rawjson.Value, *Fault) {
	if len(params) == 0 {
		return rawjson.Value{}, nil
	}
	v, err := rawjson.Parse(params)
	if err != nil || v.Kind() != rawjson.Object {
		return rawjson.Value{}, fault(TransportError, ParamsNotAnObject)
	}
	return v, nil
}

// meta is what a stateless request says of itself.
func (c *Conn) meta(revision string) []member {
	return []member{
		{"io.modelcontextprotocol/protocolVersion", quoted(revision)},
		{"io.modelcontextprotocol/clientInfo", c.clientInfo()},
		{"io.modelcontextprotocol/clientCapabilities", c.capabilities()},
	}
}

func (c *Conn) clientInfo() []byte {
	return merge(rawjson.Value{}, []member{{"name", quoted("mcpeval")}, {"version", quoted(c.o.Version)}})
}

// capabilities declares what is answered and nothing else.
func (c *Conn) capabilities() []byte {
	var declared []member
	for _, x := range []struct {
		name string
		set  bool
	}{
		{"sampling", c.o.Sampling != nil}, {"elicitation", c.o.Elicitation != nil}, {"roots", c.o.Roots != nil},
	} {
		if x.set {
			declared = append(declared, member{x.name, []byte("{}")})
		}
	}
	return merge(rawjson.Value{}, declared)
}
