package httpshim

import (
	"bytes"
	"compress/gzip"
	"io"
	"iter"
)

// inflateWhole decompresses a body for recording; ok is false when it is damaged
// or longer than maxBody.
func inflateWhole(body []byte) (text []byte, ok bool) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	text, err = io.ReadAll(io.LimitReader(z, maxBody+1))
	return text, err == nil && len(text) <= maxBody
}

// inflater decompresses a stream as it comes. It is a coroutine: a decompressor
// pulls its input, but here the input is pushed. It MUST be closed.
type inflater struct {
	input []byte
	final bool // no more input will come
	ended bool // at a proper end
	yield func([]byte) bool
	next  func() ([]byte, bool)
	stop  func()
}

func newInflater() *inflater {
	f := new(inflater)
	f.next, f.stop = iter.Pull(f.run)
	return f
}

// feed takes the next bytes and gives emit what they decompress to. It reports
// whether the stream was sound so far.
func (f *inflater) feed(p []byte, emit func([]byte)) bool {
	f.input = p
	for {
		text, ok := f.next()
		if !ok {
			return f.ended
		}
		if text == nil {
			return true
		}
		emit(text)
	}
}

// finish gives emit what the end of the stream brings to light, reports whether
// it was a proper end, and closes.
func (f *inflater) finish(emit func([]byte)) bool {
	f.final = true
	sound := f.feed(nil, emit)
	f.stop()
	return sound
}

func (f *inflater) close() { f.stop() }

// run yields decompressed text, and nil when it needs more input.
func (f *inflater) run(yield func([]byte) bool) {
	f.yield = yield
	z, err := gzip.NewReader(f)
	if err != nil {
		return
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := z.Read(buf)
		if n > 0 && !yield(buf[:n]) {
			return
		}
		if err != nil {
			f.ended = err == io.EOF
			return
		}
	}
}

// Read gives the decompressor what was fed, and waits for more.
func (f *inflater) Read(p []byte) (int, error) {
	for len(f.input) == 0 {
		if f.final || !f.yield(nil) {
			return 0, io.EOF
		}
	}
	n := copy(p, f.input)
	f.input = f.input[n:]
	return n, nil
}
