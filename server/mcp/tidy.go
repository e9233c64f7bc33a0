package mcp

import (
	"net/http"
	"strings"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// tidy makes the SDK's refusals in plain text JSON-RPC errors: the texts quote
// requests, and clients expect JSON.
type tidy struct {
	http.ResponseWriter
	replaced bool
}

// WriteHeader replaces a refusal.
func (t *tidy) WriteHeader(status int) {
	if status < http.StatusBadRequest || !strings.HasPrefix(t.Header().Get("Content-Type"), "text/plain") {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	t.replaced = true
	loopback.Refuse(t.ResponseWriter, status, "the request does not follow the transport")
}

// Write drops what was replaced.
func (t *tidy) Write(p []byte) (int, error) {
	if t.replaced {
		return len(p), nil
	}
	return t.ResponseWriter.Write(p)
}

// Flush is that of http.Flusher.
func (t *tidy) Flush() {
	if f, ok := t.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Unwrap is for http.ResponseController.
func (t *tidy) Unwrap() http.ResponseWriter { return t.ResponseWriter }
