package demo

import (
	"context"
	"strings"
)

// toolCall is one tools/call.
type toolCall struct {
	name   string
	number int // of the call in its session, from 1
	nth    int // of the call among those of the same tool
	args   object
	key    string // the tool and its arguments, to remember calls by
}

// outcome is what became of a tool: a structured result, a text that says why
// there is none, or a JSON-RPC error.
type outcome struct {
	result  object
	failure string
	refused *failed
	silent  bool
	exit    bool
	needed  object // 2026-07-28: what has to be asked of the client first
	cancel  bool   // the client cancelled the call
}

func ok(result object) outcome    { return outcome{result: result} }
func failure(text string) outcome { return outcome{failure: text} }
func refused(f *failed) outcome   { return outcome{refused: f} }

// tools are all tools, in catalog order.
func (s *Server) tools() []tool {
	list := tools()
	if s.aspect.extra != nil {
		list = append(list, s.aspect.extra()...)
	}
	return list
}

// callTool answers tools/call, the aspect's way where it has one.
func (x *exchange) callTool() reply {
	name := text(x.request.params, "name")
	c := &toolCall{name: name, number: x.call, nth: x.ofTool}
	raw, readable := value(x.request.params["arguments"])
	c.args, _ = raw.(object)
	c.key = name + string(line(raw))
	a := &x.server.aspect
	if a.handle != nil {
		if r, ok := a.handle(x, c); ok {
			return r
		}
	}
	if name == "" {
		return refusal(codeInvalidParams, "tools/call needs the name of a tool")
	}
	t := x.server.findTool(name)
	switch {
	case t == nil && a.unknownTool:
		return x.toolResult(c, failure("Unknown tool"), false)
	case t == nil:
		return refusal(codeInvalidParams, "Unknown tool; tools/list names them all")
	case !readable:
		return x.toolResult(c, failure("arguments cannot be read"), true)
	}
	if wrong := t.input.check("arguments", raw); wrong != "" {
		if a.misfit != nil {
			return a.misfit(x, c, wrong)
		}
		return x.toolResult(c, failure(wrong), true)
	}
	if t.slow == nil && a.delay == 0 && !a.lock {
		return x.finish(c, t.run(x, c))
	}
	return reply{later: func(ctx context.Context) reply { return x.runLater(ctx, t, c) }}
}

// runLater runs a tool that takes time, or whose answer an aspect delays.
func (x *exchange) runLater(ctx context.Context, t *tool, c *toolCall) reply {
	a := &x.server.aspect
	if a.lock {
		free := x.server.lock.hold(ctx, x.server.after)
		if !free {
			return x.finish(c, failure("another client is using the station; only one can"))
		}
	}
	running := ctx
	if a.deaf {
		running = context.WithoutCancel(ctx)
	}
	if a.delay > 0 && !x.server.wait(running, a.delay) {
		return x.cancelled()
	}
	if t.slow == nil {
		return x.finish(c, t.run(x, c))
	}
	return x.finish(c, t.slow(running, x, c))
}

// cancelled is what becomes of a call that was cancelled: silence.
func (x *exchange) cancelled() reply {
	if hook := x.server.aspect.cancel; hook != nil {
		return hook(x)
	}
	return silence()
}

// finish makes an outcome a reply.
func (x *exchange) finish(c *toolCall, o outcome) reply {
	switch {
	case o.cancel:
		return x.cancelled()
	case o.silent:
		return silence()
	case o.exit:
		return death()
	case o.refused != nil:
		return reply{failure: o.refused}
	case o.needed != nil:
		o.needed["resultType"] = "input_required"
		o.needed["_meta"] = object{metaServerInfo: serverInfo(x.revision)}
		return reply{result: o.needed}
	}
	return x.toolResult(c, o, o.failure != "")
}

// toolResult is the result of tools/call.
func (x *exchange) toolResult(c *toolCall, o outcome, isError bool) reply {
	message := o.failure
	if o.result != nil {
		if hook := x.server.aspect.change; hook != nil {
			hook(c, o.result)
		}
		message = strings.TrimSuffix(string(line(o.result)), "\n")
	}
	result := object{"content": []object{{"type": "text", "text": message}}}
	if o.result != nil && x.revision >= revision2025b {
		result["structuredContent"] = o.result
	}
	if isError {
		result["isError"] = true
	}
	if hook := x.server.aspect.result; hook != nil {
		hook(c, result)
	}
	return x.done(result)
}

func (s *Server) findTool(name string) *tool {
	for _, t := range s.tools() {
		if t.name == name {
			return &t
		}
	}
	return nil
}
