package httpshim

import "bytes"

// eventBound counts the bytes since the last blank line of an event stream, and
// lets no event pass that is longer than max. Lines end in LF, CR LF or CR. The
// blank line itself does not count.
type eventBound struct {
	max   int64
	n     int64
	text  bool // the line that has begun is not blank
	sawCR bool // a LF that comes next belongs to the last line end
}

// admit looks at the next bytes of the stream. It returns how many of them may
// pass, fewer than all only when an event is too long, and how many events these
// complete.
func (b *eventBound) admit(p []byte) (n, events int) {
	lf, cr := -1, -1 // the next of each at or behind i, or len(p)
	for i := 0; i < len(p); {
		if b.sawCR {
			b.sawCR = false
			if p[i] == '\n' {
				if b.n > 0 { // the line was not blank
					if b.n == b.max {
						return i, events
					}
					b.n++
				}
				i++
				continue
			}
		}
		lf, cr = indexFrom(p, '\n', lf, i), indexFrom(p, '\r', cr, i)
		end := min(lf, cr)
		length := int64(end - i)
		b.text = b.text || length > 0
		if end < len(p) && b.text {
			length++ // the line end
		}
		if room := b.max - b.n; length > room {
			return i + int(room), events
		}
		b.n += length
		if end == len(p) {
			break
		}
		if !b.text {
			if b.n > 0 {
				events++
			}
			b.n = 0
		}
		b.text = false
		b.sawCR = p[end] == '\r'
		i = end + 1
	}
	return len(p), events
}

// indexFrom is the offset of the first c at or behind i. last is an earlier
// answer.
func indexFrom(p []byte, c byte, last, i int) int {
	if last >= i {
		return last
	}
	if n := bytes.IndexByte(p[i:], c); n >= 0 {
		return i + n
	}
	return len(p)
}
