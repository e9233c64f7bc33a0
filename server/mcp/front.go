package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/recorder/loopback"
	"github.com/mcpeval/mcpeval/recorder/wire"
	"github.com/mcpeval/mcpeval/server/mcp/admission"
)

const (
	// Path is that of the endpoint.
	Path = "/mcp"
	// maxBody is the size of the largest request.
	maxBody = 1 << 20

	sessionHeader  = "Mcp-Session-Id"
	revisionHeader = "Mcp-Protocol-Version"
	nameHeader     = "Mcp-Name"

	// stateless is the first revision without sessions, batches the first in which
	// there are no batches any more. Revisions compare as texts.
	stateless = "2026-07-28"
	batches   = "2025-06-18"

	codeUnsupportedVersion = -32022
)

// front is the HTTP handler behind the guard: it reads requests, waits for a
// worker, and answers in front of the SDK what is not for it.
type front struct {
	hall        *admission.Hall
	evaluations *evaluations
	sdk         http.Handler
}

// handler is everything that a request passes, but for the listener.
func (e *Endpoint) handler(hall *admission.Hall) http.Handler {
	f := &front{hall: hall, evaluations: &e.evaluations}
	f.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // the guard looks at Host
	})
	return &loopback.Guard{Methods: []string{http.MethodPost}, Next: f}
}

// ServeHTTP serves one request.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != Path {
		loopback.Refuse(w, http.StatusNotFound, "the endpoint is /mcp")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status, why := http.StatusBadRequest, "the body cannot be read"
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, why = http.StatusRequestEntityTooLarge, "the request is larger than 1 MiB"
		}
		loopback.Refuse(w, status, why)
		return
	}
	f.hall.Serve(w, r, func() { f.serve(w, r, body) })
}

// serve answers a request that has a worker.
func (f *front) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	revision := r.Header.Get(revisionHeader)
	m, no := screen(wire.NewScanner(nil), body)
	if no == nil {
		no = f.transport(r, m, revision)
	}
	if no != nil {
		write(w, statusOf(no.code, no.id != nil, revision), no.text())
		return
	}
	sessions := r.Header.Values(sessionHeader)
	session := ""
	if len(sessions) == 1 && revision < stateless {
		session = sessions[0]
	}
	from := &origin{session: session, gone: r.Context()}
	asks := false
	for i := range m.frame.Messages {
		one := &m.frame.Messages[i]
		switch {
		case one.Kind == wire.Request:
			from.ids = append(from.ids, one.ID)
			asks = true
		case one.Kind == wire.Notification && string(one.Method) == "notifications/cancelled":
			f.evaluations.cancel(session, wire.IDOf(one.Params.RequestID))
		}
	}
	if !asks { // nothing that is only told, nor an answer to what we never ask, changes anything else
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if !m.frame.Batch && string(m.frame.Messages[0].Method) == "initialize" && revision < stateless {
		w.Header().Set(sessionHeader, rand.Text())
	}
	next := r.WithContext(context.WithValue(r.Context(), originKey{}, from))
	next.Header = r.Header.Clone()
	next.Header.Del(sessionHeader)
	if name, ok := decodedName(r.Header.Get(nameHeader)); ok {
		next.Header.Set(nameHeader, name)
	}
	next.Body = io.NopCloser(bytes.NewReader(body))
	next.ContentLength = int64(len(body))
	f.sdk.ServeHTTP(&tidy{ResponseWriter: w}, next)
}

// transport refuses what the SDK answers with a text: revisions before the
// stateless one that do not exist, batches where there are none, and clients that
// would not read the answer.
func (f *front) transport(r *http.Request, m *message, revision string) *refused {
	id := []byte(nil)
	if !m.frame.Batch {
		id = idOf(m.value)
	}
	switch {
	case revision != "" && revision < stateless && !slices.Contains(mcp.SupportedProtocolVersions(), revision):
		return &refused{code: codeUnsupportedVersion, why: "unsupported protocol version", id: id, data: versions(revision)}
	case m.frame.Batch && revision >= batches:
		return &refused{code: jsonrpc.CodeInvalidRequest, why: "this revision has no batches"}
	case !accepts(r.Header.Values("Accept")):
		return &refused{code: jsonrpc.CodeInvalidRequest, why: "Accept must name application/json and text/event-stream", id: nil}
	}
	return nil
}

// versions is what 2026-07-28 says beside an unsupported version: those there are,
// and the one that was asked for, where it looks like one.
func versions(requested string) []byte {
	if len(requested) > len(stateless) || strings.ContainsFunc(requested, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) {
		requested = ""
	}
	text, err := json.Marshal(map[string]any{"supported": mcp.SupportedProtocolVersions(), "requested": requested})
	if err != nil {
		return nil // texts can be encoded
	}
	return text
}

// accepts reports whether a client takes both kinds of answers.
func accepts(values []string) bool {
	var jsons, events bool
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		media, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "*/*":
			return true
		case "application/json", "application/*":
			jsons = true
		case "text/event-stream", "text/*":
			events = true
		}
	}
	return jsons && events
}

// statusOf is the HTTP status of a refusal. Before 2026-07-28 an error that
// answers a request is a response like any other.
func statusOf(code int64, answers bool, revision string) int {
	switch {
	case code == codeUnsupportedVersion || code == jsonrpc.CodeParseError || !answers:
		return http.StatusBadRequest
	case revision < stateless:
		return http.StatusOK
	case code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func write(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text) // nobody is left to tell
}

// decodedName is the text of a name that came in the base64 form of 2026-07-28,
// which the SDK compares as it is.
func decodedName(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return "", false
	}
	inner, ok := strings.CutSuffix(encoded, "?=")
	if !ok {
		return "", false
	}
	text, err := base64.StdEncoding.DecodeString(inner)
	if err != nil || strings.ContainsFunc(string(text), unicode.IsControl) {
		return "", false
	}
	return string(text), true
}
