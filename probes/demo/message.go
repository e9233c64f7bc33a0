package demo

import (
	"bytes"
	"encoding/json"
	"io"
)

// The JSON-RPC error codes the server answers with.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNoResource     = -32002 // until 2025-11-25
	codeHeader         = -32020 // 2026-07-28: headers and body disagree
	codeUnsupported    = -32022 // 2026-07-28: unsupported protocol version
)

// object is a JSON object that is being built. Its keys are written sorted, so
// that the same object always gives the same bytes.
type object = map[string]any

// members is a JSON object that was read. Keys are matched by case, which
// encoding/json does for maps and not for structs.
type members = map[string]json.RawMessage

// request is a request or a notification from the client.
type request struct {
	id     json.RawMessage // as it came; nil for a notification
	method string
	params members
}

// answered is the client's answer to a request of ours.
type answered struct {
	id      string // as it came
	result  members
	refused bool
}

// failed is a JSON-RPC error.
type failed struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// response is an answer; one of Result and Error is nil.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failed         `json:"error,omitempty"`
}

// outgoing is a request or a notification of ours; the ID is 0 for a notification.
type outgoing struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  object `json:"params,omitempty"`
}

func notification(method string, params object) *outgoing {
	return &outgoing{Version: "2.0", Method: method, Params: params}
}

func refuse(id json.RawMessage, code int, message string) *response {
	return refuseWith(id, &failed{Code: code, Message: message})
}

func refuseWith(id json.RawMessage, f *failed) *response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &response{Version: "2.0", ID: id, Error: f}
}

// message is what one JSON-RPC message turned out to be; one field is set, or
// none for a message that is to be ignored.
type message struct {
	request *request
	answer  *answered
	wrong   *response // it cannot be used; this says why
}

// decode reads one message.
func decode(raw json.RawMessage) message {
	var m members
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return message{wrong: refuse(nil, codeInvalidRequest, "a message must be an object")}
	}
	id := m["id"]
	if _, ok := m["method"]; !ok && (m["result"] != nil || m["error"] != nil) {
		if id == nil || !validID(id) {
			return message{}
		}
		a := &answered{id: string(id), refused: m["error"] != nil}
		a.refused = json.Unmarshal(m["result"], &a.result) != nil || a.result == nil || a.refused
		return message{answer: a}
	}
	if id != nil && !validID(id) {
		return message{wrong: refuse(nil, codeInvalidRequest, "id must be a string or a number")}
	}
	r := &request{id: id}
	if text(m, "jsonrpc") != "2.0" {
		return message{wrong: refuse(id, codeInvalidRequest, "jsonrpc must be \"2.0\"")}
	}
	if r.method = text(m, "method"); r.method == "" {
		return message{wrong: refuse(id, codeInvalidRequest, "method must be a string")}
	}
	if params, ok := m["params"]; ok {
		if json.Unmarshal(params, &r.params) != nil || r.params == nil {
			return message{wrong: refuse(id, codeInvalidParams, "params must be an object")}
		}
	}
	return message{request: r}
}

func validID(id json.RawMessage) bool {
	c := id[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// text is the string under key, or "".
func text(in members, key string) string {
	var s string
	if json.Unmarshal(in[key], &s) != nil {
		return ""
	}
	return s
}

// child is the object under key, or nil.
func child(in members, key string) members {
	var m members
	if json.Unmarshal(in[key], &m) != nil {
		return nil
	}
	return m
}

// value decodes one JSON value, numbers as text; nil stands for {}.
func value(raw json.RawMessage) (any, bool) {
	if raw == nil {
		return object{}, true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

// encode writes v as one line, without the HTML escapes of json.Marshal.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// line is v as one line with its newline. What cannot be encoded, which no
// value of this package is, becomes an internal error.
func line(v any) []byte {
	var b bytes.Buffer
	if encode(&b, v) != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}` + "\n")
	}
	return b.Bytes()
}
