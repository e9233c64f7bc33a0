package journal

import (
	"bytes"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// parse reads a string and gives its content to one of sanitize's grammars.
func parse[T any](c *cursor, grammar func([]byte) (T, bool)) T {
	v, ok := grammar(c.text())
	c.need(ok)
	return v
}

func memberOf[T any](c *cursor, name string, grammar func([]byte) (T, bool)) T {
	c.member(name)
	return parse(c, grammar)
}

// optional is the zero T when the member is absent.
func optional[T any](c *cursor, name string, grammar func([]byte) (T, bool)) (zero T) {
	if !c.opt(name) {
		return zero
	}
	return parse(c, grammar)
}

func (c *cursor) origin() Origin { return Origin(c.enum("origin", originNames)) }

func (c *cursor) method() sanitize.Method {
	return memberOf(c, "method", sanitize.ParseMethod)
}

func (c *cursor) captureStart() *CaptureStart {
	return &CaptureStart{
		Recorder: RecorderKind(c.enum("recorder", recorderNames)),
		Version:  memberOf(c, "version", sanitize.ParseLabel),
		OS:       memberOf(c, "os", sanitize.ParseLabel),
		Arch:     memberOf(c, "arch", sanitize.ParseLabel),
		SaltID:   memberOf(c, "salt_id", sanitize.ParseSaltID),
	}
}

func (c *cursor) handshake() *Handshake {
	h := &Handshake{
		Protocol:  memberOf(c, "protocol", sanitize.ParseRevision),
		Lifecycle: Lifecycle(c.enum("lifecycle", lifecycleNames)),
	}
	h.ClientCaps = c.capabilities("client_capabilities")
	h.ClientCapsOthers = c.memberInt("client_other")
	h.ServerCaps = c.capabilities("server_capabilities")
	h.ServerCapsOthers = c.memberInt("server_other")
	return h
}

// capabilities reads a sorted array of names without repeats.
func (c *cursor) capabilities(name string) (set sanitize.Capabilities) {
	c.member(name)
	c.lit("[")
	var last []byte
	for !c.bad && c.i < len(c.b) && c.b[c.i] != ']' {
		if last != nil {
			c.lit(",")
		}
		s := c.text()
		c.need(bytes.Compare(last, s) < 0 && set.AddName(s))
		last = s
	}
	c.lit("]")
	return set
}

func (c *cursor) args() (shape sanitize.Shape) {
	if !c.opt("args") {
		return shape
	}
	n := jsonEnd(c.b[c.i:])
	shape, ok := sanitize.ParseShape(c.b[c.i : c.i+n])
	c.need(ok)
	c.i = min(c.i+n, len(c.b))
	return shape
}

// jsonEnd is the length of the JSON value at the start of b, if b holds a
// value without escapes in its strings. Whatever it returns is then checked by
// a grammar.
func jsonEnd(b []byte) int {
	depth, quoted := 0, false
	for i, ch := range b {
		switch {
		case ch == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case ch == '{' || ch == '[':
			depth++
		case ch == '}' || ch == ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ch == ',' && depth == 0:
			return i
		}
	}
	return len(b)
}

func (c *cursor) latency() int64 {
	us := c.optInt("latency_us")
	if us >= 0 {
		c.need(c.memberInt("latency_ms") == us/1000)
	}
	return us
}

func (c *cursor) call() *Call {
	v := &Call{Origin: c.origin(), Method: c.method()}
	v.Tool = optional(c, "tool", sanitize.ParseTool)
	v.Args = c.args()
	v.LatencyUS = c.latency()
	v.RequestBytes = c.memberInt("request_bytes")
	v.ResponseBytes = c.optInt("response_bytes")
	v.Outcome = Outcome(c.enum("outcome", outcomeNames))
	if c.opt("error") {
		v.Error = c.callError()
	}
	v.Cancelled = c.yes("cancelled")
	v.Task = c.yes("task")
	v.Truncated = c.yes("truncated")
	v.LegOf = c.optUUID("leg_of")
	v.Pending = c.optUUID("pending")
	v.AmbiguousKeys = c.nonZero("ambiguous_keys")
	v.ShimSelfUS = c.memberInt("shim_self_us")
	return v
}

// callError reads an object whose members are all optional, so that whichever
// comes first has no comma before it.
func (c *cursor) callError() *CallError {
	e := &CallError{}
	c.lit("{")
	first := true
	opt := func(name string) bool {
		if !first {
			return c.opt(name)
		}
		if c.i+1 < len(c.b) && c.b[c.i] == '"' && bytes.HasPrefix(c.b[c.i+1:], []byte(name+`":`)) {
			c.name(name)
			first = false
			return true
		}
		return false
	}
	if opt("code") {
		n := jsonEnd(c.b[c.i:])
		code, ok := sanitize.ParseCode(c.b[c.i : c.i+n])
		c.need(ok)
		c.i = min(c.i+n, len(c.b))
		e.Code = code
	}
	if opt("layer") {
		e.Layer = parse(c, sanitize.ParseLayer)
	}
	if opt("retryable") {
		e.Retryable = TriOf(c.bool())
	}
	if opt("kind") {
		e.Kind = parse(c, sanitize.ParseBucket)
	}
	if opt("template") {
		c.lit(`"` + errorTemplate + `"`)
		c.member("template_id")
		e.TemplateID = parse(c, sanitize.ParseTemplateID)
	}
	c.lit("}")
	return e
}

func (c *cursor) annotation() *Annotation {
	a := &Annotation{Target: c.optUUID("target")}
	if a.Target == uuid.Nil {
		a.LegacySess = memberOf(c, "target_session", sanitize.ParseSession)
		a.LegacySeq = c.memberInt("target_seq")
	}
	a.Label = AnnotationKind(c.enum("label", annotationNames))
	c.member("note")
	a.Note = c.note()
	return a
}

// note reads the one string that may hold escapes: \" and \\ only.
func (c *cursor) note() sanitize.Note {
	c.lit(`"`)
	var text []byte
	for !c.bad && c.i < len(c.b) && c.b[c.i] != '"' {
		ch := c.b[c.i]
		if ch == '\\' {
			c.i++
			if c.i >= len(c.b) || c.b[c.i] != '"' && c.b[c.i] != '\\' {
				c.fail()
				break
			}
			ch = c.b[c.i]
		}
		text = append(text, ch)
		c.i++
	}
	c.lit(`"`)
	n, ok := sanitize.ParseNote(text)
	c.need(ok)
	return n
}

func (c *cursor) verification() *Verification {
	v := &Verification{
		Finding: memberOf(c, "finding", sanitize.ParseFindingID),
		Case:    memberOf(c, "case", sanitize.ParseLabel),
	}
	c.member("passed")
	v.Passed = c.bool()
	v.Reason = optional(c, "reason", sanitize.ParseLabel)
	v.Definition = memberOf(c, "definition", sanitize.ParseDigest)
	return v
}

func (c *cursor) readiness() *Readiness {
	return &Readiness{
		Standard:     memberOf(c, "standard", sanitize.ParseStandard),
		Total:        c.optInt("total"),
		Protocol:     c.optInt("protocol"),
		Catalog:      c.optInt("catalog"),
		Context:      c.optInt("context"),
		Reliability:  c.optInt("reliability"),
		ErrorHonesty: c.optInt("error_honesty"),
		Coverage:     c.optInt("coverage"),
	}
}

func (c *cursor) pending() *Pending {
	p := &Pending{Origin: c.origin(), Method: c.method()}
	p.Tool = optional(c, "tool", sanitize.ParseTool)
	p.Args = c.args()
	p.RequestBytes = c.memberInt("request_bytes")
	return p
}

func (c *cursor) traffic() (out, in Traffic) {
	out = Traffic{c.memberInt("outbound_frames"), c.memberInt("outbound_bytes")}
	in = Traffic{c.memberInt("inbound_frames"), c.memberInt("inbound_bytes")}
	return out, in
}

func (c *cursor) end() *End {
	e := &End{Events: c.memberInt("events")}
	e.Outbound, e.Inbound = c.traffic()
	e.StrayBefore = c.memberInt("stray_before")
	e.StraySession = c.memberInt("stray_session")
	e.Orphans = c.memberInt("orphans")
	e.Duplicates = c.memberInt("duplicates")
	e.Late = c.memberInt("late")
	e.Progress = c.memberInt("progress")
	e.Direction = c.memberInt("direction")
	e.ExitCode = c.optInt("exit_code")
	e.Signal = c.nonZero("signal")
	e.Killed = c.yes("killed")
	return e
}
