package httpshim

import (
	"errors"
	"io"
	"net/http"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

var errTooLarge = errors.New("too large")

// readRequest reads a request body to its end. When it is too large, size is at
// least how long it is: what the client declared, or what was read of it.
func readRequest(r *http.Request) (body []byte, size int64, err error) {
	if r.ContentLength > maxBody && r.Header.Get("Expect") != "" {
		return nil, r.ContentLength, errTooLarge // the client waits for leave to send
	}
	if r.ContentLength <= maxBody {
		body, err = readBounded(r.Body, r.ContentLength)
		if err != errTooLarge {
			return body, int64(len(body)), err
		}
	}
	// What is a little too large is read all the same: a client that still sends
	// when the connection closes may never see the answer.
	more, _ := io.CopyN(io.Discard, r.Body, 2*maxBody)
	return nil, max(r.ContentLength, int64(len(body))+more), errTooLarge
}

// readBounded reads all of r, which may have length bytes, or an unknown number
// when length is negative. With errTooLarge it returns the first maxBody+1
// bytes; with any other error, what was read.
func readBounded(r io.Reader, length int64) ([]byte, error) {
	const trusted = 1 << 20 // a length that is only claimed makes us reserve no more
	if length == 0 {
		return nil, nil
	}
	buf := make([]byte, 0, min(max(length, 511), trusted)+1)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > maxBody:
			return buf, errTooLarge
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) == cap(buf):
			grown := make([]byte, len(buf), min(2*cap(buf), maxBody+1))
			copy(grown, buf)
			buf = grown
		}
	}
}

// requestID is the JSON text of the id of a request, or nil when it has none.
func requestID(body []byte) []byte {
	v, err := rawjson.Parse(body)
	if err != nil {
		return nil
	}
	id, _ := v.Get("id")
	if k := id.Kind(); k != rawjson.String && k != rawjson.Number {
		return nil
	}
	return id.Raw()
}
