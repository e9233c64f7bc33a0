package journal

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Errors of decoding, returned when a complete line is not what its file may
// hold. They never hold the line's content.
var (
	ErrSkip     = errors.New("line is counted and skipped")                // returned for lines of probes/history.jsonl
	ErrTooLong  = errors.New("line is too long")                           // returned when a line passes its bound
	ErrNoSchema = errors.New("line has no event schema")                   // returned for a line of a capture log without the v1 prefix
	ErrSchema   = errors.New("unknown event schema, or not canonical")     // returned for a line that names a schema this version cannot read
	ErrLegacy   = errors.New("not a JSON object with ts, session and seq") // returned for a legacy line that lacks what every record has
)

// FieldError says where a version 1 line leaves the canonical form.
type FieldError struct {
	Field  string // the field that was being read
	Offset int    // in bytes from the start of the line
}

func (e *FieldError) Error() string {
	return "not a canonical event: field " + e.Field + " at byte " + strconv.Itoa(e.Offset)
}

// Decoder decodes lines into events. It keeps the last session and server to
// save allocations; it is not safe for concurrent use.
type Decoder struct {
	session sanitize.Session
	server  sanitize.Label
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder { return &Decoder{} }

// Decode reads one line, without its newline, of a file of the given kind.
// A version 1 line decodes only if it is AppendEvent of the result; a legacy
// line is sanitized. The event keeps nothing of line. Errors are ErrSkip or
// describe a corrupt line without quoting it.
func (d *Decoder) Decode(kind FileKind, line []byte, ev *Event) error {
	if kind == FileHistory {
		return ErrSkip
	}
	if bytes.HasPrefix(line, []byte(v1Prefix)) {
		return d.decodeV1(line, ev)
	}
	switch kind {
	case FileLegacyCalls, FileLegacyAnnotations:
		return d.decodeLegacy(kind, line, ev)
	}
	if bytes.HasPrefix(line, []byte(`{"schema":"`)) {
		return ErrSchema
	}
	return ErrNoSchema
}

func (d *Decoder) decodeV1(line []byte, ev *Event) error {
	if len(line) >= MaxLine {
		return ErrTooLong
	}
	c := cursor{b: line, i: len(v1Prefix), field: "identity"}
	*ev = Event{}
	ev.Capture = c.uuid(4)
	c.lit(`","event_id":"`)
	ev.ID = c.uuid(7)
	c.lit(`"},`)
	c.name("prev")
	c.hex(ev.Prev[:])
	c.lit(",")
	c.name("seq")
	ev.Seq = c.int()
	c.lit(",")
	c.name("ts")
	ev.TS = c.time()
	c.lit(",")
	c.name("session")
	ev.Session = d.lastSession(c.text(), &c)
	c.lit(",")
	c.name("server")
	ev.Server = d.lastServer(c.text(), &c)
	ev.Kind = Kind(c.enum("kind", kindNames))
	switch Type(c.enum("type", typeNames)) {
	case TypeCapture:
		ev.Body = c.captureStart()
	case TypeHandshake:
		ev.Body = c.handshake()
	case TypeCall:
		ev.Body = c.call()
	case TypeNotification:
		ev.Body = &Notification{Origin: c.origin(), Method: c.method()}
	case TypeUnparsed:
		ev.Body = &Unparsed{Direction(c.enum("direction", directionNames))}
	case TypeAnnotation:
		ev.Body = c.annotation()
	case TypeVerification:
		ev.Body = c.verification()
	case TypeReadiness:
		ev.Body = c.readiness()
	case TypePending:
		ev.Body = c.pending()
	case TypeGap:
		g := &Gap{}
		g.Outbound, g.Inbound = c.traffic()
		ev.Body = g
	case TypeEnd:
		ev.Body = c.end()
	}
	if !c.bad {
		c.field = "end of line"
		c.lit("}")
		c.need(c.i == len(line))
	}
	if !c.bad {
		c.field = "seq"
		isFirst := ev.Seq == 1
		if ev.Seq < 1 || isFirst != (ev.Body.Type() == TypeCapture) || isFirst && ev.Prev != (Prev{}) {
			c.fail()
		}
	}
	if c.bad {
		return &FieldError{Field: c.field, Offset: c.at}
	}
	return nil
}

func (d *Decoder) lastSession(b []byte, c *cursor) sanitize.Session {
	if string(b) != d.session.String() || d.session.IsZero() {
		s, ok := sanitize.ParseSession(b)
		c.need(ok)
		d.session = s
	}
	return d.session
}

func (d *Decoder) lastServer(b []byte, c *cursor) sanitize.Label {
	if string(b) != d.server.String() || d.server.IsZero() {
		s, ok := sanitize.ParseLabel(b)
		c.need(ok)
		d.server = s
	}
	return d.server
}
