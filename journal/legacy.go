package journal

import (
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// unlisted stands for a label or note a legacy record lacks.
const unlisted = "unlisted"

// legacyFields are the members of a record that was written before events had
// a schema. Absent ones are zero; of repeated ones the last counts.
type legacyFields struct {
	ts, session, seq, server, method, tool, args, latency, outcome, errobj, self, kind, note, identity rawjson.Value
}

// decodeLegacy sanitizes a record: what is outside the closed grammar becomes
// its bucket, a raw session its token. Only what every record must have can
// make it corrupt. A record without identity keeps zero IDs.
func (d *Decoder) decodeLegacy(kind FileKind, line []byte, ev *Event) error {
	v, err := rawjson.Parse(line)
	if err != nil || v.Kind() != rawjson.Object {
		return ErrLegacy
	}
	var f legacyFields
	for key, val := range v.Members() {
		if key.Is("schema") {
			return ErrSchema
		}
		if p := f.field(key); p != nil {
			*p = val
		}
	}
	*ev = Event{Legacy: true, Kind: Real}
	session, okSession := f.session.Text()
	seq, okSeq := f.seq.Int()
	ts, okTS := legacyTime(f.ts)
	if !okSession || !okSeq || seq < 0 || !okTS {
		return ErrLegacy
	}
	ev.TS, ev.Seq = ts, seq
	ev.Session = sanitize.SessionOf(session)
	ev.Capture, ev.ID = legacyIdentity(f.identity)
	if s, _ := f.kind.Text(); s == Synthetic.String() {
		ev.Kind = Synthetic
	}
	if kind == FileLegacyAnnotations {
		return f.annotation(ev)
	}
	ev.Server = legacyLabel(f.server)
	ev.Body = f.body()
	return nil
}

func (f *legacyFields) field(key rawjson.Key) *rawjson.Value {
	switch {
	case key.Is("ts"):
		return &f.ts
	case key.Is("session"):
		return &f.session
	case key.Is("seq"):
		return &f.seq
	case key.Is("server"):
		return &f.server
	case key.Is("method"):
		return &f.method
	case key.Is("tool"):
		return &f.tool
	case key.Is("args"):
		return &f.args
	case key.Is("latency_ms"):
		return &f.latency
	case key.Is("outcome"):
		return &f.outcome
	case key.Is("error"):
		return &f.errobj
	case key.Is("shim_self_us"):
		return &f.self
	case key.Is("kind"):
		return &f.kind
	case key.Is("note"):
		return &f.note
	case key.Is("identity"):
		return &f.identity
	}
	return nil
}

// body is the record of a call, or of a frame that could not be parsed.
func (f *legacyFields) body() Body {
	outcome, _ := f.outcome.Text()
	kind, _ := f.kind.Text()
	method, _ := f.method.Text()
	if outcome == "unparsed" || kind == "unparsed" {
		u := &Unparsed{Direction: Outbound}
		if method == "unparsed/"+Inbound.String() {
			u.Direction = Inbound
		}
		return u
	}
	c := &Call{
		Origin: FromClient, Method: sanitize.MethodOf([]byte(method)),
		LatencyUS: -1, RequestBytes: -1, ResponseBytes: -1, Outcome: OutcomeUnknown,
	}
	if tool, ok := f.tool.Text(); ok {
		c.Tool = sanitize.ToolOf([]byte(tool), false)
	}
	if !f.args.IsZero() {
		c.Args = sanitize.ShapeFromLegacy(f.args)
	}
	if ms, ok := f.latency.Int(); ok && ms >= 0 && ms < 1<<50 {
		c.LatencyUS = ms * 1000
	}
	if us, ok := f.self.Int(); ok && us >= 0 {
		c.ShimSelfUS = us
	}
	switch outcome {
	case "ok":
		c.Outcome = OutcomeOK
	case "error":
		c.Outcome = OutcomeError
	}
	if f.errobj.Kind() == rawjson.Object {
		c.Error = legacyError(f.errobj)
	}
	return c
}

func legacyError(v rawjson.Value) *CallError {
	e := &CallError{}
	if code, ok := v.Get("code"); ok {
		e.Code = sanitize.CodeFromLegacy(code)
	}
	if layer, ok := v.Get("layer"); ok {
		e.Layer = sanitize.LayerFromLegacy(layer)
	}
	if kind, ok := v.Get("kind"); ok {
		e.Kind = sanitize.BucketFromLegacy(kind)
	}
	if r, ok := v.Get("retryable"); ok {
		if b, ok := r.Bool(); ok {
			e.Retryable = TriOf(b)
		}
	}
	if id, ok := v.Get("template_id"); ok {
		if s, ok := id.Text(); ok {
			e.TemplateID, _ = sanitize.ParseTemplateID([]byte(s))
		}
	}
	return e
}

// annotation reads `ts session seq kind note`: kind is the annotation's own.
func (f *legacyFields) annotation(ev *Event) error {
	name, _ := f.kind.Text()
	note, _ := f.note.Text()
	a := &Annotation{LegacySess: ev.Session, LegacySeq: ev.Seq, Label: UndocumentedBehavior}
	if k, ok := ParseAnnotationKind(name); ok {
		a.Label = k
	}
	var ok bool
	if a.Note, ok = sanitize.ParseNote([]byte(note)); !ok {
		a.Note, ok = sanitize.ParseNote([]byte(sanitize.BucketOf(f.note).String()))
	}
	if !ok { // there is none
		a.Note, _ = sanitize.ParseNote([]byte(unlisted))
	}
	ev.Body = a
	return nil
}

func legacyLabel(v rawjson.Value) sanitize.Label {
	s, _ := v.Text()
	if l, ok := sanitize.ParseLabel([]byte(s)); ok {
		return l
	}
	l, _ := sanitize.ParseLabel([]byte(unlisted))
	return l
}

// legacyIdentity needs both IDs: half an identity proves nothing.
func legacyIdentity(v rawjson.Value) (capture, event uuid.UUID) {
	if v.Kind() != rawjson.Object {
		return
	}
	c, _ := v.Get("capture_id")
	e, _ := v.Get("event_id")
	cs, _ := c.Text()
	es, _ := e.Text()
	cid, ok1 := parseUUID([]byte(cs))
	eid, ok2 := parseUUID([]byte(es))
	if !ok1 || !ok2 || cid == uuid.Nil || eid == uuid.Nil {
		return
	}
	return cid, eid
}

// legacyTime accepts any RFC 3339 time and keeps whole milliseconds, in UTC.
func legacyTime(v rawjson.Value) (time.Time, bool) {
	s, ok := v.Text()
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, false
	}
	t = t.UTC().Truncate(time.Millisecond)
	if t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}
