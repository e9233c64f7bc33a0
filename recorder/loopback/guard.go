package loopback

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// Guard refuses what a web page may have made a browser send, and hands the
// rest to Next. The checks come in this order: repeated headers, the form of
// the request target, Host, Origin, method, Content-Type.
//
// net/http refuses some requests before, with its own 400 and a text: a missing
// Host (HTTP/1.1), a repeated or a malformed one.
type Guard struct {
	// Methods are the methods that Next takes; others are answered 405. Empty
	// means all.
	Methods []string
	Next    http.Handler
}

// ServeHTTP answers a refused request itself.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, why := g.judge(r); status != 0 {
		if status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", strings.Join(g.Methods, ", "))
		}
		Refuse(w, status, why)
		return
	}
	g.Next.ServeHTTP(w, r)
}

// judge is the status of a refusal and its reason, or 0.
func (g *Guard) judge(r *http.Request) (status int, why string) {
	switch {
	case len(r.Header["Host"]) > 1:
		return http.StatusBadRequest, "repeated Host header"
	case len(r.Header["Origin"]) > 1:
		return http.StatusBadRequest, "repeated Origin header"
	case len(r.Header["Content-Type"]) > 1:
		return http.StatusBadRequest, "repeated Content-Type header"
	case r.Host == "":
		return http.StatusBadRequest, "missing Host header"
	case !loopbackHostPort(r.Host):
		return http.StatusForbidden, "Host is not a loopback name or address"
	case !strings.HasPrefix(r.RequestURI, "/"):
		// In an absolute target the authority takes the place of Host, and
		// net/http drops the header, which may name another host, unseen.
		return http.StatusBadRequest, "the request target must be a path"
	}
	if origin, ok := r.Header["Origin"]; ok && !loopbackOrigin(origin[0]) {
		return http.StatusForbidden, "Origin is not on loopback"
	}
	if len(g.Methods) > 0 && !slices.Contains(g.Methods, r.Method) {
		return http.StatusMethodNotAllowed, "method not allowed"
	}
	if r.Method == http.MethodPost && !isJSON(r.Header.Get("Content-Type")) {
		return http.StatusUnsupportedMediaType, "Content-Type must be application/json"
	}
	return 0, ""
}

// isJSON reports whether a Content-Type is application/json. Its parameters do
// not matter, nor whether they are well-formed.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return media == "application/json" && (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}
