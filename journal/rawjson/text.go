package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// PlainLen is the length of the longest prefix of b made only of bytes that
// stand for themselves inside a JSON string: ASCII but for controls, quote and
// backslash. It looks at eight bytes at a time.
func PlainLen(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		// The lowest marked byte is exact; a borrow can mark only bytes above it.
		quote := w ^ '"'*lows
		slash := w ^ '\\'*lows
		special := (w | (w - ' '*lows) | (quote - lows) | (slash - lows)) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// checkString checks the rest of a string from behind its opening quote. It
// returns the offset behind the closing quote, or of the first wrong byte.
func checkString(b []byte, i int) (int, bool) {
	for {
		i += PlainLen(b[i:])
		if i == len(b) {
			return i, false
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c == '\\':
			if i++; i == len(b) {
				return i, false
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i++
			case 'u':
				i++
				for end := i + 4; i < end; i++ {
					if i == len(b) || hexDigit(b[i]) < 0 {
						return i, false
					}
				}
			default:
				return i, false
			}
		case c >= utf8.RuneSelf:
			for i < len(b) && b[i] >= utf8.RuneSelf {
				r, size := utf8.DecodeRune(b[i:])
				if r == utf8.RuneError && size == 1 {
					return i, false
				}
				i += size
			}
		default:
			return i, false
		}
	}
}

// stringBody is what stands between the quotes of a string or key.
func stringBody(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// plain reports whether body is its own decoded text.
func plain(body []byte) bool {
	return bytes.IndexByte(body, '\\') < 0
}

// appendDecoded appends the decoded text of a string's body.
func appendDecoded(dst, body []byte) []byte {
	for len(body) > 0 {
		n := bytes.IndexByte(body, '\\')
		if n < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:n]...)
		body = body[n:]
		r, size := decodeEscape(body)
		dst = utf8.AppendRune(dst, r)
		body = body[size:]
	}
	return dst
}

// nextRune decodes the first character of a string's body, which is not empty.
func nextRune(body []byte) (r rune, size int) {
	if c := body[0]; c != '\\' && c < utf8.RuneSelf {
		return rune(c), 1
	} else if c != '\\' {
		return utf8.DecodeRune(body)
	}
	return decodeEscape(body)
}

// decodeEscape decodes the escape at the start of s, which begins with a
// backslash. Malformed escapes and lone surrogates are U+FFFD.
func decodeEscape(s []byte) (r rune, size int) {
	if len(s) < 2 {
		return utf8.RuneError, len(s)
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		unit, ok := codeUnit(s)
		if !ok {
			return utf8.RuneError, 2
		}
		if !utf16.IsSurrogate(unit) {
			return unit, 6
		}
		low, ok := codeUnit(s[6:])
		if !ok {
			return utf8.RuneError, 6
		}
		if r = utf16.DecodeRune(unit, low); r == utf8.RuneError {
			return r, 6
		}
		return r, 12
	}
	return utf8.RuneError, 2
}

// codeUnit reads a \uXXXX escape at the start of s.
func codeUnit(s []byte) (unit rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		digit := hexDigit(c)
		if digit < 0 {
			return 0, false
		}
		unit = unit<<4 | digit
	}
	return unit, true
}

// hexDigit is the value of a hexadecimal digit, or -1.
func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10)
	}
	return -1
}
