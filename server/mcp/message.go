package mcp

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// A request is one the SDK knows; needs tells whether it wants params.
var requests = map[string]struct{ needs bool }{
	"completion/complete":      {true},
	"initialize":               {true},
	"logging/setLevel":         {true},
	"ping":                     {},
	"prompts/get":              {true},
	"prompts/list":             {},
	"resources/list":           {},
	"resources/read":           {true},
	"resources/subscribe":      {true},
	"resources/templates/list": {},
	"resources/unsubscribe":    {true},
	"server/discover":          {},
	"subscriptions/listen":     {true},
	"tools/call":               {true},
	"tools/list":               {},
}

// refused is a message that does not reach the SDK.
type refused struct {
	code int64 // of the JSON-RPC error
	why  string
	id   []byte // JSON text; nil answers nobody
	data []byte // JSON text; nil is none
}

// text is the JSON-RPC error.
func (r *refused) text() []byte {
	id := r.id
	if id == nil {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, r.code, 10)
	b = append(b, `,"message":"`+r.why+`"`...)
	if r.data != nil {
		b = append(append(b, `,"data":`...), r.data...)
	}
	return append(b, "}}"...)
}

// message is what came in one HTTP body or on one line. It aliases the text and
// the scanner.
type message struct {
	frame *wire.Frame
	value rawjson.Value // zero unless the frame is RPC
}

// screen reads a message and refuses what the SDK would answer with a text that
// is no JSON-RPC, with another id, or not at all.
func screen(scanner *wire.Scanner, text []byte) (*message, *refused) {
	m := &message{frame: scanner.ScanBody(text)}
	switch m.frame.Class {
	case wire.Blank, wire.NotJSON:
		return nil, &refused{code: jsonrpc.CodeParseError, why: "the message is no JSON text"}
	case wire.NotRPC:
		v, _ := rawjson.Parse(text)
		return nil, &refused{code: jsonrpc.CodeInvalidRequest, why: "the message is no JSON-RPC 2.0", id: idOf(v)}
	}
	var err error
	if m.value, err = rawjson.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))); err != nil {
		return nil, &refused{code: jsonrpc.CodeParseError, why: "the message is no JSON text"}
	}
	if m.frame.Truncated || m.frame.Unparsed > 0 {
		return nil, &refused{code: jsonrpc.CodeInvalidRequest, why: "the message holds what is no JSON-RPC 2.0"}
	}
	if !m.frame.Batch {
		return m, judge(&m.frame.Messages[0], m.value)
	}
	i := 0
	for v := range m.value.Elements() {
		if r := judge(&m.frame.Messages[i], v); r != nil {
			return nil, &refused{code: r.code, why: "in a batch: " + r.why}
		}
		i++
	}
	return m, nil
}

// judge refuses one message.
func judge(m *wire.Message, v rawjson.Value) *refused {
	id := idOf(v)
	invalid := func(code int64, why string) *refused { return &refused{code: code, why: why, id: id} }
	_, named := v.Get("id")
	switch {
	case m.AmbiguousKeys > 0:
		return invalid(jsonrpc.CodeInvalidRequest, "a member is repeated, or differs from a known one in case only")
	case m.Kind == wire.Notification && named, m.Kind == wire.Request && id == nil:
		return invalid(jsonrpc.CodeInvalidRequest, "an id is a string or an integer of at most 53 bits")
	case m.HasParams && m.Params.Kind != rawjson.Object && m.Params.Kind != rawjson.Null:
		return invalid(jsonrpc.CodeInvalidParams, "params are no object")
	case m.Kind != wire.Request:
		return nil
	}
	known, ok := requests[string(m.Method)]
	switch {
	case !ok:
		return invalid(jsonrpc.CodeMethodNotFound, "no such method")
	case known.needs && m.Params.Kind != rawjson.Object:
		return invalid(jsonrpc.CodeInvalidParams, "params are missing")
	}
	return nil
}

// maxID is the greatest integer that every client keeps exactly.
const maxID = 1<<53 - 1

// idOf is the JSON text of the id of a message, nil when there is none that can
// be answered with the same value.
func idOf(v rawjson.Value) []byte {
	if v.Kind() != rawjson.Object {
		return nil
	}
	id, _ := v.Get("id")
	switch id.Kind() {
	case rawjson.String:
		return slices.Clone(id.Raw())
	case rawjson.Number:
		if n, ok := id.Int(); ok && n >= -maxID && n <= maxID {
			return strconv.AppendInt(nil, n, 10)
		}
	}
	return nil
}
