package recorder

import (
	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// verdict is what a response says about its request.
type verdict struct {
	outcome journal.Outcome
	task    bool
	err     *journal.CallError // only with OutcomeError
}

var unknown = verdict{outcome: journal.OutcomeUnknown}

// judge reads a response. It claims success or failure only where the
// response says so in the form the protocol gives it.
func (c *Correlator) judge(q *request, p part) verdict {
	m := p.m
	switch {
	case m.HasResult == m.HasError:
		return unknown
	case m.HasError && m.Error.Kind != rawjson.Object:
		return unknown
	case m.HasError && q.cancelled && c.isCancelReply(&m.Error):
		return verdict{outcome: journal.OutcomeCancelled}
	case m.HasError:
		return verdict{outcome: journal.OutcomeError, err: c.protocolError(&m.Error)}
	case m.Result.Kind != rawjson.Object:
		return unknown
	}
	return c.judgeResult(q, p)
}

func (c *Correlator) judgeResult(q *request, p part) verdict {
	r := &p.m.Result
	switch c.resultType(r.Type) {
	case typeTask:
		return verdict{outcome: journal.OutcomeOK, task: true}
	case typeInputRequired:
		if r.RequestState.IsZero() && r.InputRequests.IsZero() && !p.truncated {
			return unknown
		}
		return verdict{outcome: journal.OutcomeInputRequired}
	case typeInvalid:
		return unknown
	}
	if (q.role == toolsCall || q.role == tasksResult) && !r.IsError.IsZero() {
		failed, ok := r.IsError.Bool()
		if !ok {
			return unknown
		}
		if failed {
			return verdict{outcome: journal.OutcomeError, err: c.toolError(r)}
		}
	}
	// 2025-11-25: a task only where the request asked for one.
	if q.wantsTask && r.Task.Kind() == rawjson.Object {
		return verdict{outcome: journal.OutcomeOK, task: true}
	}
	return verdict{outcome: journal.OutcomeOK}
}

type resultType uint8

const (
	typeComplete resultType = iota // absent in every revision before 2026-07-28
	typeInputRequired
	typeTask
	typeInvalid
)

func (c *Correlator) resultType(v rawjson.Value) resultType {
	if v.IsZero() {
		return typeComplete
	}
	c.text = v.AppendText(c.text[:0]) // empty for anything but a string
	switch string(c.text) {
	case "complete":
		return typeComplete
	case "input_required":
		return typeInputRequired
	case "task":
		return typeTask
	}
	return typeInvalid
}

// isAbsent reports whether a member is missing or null.
func isAbsent(v rawjson.Value) bool {
	k := v.Kind()
	return k == rawjson.Invalid || k == rawjson.Null
}
