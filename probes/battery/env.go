package battery

import (
	"context"
	"errors"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// probe is a case that can be run. Its error is a fault.
type probe interface {
	run(ctx context.Context, e *env) (verdict, error)
}

// verdict is what a probe finds. The zero value is a pass.
type verdict struct {
	reason reason.Label
	detail *report.Detail
	// first is the number of the attempt that failed, 0 where none is meant.
	first int
}

// because is the verdict of a reason that belongs to no single attempt: a
// failure, or one for which a case does not apply.
func because(l reason.Label) verdict { return verdict{reason: l} }

// over is the verdict of a bound that was passed.
func over(l reason.Label, b report.Bound, limit, observed int) verdict {
	return verdict{reason: l, detail: report.Over(b, int64(limit), int64(observed))}
}

// env is what a case runs in.
type env struct {
	*run
	own      []*client.Conn // end with the case
	used     *client.Conn   // the last one that the case took
	attempts int
	renewed  bool // the common session was begun anew
	together bool // attempts are made at once, so that none is the first
	measured report.Measurements
}

// failed is the verdict of the last attempt.
func (e *env) failed(l reason.Label) verdict { return verdict{reason: l, first: e.attempts} }

func (e *env) count(m report.Metric, n int) { e.measured[m] = report.Int(int64(n)) }

func (e *env) flag(m report.Metric, b bool) { e.measured[m] = report.Bool(b) }

// call makes a tool call on the connection that the case took last. It is an
// attempt.
func (e *env) call(ctx context.Context, c manifest.Call) (*answer, error) {
	return e.attempt(ctx, client.Request{Method: "tools/call", Params: toolParams(c)})
}

// attempt makes a request whose answer is read like that of a tool. A session
// that other cases used, too, may have come to its end: then, once, the case goes
// on in a new one, since the server has not run the call.
func (e *env) attempt(ctx context.Context, q client.Request) (*answer, error) {
	e.attempts++
	response, err := e.used.Do(ctx, q)
	if f, ok := errors.AsType[*client.Fault](err); ok && f.Detail == client.SessionLost && e.used == e.shared && !e.renewed {
		e.renewed = true
		e.notes.reconnects++
		e.dropShared()
		if _, err = e.common(ctx); err == nil {
			response, err = e.used.Do(ctx, q)
		}
	}
	if err != nil {
		return nil, err
	}
	return answerOf(response)
}

func toolParams(c manifest.Call) []byte {
	b := appendText([]byte(`{"name":`), c.Tool)
	b = append(append(b, `,"arguments":`...), c.Arguments...)
	return append(b, '}')
}

// runCase runs one case to its result.
func (r *run) runCase(ctx context.Context, c manifest.Case) report.Case {
	e := &env{run: r, measured: report.Measurements{}}
	v, err := probeOf(c).run(ctx, e)
	if err == nil && e.used != nil && e.attempts > 0 {
		if dead := e.alive(ctx, e.used); dead != nil && verdictOf(v.reason) == report.Fail {
			r.dropShared() // the verdict stands
		} else {
			err = dead
		}
	}
	for _, conn := range e.own {
		r.hangUp(conn)
	}
	result := unrun(c, v.reason)
	result.Attempts, result.Measurements = int64(e.attempts), e.measured
	result.Detail = v.detail
	first := v.first
	if err != nil {
		r.dropShared()
		f := faultOf(err)
		r.notes.fault(f)
		result.Reason, result.Detail, first = LabelOf(f), nil, e.attempts
		result.Passed = verdictOf(result.Reason)
		if result.Reason == reason.EvaluationBudgetExceeded {
			// How far it came depends on time.
			return unrun(c, result.Reason)
		}
	}
	if first > 0 && !e.together && result.Passed == report.Fail {
		n := int64(first)
		result.FirstFailure = &n
	}
	return result
}

// unrun is a case with a reason and no attempt.
func unrun(c manifest.Case, l reason.Label) report.Case {
	head := c.Base()
	return report.Case{
		ID: caseID(c), Probe: head.Probe, Tool: toolOf(c), Passed: verdictOf(l), Reason: l,
		Measurements: report.Measurements{},
	}
}

func verdictOf(l reason.Label) report.Verdict {
	r, _ := reason.Of(l)
	switch r.Class {
	case 0:
		return report.Pass
	case reason.Failure, reason.Fault:
		return report.Fail
	}
	return report.Unjudged
}

func faultOf(err error) *client.Fault {
	if f, ok := errors.AsType[*client.Fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*client.PageError](err); ok && e.Fault != nil {
		return e.Fault
	}
	return &client.Fault{Kind: client.TransportError, Detail: client.MalformedAnswer}
}

// LabelOf is the reason that a fault gives a case. A server that could be
// started before and cannot now has closed, or stays silent.
func LabelOf(f *client.Fault) reason.Label {
	switch f.Kind {
	case client.TransportTimeout:
		return reason.TransportTimeout
	case client.TransportClosed:
		return reason.TransportClosed
	case client.BudgetExceeded:
		return reason.EvaluationBudgetExceeded
	case client.ServerNotStarted:
		switch f.Detail {
		case client.SilentStart, client.NoAnswerInTime, client.ConnectTimeout:
			return reason.TransportTimeout
		case client.ServerExited, client.ServerClosed, client.CommandFailed, client.ConnectFailed, client.ConnectionLost:
			return reason.TransportClosed
		}
	}
	return reason.TransportError
}

// caseID is the case's id, whose grammar a manifest has checked.
func caseID(c manifest.Case) report.CaseID {
	id, _ := report.NewCaseID(c.Base().ID)
	return id
}

// toolOf names the tool that a case is about; a workflow is about none.
func toolOf(c manifest.Case) report.Tool {
	calls := manifest.ToolCalls(c)
	if c.Base().Probe == manifest.KindWorkflow || len(calls) == 0 {
		return report.Tool{}
	}
	return report.ToolOf(calls[0].Tool)
}
