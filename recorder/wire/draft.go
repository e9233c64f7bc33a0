package wire

import "github.com/mcpeval/mcpeval/journal/rawjson"

// span is where a captured value lies: in the arena or in the present chunk.
type span struct{ start, end int }

// draft is a message of the frame while it is being read.
type draft struct {
	head
	spans [slots]span
}

// head is the part of a draft that starts empty.
type head struct {
	start, bytes int64
	id           ID
	isV2         bool // jsonrpc is "2.0"
	idKind       rawjson.Kind
	methodKind   rawjson.Kind
	params       rawjson.Kind
	result       rawjson.Kind
	err          rawjson.Kind
	ambiguous    int
	seen         slotSet // keys, for repeats
	present      slotSet // captured values
	inArena      slotSet // those of present that lie there
}

// kind is 0 for an object that is no JSON-RPC message.
func (d *draft) kind() MessageKind {
	hasID := d.idKind == rawjson.String || d.idKind == rawjson.Number
	switch {
	case !d.isV2:
		return 0
	case d.methodKind == rawjson.String && hasID:
		return Request
	case d.methodKind == rawjson.String:
		return Notification
	case d.methodKind != rawjson.Invalid:
		return 0
	case d.result != rawjson.Invalid, d.err != rawjson.Invalid, hasID:
		return Response
	}
	return 0
}

// build makes the message of a draft whose uncopied values lie in b.
func (s *Scanner) build(m *Message, d *draft, b []byte) {
	m.Kind = d.kind()
	m.Bytes = d.bytes
	m.AmbiguousKeys = d.ambiguous
	m.HasParams = d.params != rawjson.Invalid
	m.HasResult = d.result != rawjson.Invalid
	m.HasError = d.err != rawjson.Invalid
	m.Params.Kind, m.Result.Kind, m.Error.Kind = d.params, d.result, d.err
	if m.Kind != Notification {
		m.ID = d.id
	}
	if m.Kind != Response {
		m.Method = []byte{}
	}
	for x := slotMethod; x < slots; x++ {
		if !d.present.has(x) {
			continue
		}
		from := b
		if d.inArena.has(x) {
			from = s.arena
		}
		at := d.spans[x]
		v := rawjson.Trusted(from[at.start:at.end:at.end])
		if x == slotMethod {
			m.Method = s.decode(v)
		} else {
			*m.value(x) = v
		}
	}
}

// decode is the text of a string, which outlives the next decode.
func (s *Scanner) decode(v rawjson.Value) []byte {
	raw := v.Raw()
	body := raw[1 : len(raw)-1]
	for _, c := range body {
		if c == '\\' {
			start := len(s.decoded)
			s.decoded = v.AppendText(s.decoded)
			return s.decoded[start:len(s.decoded):len(s.decoded)]
		}
	}
	return body
}
