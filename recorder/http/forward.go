package httpshim

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// forward is one response on its way to the client.
type forward struct {
	*proxy
	x       *exchange
	w       http.ResponseWriter
	r       *http.Request
	request []byte // the body of r
	end     end
}

// leftBehind reports whether the client is gone or the shim ends, and notes
// which.
func (f *forward) leftBehind() bool {
	switch {
	case f.ending.Err() != nil:
		f.end.why = interrupted
	case f.r.Context().Err() != nil:
		f.end.why = clientGone
	default:
		return false
	}
	return true
}

func (f *forward) response(resp *http.Response) {
	h := head{status: resp.StatusCode, session: keyOf(resp.Header), form: formOf(resp.Header), coding: codingOf(resp.Header)}
	if resp.Body == http.NoBody || f.r.Method == http.MethodHead {
		h.form = nothing
	}
	f.x.answer(h, f.now())
	switch h.form {
	case nothing:
		f.head(resp)
		f.end.why = finished
	case json:
		f.json(resp, h)
	default:
		f.stream(resp, h)
	}
}

// head passes the head on, net/http's additions left out.
func (f *forward) head(resp *http.Response) {
	h := f.w.Header()
	passOn(h, resp.Header)
	absent(h, "Date", "Content-Type")
	f.w.WriteHeader(resp.StatusCode)
}

// json passes a whole body on, once all of it has come.
func (f *forward) json(resp *http.Response, h head) {
	body, err := []byte(nil), errTooLarge
	if resp.ContentLength <= maxBody {
		body, err = readBounded(resp.Body, resp.ContentLength)
	}
	readAt := f.now()
	if err == errTooLarge {
		f.end = end{why: overBound, bytes: max(resp.ContentLength, int64(len(body)))}
		loopback.Answer(f.w, http.StatusBadGateway, requestID(f.request), "the answer of upstream has more than 8 MiB")
		return
	}
	f.end.bytes = int64(len(body))
	if err != nil {
		if !f.leftBehind() {
			f.head(resp)
			_, _ = f.w.Write(body)
			_ = http.NewResponseController(f.w).Flush()
		}
		f.breakOff()
	}
	if h.coding != unreadable {
		f.x.body(body, readAt)
	}
	f.end.why = finished
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	f.head(resp)
	_, _ = f.w.Write(body) // a client that is gone has its own reasons
}

// stream passes on what is read, read by read.
func (f *forward) stream(resp *http.Response, h head) {
	bound := eventBound{max: maxBody}
	if h.form == stream {
		resp.Header.Del("Content-Length") // so that it can end early
	}
	out := http.NewResponseController(f.w)
	f.head(resp)
	if out.Flush() != nil {
		f.lost()
		return
	}
	buf := f.buffers.Get().(*[readSize]byte)
	defer f.buffers.Put(buf)
	for {
		n, err := resp.Body.Read(buf[:])
		readAt := f.now()
		if n > 0 {
			piece, events := buf[:n], 0
			if h.form == stream && h.coding == plain {
				n, events = bound.admit(piece)
			}
			if h.form == stream && h.coding != unreadable {
				f.x.piece(buf[:n], events, readAt)
			}
			if !f.pass(out, buf[:n]) {
				return
			}
			if n < len(piece) { // the stream ends here, in the middle of an event
				f.end.why = overBound
				return
			}
		}
		switch {
		case err == io.EOF:
			f.end.why = finished
			return
		case err != nil:
			f.leftBehind()
			f.breakOff()
		}
	}
}

// pass writes a piece to the client.
func (f *forward) pass(out *http.ResponseController, p []byte) bool {
	f.end.bytes += int64(len(p))
	if _, err := f.w.Write(p); err == nil && out.Flush() == nil {
		return true
	}
	f.lost()
	return false
}

// lost notes that writing to the client failed.
func (f *forward) lost() {
	if !f.leftBehind() {
		f.end.why = clientGone
	}
}

// breakOff ends the client's connection without ending the response, as
// upstream did with its own, or because the shim ends. A panic with this value
// is how net/http is told to; it goes no further.
func (f *forward) breakOff() { panic(http.ErrAbortHandler) }

// failed ends an exchange that upstream did not answer. Where upstream could not
// be reached the answer is ours; where it broke off, the client's connection
// breaks off too, as it would have without us.
func (f *forward) failed(err error, connected bool) {
	if f.leftBehind() {
		f.breakOff()
	}
	f.end.why = unreachable
	if connected {
		f.breakOff()
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		loopback.Answer(f.w, http.StatusGatewayTimeout, requestID(f.request), "upstream does not accept connections in time")
		return
	}
	loopback.Answer(f.w, http.StatusBadGateway, requestID(f.request), "upstream cannot be reached")
}
