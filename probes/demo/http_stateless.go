package demo

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// checkStateless holds the headers of a request of 2026-07-28 against its body
// and settles it. A request that cannot be answered gets the refusal.
func (s *Server) checkStateless(x *exchange, h http.Header) *reply {
	x.revision = revisionModern
	meta := child(x.request.params, "_meta")
	version := h.Get(headerVersion)
	var r reply
	switch {
	case x.request.id == nil:
		return nil // no rule binds the headers of notifications
	case meta[metaVersion] == nil:
		r = refusal(codeInvalidParams, "every request needs _meta with "+metaVersion+" and "+metaCapabilities)
		if x.request.method == "initialize" {
			r = x.unsupported(text(x.request.params, "protocolVersion"))
		}
	case version == "" || version != text(meta, metaVersion):
		r = refusal(codeHeader, headerVersion+" must be the version in _meta")
	default:
		if wrong := s.settle(x); wrong != nil {
			return wrong
		}
		if wrong := checkHeaders(x.request, h); wrong != "" {
			r = refusal(codeHeader, wrong)
			break
		}
		return nil
	}
	return &r
}

// checkHeaders holds Mcp-Method and Mcp-Name against the body.
func checkHeaders(q *request, h http.Header) string {
	if h.Get(headerMethod) != q.method {
		return headerMethod + " must be the method of the body"
	}
	var named string
	switch q.method {
	case "tools/call", "prompts/get":
		named = "name"
	case "resources/read":
		named = "uri"
	default:
		return ""
	}
	name, ok := decodeHeader(h.Get(headerName))
	if !ok || name != text(q.params, named) {
		return headerName + " must be the " + named + " of the body"
	}
	return ""
}

// decodeHeader decodes a value that may be written =?base64?...?=.
func decodeHeader(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v, true
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return v, true
	}
	b, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(b), err == nil && utf8.Valid(b)
}
