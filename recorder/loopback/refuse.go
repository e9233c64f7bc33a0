package loopback

import (
	"net/http"
	"strconv"
)

// Codes of the JSON-RPC errors that are our own.
const (
	codeInvalidRequest = -32600
	codeInternal       = -32603
)

// Refuse answers with an HTTP status and a JSON-RPC error that belongs to no
// request. why is a constant: it is written as it is, between quotes.
func Refuse(w http.ResponseWriter, status int, why string) {
	Answer(w, status, nil, why)
}

// Answer is Refuse for the request with this id: the JSON text of a string or
// number, or empty for none.
func Answer(w http.ResponseWriter, status int, id []byte, why string) {
	if len(id) == 0 {
		id = []byte("null")
	}
	code := codeInvalidRequest
	if status >= http.StatusInternalServerError {
		code = codeInternal
	}
	body := make([]byte, 0, 96+len(id)+len(why))
	body = append(body, `{"jsonrpc":"2.0","id":`...)
	body = append(body, id...)
	body = append(body, `,"error":{"code":`...)
	body = strconv.AppendInt(body, int64(code), 10)
	body = append(body, `,"message":"`...)
	body = append(body, why...)
	body = append(body, `"}}`...)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // nobody is left to tell
}
