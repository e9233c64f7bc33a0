package battery

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// cancellation makes a call twice, once to its end and once cancelled on the way,
// and also cancels the call that has ended, which must do nothing.
type cancellation struct{ *manifest.Cancellation }

// slowEnough is how long a call must take for its result to show that the
// cancellation was ignored: that of a faster one may have been on its way.
const slowEnough = 100 * time.Millisecond

// early is the part of a call's time after which it is cancelled. A server that
// takes requests from several connections may see a cancellation that is sent at
// once before the call that it is about.
const early = 4

func (p cancellation) run(ctx context.Context, e *env) (verdict, error) {
	conn, err := e.fresh(ctx, nil)
	if err != nil {
		return verdict{}, err
	}
	facts := conn.Facts()
	if facts.Lifecycle == client.Stateless && len(e.Target.Command) == 0 {
		// The call is cancelled by closing its stream: nothing can come after that.
		return because(reason.Unobservable), nil
	}
	q := client.Request{Method: "tools/call", Params: toolParams(p.Call)}
	whole := conn.Start(ctx, q)
	e.attempts = 1
	a, err := e.result(whole)
	if err != nil {
		return verdict{}, err
	}
	if !a.ok {
		return e.failed(reason.UnexpectedOutcome), nil
	}
	natural := a.Latency

	pending := conn.Start(ctx, q)
	e.attempts = 2
	<-pending.Sent()
	over, err := e.wait(ctx, pending.Done(), natural/early)
	switch {
	case err != nil:
		return verdict{}, err
	case over:
		return because(reason.Unobservable), nil
	}
	if err := pending.Cancel(ctx, p.Reason); err != nil {
		return p.errored(e, err)
	}
	if err := whole.Cancel(ctx, p.Reason); err != nil {
		return p.errored(e, err)
	}
	answered, err := e.wait(ctx, pending.Done(), time.Duration(p.GraceSeconds)*time.Second)
	if err != nil {
		return verdict{}, err
	}
	if answered {
		a, err = e.result(pending)
		switch {
		case err != nil:
			return p.errored(e, err)
		case a.ok && natural < slowEnough:
			return because(reason.Unobservable), nil
		case a.ok:
			return e.failed(reason.CancellationIgnored), nil
		case !saysCancelled(a):
			return e.failed(reason.CancellationErrored), nil
		}
	}
	e.flag(report.Cancelled, true)
	if err := e.answers(ctx, conn); err != nil {
		return p.errored(e, err)
	}
	return verdict{}, nil
}

// errored is the verdict of a server that a cancellation breaks.
func (p cancellation) errored(e *env, err error) (verdict, error) {
	if client.KindOf(err) == client.BudgetExceeded {
		return verdict{}, err
	}
	return e.failed(reason.CancellationErrored), nil
}

// result is what a call that has begun comes to.
func (e *env) result(p *client.Pending) (*answer, error) {
	<-p.Done()
	response, err := p.Result()
	if err != nil {
		return nil, err
	}
	return answerOf(response)
}

// answers asks a server for a sign of life and takes none for its end.
func (e *env) answers(ctx context.Context, conn *client.Conn) error {
	_, err := conn.Do(ctx, e.signOfLife(conn))
	if _, ok := errors.AsType[*client.Fault](err); ok {
		return err
	}
	return nil
}

// Codes by which servers say that they gave a request up on demand.
const (
	codeRequestCancelled = -32800
	codeServerCancelled  = -32802
)

// saysCancelled reports whether an error is the answer to a cancellation. No code
// is agreed upon, so that the text counts too.
func saysCancelled(a *answer) bool {
	var text []byte
	if a.Error != nil {
		if a.Error.Code == codeRequestCancelled || a.Error.Code == codeServerCancelled {
			return true
		}
		text = a.Error.Message.AppendText(nil)
	} else {
		v, _ := a.Result.Get("content")
		text = v.Raw()
	}
	return bytes.Contains(bytes.ToLower(text), []byte("cancel"))
}
