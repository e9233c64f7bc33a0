package journal

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// AppendEvent appends the canonical line of ev, without its newline, and
// returns the extended slice. The form is fixed: fields in the order of
// docs/format.md, no spaces, no escapes but \" and \\, shortest integers, so
// that equal events have equal bytes and their SHA-256 is their identity.
func AppendEvent(b []byte, ev *Event) []byte {
	b = append(b, v1Prefix...)
	b = appendUUID(b, ev.Capture)
	b = append(b, `","event_id":"`...)
	b = appendUUID(b, ev.ID)
	b = append(b, `"},"prev":"`...)
	b = hex.AppendEncode(b, ev.Prev[:])
	b = append(b, `","seq":`...)
	b = strconv.AppendInt(b, ev.Seq, 10)
	b = append(b, `,"ts":"`...)
	b = appendTime(b, ev.TS)
	b = appendString(b, `","session":"`, ev.Session.String())
	b = appendString(b, `","server":"`, ev.Server.String())
	b = appendString(b, `","kind":"`, ev.Kind.String())
	b = appendString(b, `","type":"`, ev.Body.Type().String())
	b = append(b, '"')
	b = ev.Body.appendFields(b)
	return append(b, '}')
}

// v1Prefix starts every version 1 line and no other.
const v1Prefix = `{"schema":"` + Schema + `","identity":{"capture_id":"`

func appendString(b []byte, before, s string) []byte {
	return append(append(b, before...), s...)
}

// str, num, yes and id append one member; the opt forms leave an absent one out.
func str(b []byte, name, s string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":"`...)
	b = append(b, s...)
	return append(b, '"')
}

func optStr(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return str(b, name, s)
}

func raw(b []byte, name, token string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return append(b, token...)
}

func optRaw(b []byte, name, token string) []byte {
	if token == "" {
		return b
	}
	return raw(b, name, token)
}

func num(b []byte, name string, n int64) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendInt(b, n, 10)
}

// optNum leaves out a negative number, which means absent.
func optNum(b []byte, name string, n int64) []byte {
	if n < 0 {
		return b
	}
	return num(b, name, n)
}

// nonZero leaves out zero.
func nonZero(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return num(b, name, n)
}

func yes(b []byte, name string, v bool) []byte {
	if !v {
		return b
	}
	return raw(b, name, "true")
}

func optID(b []byte, name string, id uuid.UUID) []byte {
	if id == uuid.Nil {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":"`...)
	b = appendUUID(b, id)
	return append(b, '"')
}

func appendUUID(b []byte, id uuid.UUID) []byte {
	b = hex.AppendEncode(b, id[0:4])
	b = append(b, '-')
	b = hex.AppendEncode(b, id[4:6])
	b = append(b, '-')
	b = hex.AppendEncode(b, id[6:8])
	b = append(b, '-')
	b = hex.AppendEncode(b, id[8:10])
	b = append(b, '-')
	return hex.AppendEncode(b, id[10:16])
}

// appendTime writes 2006-01-02T15:04:05.000Z.
func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	y, mo, d := t.Date()
	h, mi, s := t.Clock()
	b = digits(b, y, 4)
	b = append(b, '-')
	b = digits(b, int(mo), 2)
	b = append(b, '-')
	b = digits(b, d, 2)
	b = append(b, 'T')
	b = digits(b, h, 2)
	b = append(b, ':')
	b = digits(b, mi, 2)
	b = append(b, ':')
	b = digits(b, s, 2)
	b = append(b, '.')
	b = digits(b, t.Nanosecond()/1e6, 3)
	return append(b, 'Z')
}

func digits(b []byte, v, width int) []byte {
	n := len(b)
	for range width {
		b = append(b, '0')
	}
	for i := n + width - 1; i >= n; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return b
}

func (c *CaptureStart) appendFields(b []byte) []byte {
	b = str(b, "recorder", c.Recorder.String())
	b = str(b, "version", c.Version.String())
	b = str(b, "os", c.OS.String())
	b = str(b, "arch", c.Arch.String())
	return str(b, "salt_id", c.SaltID.String())
}

func (h *Handshake) appendFields(b []byte) []byte {
	b = str(b, "protocol", h.Protocol.String())
	b = str(b, "lifecycle", h.Lifecycle.String())
	b = names(b, "client_capabilities", h.ClientCaps.Names())
	b = num(b, "client_other", h.ClientCapsOthers)
	b = names(b, "server_capabilities", h.ServerCaps.Names())
	return num(b, "server_other", h.ServerCapsOthers)
}

func names(b []byte, name string, list []string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":[`...)
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, s...)
		b = append(b, '"')
	}
	return append(b, ']')
}

func (c *Call) appendFields(b []byte) []byte {
	b = str(b, "origin", c.Origin.String())
	b = str(b, "method", c.Method.String())
	b = optStr(b, "tool", c.Tool.String())
	b = optRaw(b, "args", c.Args.String())
	if c.LatencyUS >= 0 {
		b = num(b, "latency_us", c.LatencyUS)
		b = num(b, "latency_ms", c.LatencyUS/1000)
	}
	b = num(b, "request_bytes", c.RequestBytes)
	b = optNum(b, "response_bytes", c.ResponseBytes)
	b = str(b, "outcome", c.Outcome.String())
	if c.Error != nil {
		b = append(b, `,"error":`...)
		b = c.Error.append(b)
	}
	b = yes(b, "cancelled", c.Cancelled)
	b = yes(b, "task", c.Task)
	b = yes(b, "truncated", c.Truncated)
	b = optID(b, "leg_of", c.LegOf)
	b = optID(b, "pending", c.Pending)
	b = nonZero(b, "ambiguous_keys", c.AmbiguousKeys)
	return num(b, "shim_self_us", c.ShimSelfUS)
}

func (e *CallError) append(b []byte) []byte {
	at := len(b)
	b = optRaw(b, "code", e.Code.Token())
	b = optStr(b, "layer", e.Layer.String())
	switch e.Retryable {
	case True:
		b = raw(b, "retryable", "true")
	case False:
		b = raw(b, "retryable", "false")
	}
	b = optStr(b, "kind", e.Kind.String())
	if !e.TemplateID.IsZero() {
		b = str(b, "template", errorTemplate)
		b = str(b, "template_id", e.TemplateID.String())
	}
	if len(b) == at {
		return append(b, "{}"...)
	}
	b[at] = '{' // in the place of the first member's comma
	return append(b, '}')
}

// errorTemplate stands for every error text: the text itself is never kept.
const errorTemplate = "{message}"

func (n *Notification) appendFields(b []byte) []byte {
	b = str(b, "origin", n.Origin.String())
	return str(b, "method", n.Method.String())
}

func (u *Unparsed) appendFields(b []byte) []byte {
	return str(b, "direction", u.Direction.String())
}

func (a *Annotation) appendFields(b []byte) []byte {
	if a.Target != uuid.Nil {
		b = optID(b, "target", a.Target)
	} else {
		b = str(b, "target_session", a.LegacySess.String())
		b = num(b, "target_seq", a.LegacySeq)
	}
	b = str(b, "label", a.Label.String())
	b = append(b, `,"note":"`...)
	for _, c := range []byte(a.Note.String()) {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

func (v *Verification) appendFields(b []byte) []byte {
	b = str(b, "finding", v.Finding.String())
	b = str(b, "case", v.Case.String())
	if v.Passed {
		b = raw(b, "passed", "true")
	} else {
		b = raw(b, "passed", "false")
	}
	b = optStr(b, "reason", v.Reason.String())
	return str(b, "definition", v.Definition.String())
}

func (r *Readiness) appendFields(b []byte) []byte {
	b = str(b, "standard", r.Standard.String())
	b = optNum(b, "total", r.Total)
	b = optNum(b, "protocol", r.Protocol)
	b = optNum(b, "catalog", r.Catalog)
	b = optNum(b, "context", r.Context)
	b = optNum(b, "reliability", r.Reliability)
	b = optNum(b, "error_honesty", r.ErrorHonesty)
	return optNum(b, "coverage", r.Coverage)
}

func (p *Pending) appendFields(b []byte) []byte {
	b = str(b, "origin", p.Origin.String())
	b = str(b, "method", p.Method.String())
	b = optStr(b, "tool", p.Tool.String())
	b = optRaw(b, "args", p.Args.String())
	return num(b, "request_bytes", p.RequestBytes)
}

func (g *Gap) appendFields(b []byte) []byte {
	return traffic(b, g.Outbound, g.Inbound)
}

func traffic(b []byte, out, in Traffic) []byte {
	b = num(b, "outbound_frames", out.Frames)
	b = num(b, "outbound_bytes", out.Bytes)
	b = num(b, "inbound_frames", in.Frames)
	return num(b, "inbound_bytes", in.Bytes)
}

func (e *End) appendFields(b []byte) []byte {
	b = num(b, "events", e.Events)
	b = traffic(b, e.Outbound, e.Inbound)
	b = num(b, "stray_before", e.StrayBefore)
	b = num(b, "stray_session", e.StraySession)
	b = num(b, "orphans", e.Orphans)
	b = num(b, "duplicates", e.Duplicates)
	b = num(b, "late", e.Late)
	b = num(b, "progress", e.Progress)
	b = num(b, "direction", e.Direction)
	b = optNum(b, "exit_code", e.ExitCode)
	b = nonZero(b, "signal", e.Signal)
	return yes(b, "killed", e.Killed)
}
