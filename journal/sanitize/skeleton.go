package sanitize

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placeholders of a skeleton. They hold a byte that no text keeps, so that no
// text can imitate them.
const (
	markValue  = "\x00v" // a UUID, a number, a hexadecimal run, an opaque identifier
	markQuoted = "\x00q"
	markURL    = "\x00u"
	markPath   = "\x00p"
)

// appendSkeleton appends text without what changes from one occurrence of a
// failure to the next: letters lower-cased; quoted runs, URLs, absolute paths of
// either OS style, UUIDs, hexadecimal runs and digits each replaced by a mark;
// white space collapsed. Linear time: every step consumes what it looked at, and
// a quote that has no end is looked for once.
func appendSkeleton(dst, text []byte) []byte {
	s := skeleton{dst: dst, text: text}
	for s.i < len(s.text) {
		s.step()
	}
	return bytes.TrimRight(s.dst, " ")
}

type skeleton struct {
	dst, text []byte
	i         int
	afterWord bool              // the last character was part of a word
	unclosed  [len(quotes)]bool // no closing quote of this kind from here on
}

// quotes are the pairs that enclose a quoted run.
var quotes = [...]struct{ open, close string }{
	{`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"„", "“"},
}

// step consumes at least one byte.
func (s *skeleton) step() {
	c := s.text[s.i]
	inWord := s.afterWord
	s.afterWord = false
	switch {
	case c <= ' ' || c == 0x7f:
		s.space(1)
	case !inWord && (s.quoted() || s.path()):
	case isAlnum(c):
		s.word()
	case c == '-' && !inWord && s.i+1 < len(s.text) && isDigit(s.text[s.i+1]):
		s.i++ // the sign of a number
	default:
		r, size := utf8.DecodeRune(s.text[s.i:])
		switch {
		case unicode.IsSpace(r):
			s.space(size)
			return
		case c >= utf8.RuneSelf && s.quoted():
			return
		}
		s.dst = utf8.AppendRune(s.dst, unicode.ToLower(r))
		s.i += size
		// Scripts from the CJK radicals on do without spaces between words.
		s.afterWord = c == '_' || unicode.IsLetter(r) && r < 0x2e80
	}
}

func (s *skeleton) space(size int) {
	if n := len(s.dst); n > 0 && s.dst[n-1] != ' ' {
		s.dst = append(s.dst, ' ')
	}
	s.i += size
}

// quoted consumes a quoted run. An apostrophe within a word opens none, nor does
// a quote before a letter or digit close one.
func (s *skeleton) quoted() bool {
	rest := s.text[s.i:]
	for k, q := range quotes {
		if s.unclosed[k] || !bytes.HasPrefix(rest, []byte(q.open)) {
			continue
		}
		for at := len(q.open); ; {
			n := bytes.Index(rest[at:], []byte(q.close))
			if n < 0 {
				s.unclosed[k] = true
				break
			}
			closing := at + n
			at = closing + len(q.close)
			if rest[closing-1] != '\\' && (at == len(rest) || !isAlnum(rest[at])) {
				s.mark(markQuoted, at)
				return true
			}
		}
	}
	return false
}

// path consumes an absolute path: /a/b, ~/a, C:\a, \\host\a.
func (s *skeleton) path() bool {
	rest := s.text[s.i:]
	at := func(i int) byte {
		if i < len(rest) {
			return rest[i]
		}
		return ' '
	}
	isName := func(c byte) bool { return isAlnum(c) || c == '_' || c == '.' || c >= utf8.RuneSelf }
	start := 0
	switch c := at(0); {
	case c == '/' && isName(at(1)):
		start = 1
	case c == '~' && at(1) == '/':
		start = 2
	case c == '\\' && at(1) == '\\' && isName(at(2)):
		start = 2
	case isLetter(c) && at(1) == ':' && (at(2) == '\\' || at(2) == '/' && at(3) != '/'):
		start = 3
	default:
		return false
	}
	s.mark(markPath, start+untilAny(rest[start:], "\"'`<>()[]{}|,;:"))
	return true
}

// untilAny is the length of b up to white space or one of stops.
func untilAny(b []byte, stops string) int {
	for i, c := range b {
		if c <= ' ' || c == 0x7f || strings.IndexByte(stops, c) >= 0 {
			return i
		}
	}
	return len(b)
}

// word consumes letters and digits, or a URL whose scheme they are.
func (s *skeleton) word() {
	start, end := s.i, s.i+1
	for end < len(s.text) && isAlnum(s.text[end]) {
		end++
	}
	word, rest := s.text[start:end], s.text[end:]
	if isLetter(word[0]) && bytes.HasPrefix(rest, []byte("://")) {
		s.mark(markURL, end-start+3+untilAny(rest[3:], "\"'`<>)|"))
		return
	}
	s.afterWord = true
	if all := s.text[start:]; len(all) >= 36 && isUUID(all[:36]) && (len(all) == 36 || !isAlnum(all[36])) {
		s.mark(markValue, 36)
		return
	}
	if isValue(word) {
		s.mark(markValue, s.numberEnd(end)-start)
		return
	}
	for n := 0; n < len(word); {
		if !isDigit(word[n]) {
			s.dst = append(s.dst, word[n]|0x20)
			n++
			continue
		}
		s.dst = append(s.dst, markValue...)
		for n < len(word) && isDigit(word[n]) {
			n++
		}
	}
	s.i = end
}

// numberEnd extends a word that ends with a digit over the fraction and the
// groups of digits that follow it.
func (s *skeleton) numberEnd(end int) int {
	if !isDigit(s.text[end-1]) {
		return end
	}
	for end+1 < len(s.text) && (s.text[end] == '.' || s.text[end] == ',') && isDigit(s.text[end+1]) {
		for end++; end < len(s.text) && isDigit(s.text[end]); end++ {
		}
	}
	return end
}

// isValue reports a word that stands for one occurrence only: a number, a
// hexadecimal run, or an identifier that goes to and fro between letters and
// digits.
func isValue(word []byte) bool {
	hex, digits, groups := true, 0, 0
	for i, c := range word {
		if isDigit(c) {
			digits++
			if i == 0 || !isDigit(word[i-1]) {
				groups++
			}
		}
		hex = hex && isHex(c)
	}
	switch {
	case digits == len(word):
		return true
	case len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'x':
		return true
	case hex && digits > 0:
		return len(word) >= 6
	case hex:
		return len(word) >= 16
	}
	return groups >= 2 && len(word) >= 8
}

// mark replaces the next n bytes.
func (s *skeleton) mark(mark string, n int) {
	s.dst = append(s.dst, mark...)
	s.i += n
}
