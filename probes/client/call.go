package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Pending is a call that has begun.
type Pending struct {
	conn *Conn
	done chan struct{}

	mu       sync.Mutex // guards what follows
	current  *call
	sent     chan struct{}
	response *Response
	err      error
}

// call is one request of a Pending, with an id of its own.
type call struct {
	id      wire.ID
	rawID   []byte
	method  string
	request Request
	timeout time.Duration
	chosen  bool // the caller chose the timeout
	header  header

	cancel  context.CancelCauseFunc
	settled chan struct{}
	sentAt  chan struct{} // closed once the request is written

	// Guarded by Conn.mu.
	over     bool
	response *Response
	fault    *Fault
	written  time.Time
	asked    int
	strays   int       // responses with an id that nobody knows
	torn     int       // frames that look like a message and are no JSON
	orphan   *RPCError // an error without an id
	status   int
}

// settle ends the call once. It requires Conn.mu.
func (k *call) settle(r *Response, f *Fault) {
	if k.over {
		return
	}
	k.over, k.response, k.fault = true, r, f
	close(k.settled)
}

// Start begins a call. The caller waits for Done and then asks for the Result.
func (c *Conn) Start(ctx context.Context, r Request) *Pending {
	p := &Pending{conn: c, done: make(chan struct{}), sent: make(chan struct{})}
	if !c.goWork(func() {
		response, err := c.operation(ctx, p, r)
		p.finish(response, err)
	}) {
		p.finish(nil, fault(TransportClosed, ConnectionIsOver))
	}
	return p
}

func (p *Pending) finish(r *Response, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.response, p.err = r, err
	p.markSent()
	close(p.done)
}

// Done is closed when the call has ended.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Sent is closed when the first request is written, or the call has ended.
func (p *Pending) Sent() <-chan struct{} { return p.sent }

// Result is what Call would have returned. It must not be asked for before Done.
func (p *Pending) Result() (*Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.response, p.err
}

// Cancel tells the server that the answer is not wanted any more: with a
// notification, after which an answer may still come, or for a stateless server
// over HTTP by closing the stream, after which the call ends with ErrCancelled.
// Reason is a word for the server's log. A call that is not Sent yet is not
// cancelled.
func (p *Pending) Cancel(ctx context.Context, reason string) error {
	p.mu.Lock()
	k := p.current
	p.mu.Unlock()
	if k == nil {
		return nil
	}
	if p.conn.overHTTP() && p.conn.stateless() {
		k.cancel(ErrCancelled)
		return nil
	}
	if f := p.conn.sendCancelled(ctx, k, reason); f != nil {
		return f
	}
	return nil
}

// begin makes k the request that a cancellation is about, and lets Sent follow
// it.
func (p *Pending) begin(ctx context.Context, k *call) {
	p.mu.Lock()
	p.current = k
	p.mu.Unlock()
	p.conn.work.Go(func() {
		select {
		case <-k.sentAt:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.markSent()
		case <-ctx.Done():
		}
	})
}

// markSent requires mu.
func (p *Pending) markSent() {
	select {
	case <-p.sent:
	default:
		close(p.sent)
	}
}

func (c *Conn) sendCancelled(ctx context.Context, k *call, reason string) *Fault {
	const method = "notifications/cancelled"
	members := []member{{"requestId", k.rawID}}
	if reason != "" {
		members = append(members, member{"reason", quoted(reason)})
	}
	r := request{method: method, extra: members}
	if c.stateless() {
		r.meta = c.meta(c.revision())
	}
	return c.send(ctx, r.encode(), method)
}

// operation makes a request and, when the answer asks for input, further ones.
func (c *Conn) operation(ctx context.Context, p *Pending, r Request) (*Response, error) {
	params, f := object(r.Params)
	if f != nil {
		return nil, f
	}
	ctx, cancelBudget := c.o.Budget.Context(ctx)
	defer cancelBudget(nil)
	var (
		extra   []member
		latency time.Duration
		asked   int
	)
	for round := 1; ; round++ {
		response, err := c.exchange(ctx, p, r, params, extra)
		if err != nil && c.renew(ctx, r.Method, err) {
			response, err = c.exchange(ctx, p, r, params, extra)
		}
		if err != nil {
			return nil, err
		}
		latency += response.Latency
		asked += response.Asked
		response.Latency, response.Rounds, response.Asked = latency, round, asked
		if !c.stateless() || response.Error != nil || !response.InputRequired() {
			return response, nil
		}
		answers, n, ok := c.inputs(response.Result)
		asked += n
		response.Asked = asked
		if !ok {
			return response, nil
		}
		if asked > r.limit() {
			return nil, fault(TransportError, RequestFlood)
		}
		if round > r.limit() {
			return nil, fault(TransportError, TooManyRounds)
		}
		extra = answers
	}
}

func (r *Request) limit() int {
	if r.MaxServerRequests > 0 {
		return r.MaxServerRequests
	}
	return MaxServerRequests
}

// inputs answers what an input_required result asks for. ok is false when there
// is something that cannot be answered.
func (c *Conn) inputs(result rawjson.Value) (extra []member, asked int, ok bool) {
	requests, hasRequests := result.Get("inputRequests")
	state, hasState := result.Get("requestState")
	if !hasRequests && !hasState {
		return nil, 0, false
	}
	if hasRequests {
		var answers []member
		for key, ask := range requests.Members() {
			asked++
			method, _ := ask.Get("method")
			name, _ := method.Text()
			params, _ := ask.Get("params")
			answer, _ := c.answer(name, params)
			switch {
			case answer != nil:
				c.count(func(n *Counts) { n.Answered++ })
			case name == elicit:
				answer = declineElicitation()
				c.count(func(n *Counts) { n.Declined++ })
			default:
				return nil, asked, false
			}
			answers = append(answers, member{key.Text(), answer})
		}
		extra = append(extra, member{"inputResponses", merge(rawjson.Value{}, answers)})
	}
	if hasState {
		extra = append(extra, member{"requestState", appendCompact(nil, state.Raw())})
	}
	return extra, asked, true
}

// exchange makes one request and waits for what becomes of it.
func (c *Conn) exchange(ctx context.Context, p *Pending, r Request, params rawjson.Value, extra []member) (*Response, error) {
	if f := c.o.Budget.take(); f != nil {
		return nil, f
	}
	k, frame := c.newCall(r, params, extra)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k.cancel = cancel
	if !r.listen {
		stop := c.o.Clock.AfterFunc(k.timeout, func() { cancel(c.timeoutFault(k)) })
		defer stop()
	}
	p.begin(ctx, k)
	f := c.transport().roundTrip(ctx, k, frame)
	c.mu.Lock()
	delete(c.pending, k.id)
	answered := k.over && k.response != nil
	c.closed[k.id] = answered
	response := k.response
	if k.fault != nil {
		f = k.fault
	}
	strays, torn := k.strays, k.torn
	c.mu.Unlock()
	if answered {
		return response, nil
	}
	if cause := context.Cause(ctx); f == nil || errors.Is(cause, ErrCancelled) {
		if errors.Is(cause, ErrCancelled) {
			return nil, ErrCancelled
		}
		f = fault(TransportClosed, ConnectionLost)
	}
	switch {
	case f.Kind == TransportTimeout && strays > 0:
		f = fault(TransportError, MismatchedID)
	case torn > 0 && (f.Detail == NoAnswerInTime || f.Detail == ConnectionLost):
		f = fault(TransportError, MalformedAnswer)
	}
	c.giveUp(k, f)
	return nil, f
}

// giveUp tells the server that nobody waits any more. Closing the stream has
// already told a stateless one over HTTP; initialize must not be cancelled.
func (c *Conn) giveUp(k *call, f *Fault) {
	abandoned := f.Kind == TransportTimeout || f.Kind == BudgetExceeded || f.Detail == Stopped || f.Detail == RequestFlood
	if !abandoned || k.method == "initialize" || k.method == "server/discover" {
		return
	}
	if c.overHTTP() && c.stateless() {
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := c.o.Clock.AfterFunc(time.Second, func() { cancel(fault(TransportTimeout, NoAnswerInTime)) })
	defer stop()
	r := request{method: "notifications/cancelled", extra: []member{{"requestId", k.rawID}}}
	if c.stateless() {
		r.meta = c.meta(c.revision())
	}
	_ = c.transport().send(ctx, r.encode(), "notifications/cancelled") // a courtesy
}

func (c *Conn) timeoutFault(k *call) *Fault {
	if k.request.startup {
		return fault(ServerNotStarted, SilentStart)
	}
	return fault(TransportTimeout, NoAnswerInTime)
}

// newCall gives a request its id and registers it.
func (c *Conn) newCall(r Request, params rawjson.Value, extra []member) (*call, []byte) {
	k := &call{method: r.Method, request: r, settled: make(chan struct{}), sentAt: make(chan struct{})}
	k.timeout, k.chosen = DefaultTimeout, false
	for _, t := range []time.Duration{r.Timeout, c.o.Timeout} {
		if t > 0 && !k.chosen {
			k.timeout, k.chosen = t, true
		}
	}
	if r.startup {
		k.timeout = c.o.StartupTimeout
	}
	modern := r.modern || c.stateless()
	revision := r.Revision
	if revision == "" {
		revision = Revision2026
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextID++
	k.rawID = numberID(c.nextID)
	if r.StringID || r.modern {
		k.rawID = quoted("mcpeval-" + string(k.rawID))
	}
	k.id = wire.IDOf(rawjson.Trusted(k.rawID))
	c.pending[k.id] = k
	if c.over {
		k.settle(nil, fault(TransportClosed, ConnectionIsOver))
	}
	q := request{id: k.rawID, method: r.Method, params: params, extra: extra}
	if modern {
		q.meta = c.meta(revision)
		k.header = headerOf(r.Method, params, revision, c.mirrored)
	}
	return k, q.encode()
}

// markWritten notes that a request's last byte is on its way.
func (c *Conn) markWritten(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.written.IsZero() {
		k.written = c.o.Clock.Now()
		close(k.sentAt)
	}
}

// faultOf is the fault that ended a context.
func faultOf(ctx context.Context) *Fault {
	var f *Fault
	if errors.As(context.Cause(ctx), &f) {
		return f
	}
	return fault(TransportClosed, Stopped)
}
