package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// The JSON-RPC error codes the server answers with.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeUnsupported    = -32022 // 2026-07-28: unsupported protocol version
)

// request is a message from the client. Keys are matched by case, which
// encoding/json does for maps and not for structs.
type request struct {
	id     json.RawMessage // as it came; nil for a notification
	method string
	params map[string]json.RawMessage
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

func answer(id json.RawMessage, result any) *response {
	return &response{Version: "2.0", ID: id, Result: result}
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

// errIsResponse tells an answer to a request we never made, which is ignored.
var errIsResponse = errors.New("message is a response")

// decodeRequest reads one message. A failure comes with what to answer, and
// errIsResponse with nil.
func decodeRequest(raw json.RawMessage) (*request, *response, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, refuse(nil, codeInvalidRequest, "a message must be an object"), nil
	}
	if _, ok := members["method"]; !ok && (members["result"] != nil || members["error"] != nil) {
		return nil, nil, errIsResponse
	}
	id := members["id"]
	if id != nil && !validID(id) {
		return nil, refuse(nil, codeInvalidRequest, "id must be a string or a number"), nil
	}
	r := &request{id: id}
	var version string
	if json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0" {
		return nil, refuse(id, codeInvalidRequest, "jsonrpc must be \"2.0\""), nil
	}
	if json.Unmarshal(members["method"], &r.method) != nil || r.method == "" {
		return nil, refuse(id, codeInvalidRequest, "method must be a string"), nil
	}
	if params, ok := members["params"]; ok {
		if json.Unmarshal(params, &r.params) != nil || r.params == nil {
			return nil, refuse(id, codeInvalidParams, "params must be an object"), nil
		}
	}
	return r, nil, nil
}

func validID(id json.RawMessage) bool {
	c := id[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// text is the string under key, or "".
func text(members map[string]json.RawMessage, key string) string {
	var s string
	if json.Unmarshal(members[key], &s) != nil {
		return ""
	}
	return s
}

// child is the object under key, or nil.
func child(in map[string]json.RawMessage, key string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(in[key], &m) != nil {
		return nil
	}
	return m
}

// arguments decodes the arguments of a call, numbers as text.
func arguments(raw json.RawMessage) (any, bool) {
	if raw == nil {
		return map[string]any{}, true
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
