package journal

import (
	"bytes"
	"errors"
	"io"
)

// maxLegacyLine bounds any line; one of version 1 is refused by the decoder
// from MaxLine on.
const maxLegacyLine = 4 << 20

// Reader reads the complete lines of one file in one pass. Lines are opaque to
// it: a Decoder says what they mean. An unterminated last line is an active
// writer's or a torn write: it is not returned, Torn counts its bytes, and it
// is no error. A Reader is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	buf   []byte
	start int // of the unread part of buf
	from  int // bytes of the unread part known to hold no newline
	next  Place
	line  []byte
	place Place
	err   error
}

// NewReader reads src, whose first byte stands at the given place: the offset
// and line number where an earlier read ended, or line 1 of a whole file.
func NewReader(src io.Reader, at Place) *Reader {
	if at.Line == 0 {
		at.Line = 1
	}
	return &Reader{src: src, next: at}
}

// Next advances to the next complete line. It is false at the end of the
// input and on an error.
func (r *Reader) Next() bool {
	for r.err == nil {
		if i := bytes.IndexByte(r.buf[r.start+r.from:], '\n'); i >= 0 {
			n := r.from + i
			r.line = r.buf[r.start : r.start+n]
			r.place = r.next
			r.start += n + 1
			r.from = 0
			r.next.Offset += int64(n) + 1
			r.next.Line++
			return true
		}
		r.from = len(r.buf) - r.start
		if r.from > maxLegacyLine {
			r.err = Corrupt(r.next, ErrTooLong)
			return false
		}
		if !r.fill() {
			return false
		}
	}
	return false
}

// fill reads more; false at the end of the input and on an error.
func (r *Reader) fill() bool {
	if r.start > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.start:])]
		r.start = 0
	}
	if cap(r.buf)-len(r.buf) < readSize/2 {
		grown := make([]byte, len(r.buf), max(readSize, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err != nil && !errors.Is(err, io.EOF) {
			r.err = err
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	r.err = io.ErrNoProgress
	return false
}

const readSize = 256 << 10

// Line is the current line without its newline, valid until the next Next.
func (r *Reader) Line() []byte { return r.line }

// Place is where the current line stands.
func (r *Reader) Place() Place { return r.place }

// End is where the line after the current one begins.
func (r *Reader) End() Place { return r.next }

// Digest is the current line's.
func (r *Reader) Digest() Digest { return LineDigest(r.line) }

// Torn counts the bytes after the last newline, once Next is false.
func (r *Reader) Torn() int64 { return int64(len(r.buf) - r.start) }

// Err is a *CorruptionError for a line over the bound, or the source's error.
func (r *Reader) Err() error { return r.err }
