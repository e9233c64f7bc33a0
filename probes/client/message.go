package client

import (
	"bytes"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// RPCError is a JSON-RPC error as it was received. All of it is traffic.
type RPCError struct {
	Code    int64
	Message rawjson.Value // absent, or whatever came
	Data    rawjson.Value
}

// message is one JSON-RPC message as it was received.
type message struct {
	kind      wire.MessageKind
	id        wire.ID
	rawID     rawjson.Value
	method    string
	params    rawjson.Value
	result    rawjson.Value
	err       rawjson.Value
	hasResult bool
	hasError  bool
	isRPC     bool // jsonrpc is right
}

// readMessage reads one object. ok is false for what is no message at all; a
// message whose jsonrpc is wrong has isRPC unset.
func readMessage(v rawjson.Value) (m message, ok bool) {
	var version, method rawjson.Value
	for key, value := range v.Members() {
		switch {
		case key.Is("jsonrpc"):
			version = value
		case key.Is("id"):
			m.rawID = value
		case key.Is("method"):
			method = value
		case key.Is("params"):
			m.params = value
		case key.Is("result"):
			m.result, m.hasResult = value, true
		case key.Is("error"):
			m.err, m.hasError = value, true
		}
	}
	m.id = wire.IDOf(m.rawID)
	text, _ := version.Text()
	m.isRPC = text == "2.0"
	switch {
	case !method.IsZero():
		name, isText := method.Text()
		if !isText {
			return message{}, false
		}
		m.method = name
		m.kind = wire.Notification
		if !m.id.IsZero() {
			m.kind = wire.Request
		}
	case m.hasResult || m.hasError || !m.id.IsZero():
		m.kind = wire.Response
	default:
		return message{}, false
	}
	return m, true
}

// readError reads the error member; ok is false unless it is an object with an
// integer code.
func readError(v rawjson.Value) (e *RPCError, ok bool) {
	code, _ := v.Get("code")
	n, ok := code.Int()
	if !ok {
		return nil, false
	}
	e = &RPCError{Code: n}
	e.Message, _ = v.Get("message")
	e.Data, _ = v.Get("data")
	return e, true
}

// request is one request to be encoded.
type request struct {
	id     []byte // nil for a notification
	method string
	params rawjson.Value // absent or an object
	meta   []member      // merged into params._meta
	extra  []member      // merged into params
}

// member is a member of an object, value as JSON text.
type member struct {
	name  string
	value []byte
}

// encode writes a request on one line.
func (r *request) encode() []byte {
	b := append([]byte(`{"jsonrpc":"2.0",`), ""...)
	if r.id != nil {
		b = append(append(append(b, `"id":`...), r.id...), ',')
	}
	b = appendString(append(b, `"method":`...), r.method)
	if r.params.IsZero() && r.meta == nil && r.extra == nil {
		return append(b, '}')
	}
	b = append(b, `,"params":`...)
	members := r.extra
	if r.meta != nil {
		theirs, _ := r.params.Get("_meta")
		members = append(append([]member{}, r.extra...), member{"_meta", merge(theirs, r.meta)})
	}
	return append(append(b, merge(r.params, members)...), '}')
}

// merge is an object with the members of base, compacted, but for those that are
// given anew.
func merge(base rawjson.Value, members []member) []byte {
	b := []byte{'{'}
	sep := func() {
		if len(b) > 1 {
			b = append(b, ',')
		}
	}
	for key, value := range base.Members() {
		replaced := false
		for _, m := range members {
			replaced = replaced || key.Is(m.name)
		}
		if replaced {
			continue
		}
		sep()
		b = append(append(b, key.Raw()...), ':')
		b = appendCompact(b, value.Raw())
	}
	for _, m := range members {
		sep()
		b = append(appendString(b, m.name), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// appendCompact appends JSON without the white space between tokens: a line
// break would end the message.
func appendCompact(dst, raw []byte) []byte {
	inText := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inText && c == '\\':
			dst = append(dst, c)
			i++
			if i < len(raw) {
				dst = append(dst, raw[i])
			}
			continue
		case c == '"':
			inText = !inText
		case !inText && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// appendString appends a text as a JSON string. Bytes that are no UTF-8 are
// replaced.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range string(bytes.ToValidUTF8([]byte(s), []byte("\ufffd"))) {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, string(c)...)
		}
	}
	return append(dst, '"')
}

func quoted(s string) []byte { return appendString(nil, s) }

func numberID(n int64) []byte { return strconv.AppendInt(nil, n, 10) }
