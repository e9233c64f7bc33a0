package httpshim

import (
	"mime"
	"net/http"
	"net/textproto"
	"strings"
)

// hopByHop are the headers that concern one connection only. Expect is one of
// them here: the body has been read already.
var hopByHop = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
}

// passOn copies headers, but for those that concern one connection.
func passOn(to, from http.Header) {
	for name, values := range from {
		to[name] = values
	}
	for _, list := range from["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			delete(to, textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)))
		}
	}
	for _, name := range hopByHop {
		delete(to, name)
	}
}

// absent keeps net/http from adding headers that did not come.
func absent(h http.Header, names ...string) {
	for _, name := range names {
		if _, ok := h[name]; !ok {
			h[name] = nil
		}
	}
}

// form is how a body is to be read.
type form uint8

const (
	opaque  form = iota // forwarded, never looked at
	json                // one JSON text
	stream              // server-sent events
	nothing             // no body
)

func formOf(h http.Header) form {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // "" when malformed
	switch media {
	case "application/json":
		return json
	case "text/event-stream":
		return stream
	}
	return opaque
}

// coding is how a body is compressed.
type coding uint8

const (
	plain coding = iota
	gzipped
	unreadable // in a way we cannot undo
)

func codingOf(h http.Header) coding {
	values := h["Content-Encoding"]
	if len(values) == 0 {
		return plain
	}
	switch strings.ToLower(strings.Join(values, ",")) {
	case "", "identity":
		return plain
	case "gzip", "x-gzip":
		return gzipped
	}
	return unreadable
}
