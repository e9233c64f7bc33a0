package wire

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Options configure a Scanner. A nil *Options means all defaults.
type Options struct {
	// MaxKeep bounds the bytes of captured values of one frame. A value that
	// does not fit is dropped and Frame.Truncated set. An eighth of it is
	// reserved for values of up to 1 KiB, so that a large value never costs the
	// names and codes that come after it. Default, also when not positive:
	// 16 MiB.
	MaxKeep int
}

const defaultMaxKeep = 16 << 20

// Scanner reads frames from chunks of bytes that may be cut anywhere. The zero
// Scanner is not usable; see NewScanner.
type Scanner struct {
	tokens
	capture

	body       bool  // newlines are white space
	before     int64 // bytes of the frame that came before this chunk
	frameStart int   // where the frame begins in this chunk
	endsInCR   bool  // the last byte before this chunk
	frame      Frame
	bodyFrame  Frame
}

// NewScanner makes a Scanner at the start of a line.
func NewScanner(o *Options) *Scanner {
	s := &Scanner{}
	s.maxKeep = defaultMaxKeep
	if o != nil && o.MaxKeep > 0 {
		s.maxKeep = o.MaxKeep
	}
	return s
}

// Feed reads the next bytes of a stream of lines and calls emit for each line
// that they complete. It keeps no part of chunk.
func (s *Scanner) Feed(chunk []byte, emit func(*Frame)) {
	s.scan(chunk, emit)
	if n := len(chunk); n > s.frameStart {
		if s.state != invalid {
			s.spill(chunk)
		}
		s.before += int64(n - s.frameStart)
		s.endsInCR = chunk[n-1] == '\r'
	}
	s.frameStart = 0
}

// Finish ends the stream: what follows the last newline, if anything, is a
// frame too. The Scanner is then at the start of a line again.
func (s *Scanner) Finish(emit func(*Frame)) {
	if s.before > 0 {
		emit(s.finish(nil, s.before))
	}
	s.Reset()
}

// ScanBody reads one whole body in which newlines are white space, such as that
// of an HTTP message or the data of an SSE event. It discards a line that Feed
// has begun.
func (s *Scanner) ScanBody(body []byte) *Frame {
	s.Reset()
	s.body = true
	s.scan(body, nil)
	s.bodyFrame = *s.finish(body, int64(len(body)))
	s.body = false
	s.startFrame()
	return &s.bodyFrame
}

// Reset discards the line that Feed has begun.
func (s *Scanner) Reset() {
	s.frameStart = 0
	s.startFrame()
}

// startFrame makes ready for the next frame, and gives back the memory of an
// unusual one.
func (s *Scanner) startFrame() {
	s.before = 0
	s.endsInCR = false
	s.state = atStart
	s.depth = 0
	if cap(s.frame.Messages) > keepMessages || cap(s.arena) > keepArena {
		s.frame.Messages = nil // they refer to the arena
	}
	s.capture.startFrame()
}

// scan moves through b, which holds the next bytes of the frame or of several.
func (s *Scanner) scan(b []byte, emit func(*Frame)) {
	i := 0
	state, depth, object := s.state, s.depth, s.inObject()
	for i < len(b) {
		if state >= inToken {
			if state == invalid {
				if s.body {
					break
				}
				n := bytes.IndexByte(b[i:], '\n')
				if n < 0 {
					break
				}
				i += n
				s.state = state
				s.endLine(b, i, emit)
				i++
				state, depth, object = s.state, 0, false
				continue
			}
			i, state = s.resume(b, i, state)
			if state != tokenEnd {
				continue
			}
			if s.isKey {
				if depth <= s.watch {
					s.endKey(b, i)
				}
				state = wantColon
				continue
			}
			if depth <= s.watch {
				s.end(b, i, depth)
			}
			state = afterValue
			continue
		}

		c := b[i]
		if c <= ' ' {
			switch {
			case c == ' ' || c == '\t' || c == '\r' || c == '\n' && s.body:
				i++
				if state == atStart {
					state = wantValue
				}
			case c == '\n':
				s.state, s.depth = state, depth
				s.endLine(b, i, emit)
				i++
				state, depth, object = s.state, 0, false
			default:
				state = invalid
			}
			continue
		}

		switch state {
		case afterValue:
			switch {
			case depth == 0:
				state = invalid
				continue
			case c == ',':
				i++
				state = wantValue
				if !object {
					continue
				}
				state = wantKey
				if i == len(b) || b[i] != '"' {
					continue
				}
				goto key
			case c == '}' && object, c == ']' && !object:
				goto pop
			}
			state = invalid
			continue

		case wantFirstKey:
			if c == '}' {
				goto pop
			}
			fallthrough
		case wantKey:
			if c != '"' {
				state = invalid
				continue
			}
			goto key

		case wantColon:
			if c != ':' {
				state = invalid
				continue
			}
			i++
			state = wantValue
			continue

		case atStart:
			if c == bom[0] {
				i++
				s.progress = 1
				state = inBOM
				continue
			}
		case wantFirstElement:
			if c == ']' {
				goto pop
			}
		}

		// A value begins at i.
		if depth <= s.watch {
			s.begin(i, c, depth)
		}
		switch c {
		case '"':
			s.isKey = false
			i, state = s.text(b, i+1)
		case '{', '[':
			if depth == rawjson.MaxDepth {
				state = invalid
				continue
			}
			depth++
			object = c == '{'
			s.open(depth, object)
			i++
			state = wantFirstElement
			if object {
				state = wantFirstKey
			}
			continue
		case 't', 'f', 'n':
			i, state = s.startWord(b, i)
		default:
			i, state = s.number(b, i, startNumber)
		}
		if state != tokenEnd {
			continue
		}
		if depth <= s.watch {
			s.end(b, i, depth)
		}
		state = afterValue
		continue

	key: // a key begins at i
		s.keyStart, s.keyLen = i, 0
		s.isKey = true
		i, state = s.text(b, i+1)
		if state != tokenEnd {
			continue
		}
		if depth <= s.watch {
			s.endKey(b, i)
		}
		state = wantColon
		if i < len(b) && b[i] == ':' {
			i++
			state = wantValue
		}
		continue

	pop: // an array or object ends at i
		i++
		depth--
		object = s.isObject(depth)
		if depth <= s.watch {
			s.end(b, i, depth)
		}
		state = afterValue
	}
	s.state, s.depth = state, depth
}

// endLine emits the frame that the newline at i of b ends.
func (s *Scanner) endLine(b []byte, i int, emit func(*Frame)) {
	n := s.before + int64(i-s.frameStart)
	if i > s.frameStart && b[i-1] == '\r' || i == s.frameStart && s.endsInCR {
		n--
	}
	emit(s.finish(b, n))
	s.startFrame()
	s.frameStart = i + 1
}

// finish is the frame of n bytes that ends in b.
func (s *Scanner) finish(b []byte, n int64) *Frame {
	f := &s.frame
	*f = Frame{Bytes: n, Messages: f.Messages[:0]}
	switch {
	case s.depth == 0 && (s.state == atStart || s.state == wantValue):
		f.Class = Blank
	case s.depth > 0 || s.state != afterValue && !s.endsNumber():
		f.Class = NotJSON
	case len(s.drafts) == 0:
		f.Class = NotRPC
	default:
		f.Class = RPC
		f.Batch = s.batch
		f.Truncated = s.truncated
		f.Unparsed = s.unparsed
		f.Dropped = s.dropped
		for i := range s.drafts {
			f.Messages = append(f.Messages, Message{})
			s.build(&f.Messages[i], &s.drafts[i], b)
		}
	}
	return f
}
