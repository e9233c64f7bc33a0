package sanitize

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// maxText is the largest decoded text that anything but its length is asked of.
const maxText = 4096

// maxEscape is the most bytes that JSON spends on one byte of decoded text.
const maxEscape = 6

// decode gives the content of a JSON string (quotes included in raw) and its
// length in bytes. A text longer than maxText is nil and its length at least
// maxText+1. The content aliases raw or scratch, whose memory is reused.
func decode(raw []byte, scratch *[]byte) (text []byte, n int) {
	if len(raw) < 2 {
		return nil, 0
	}
	text = raw[1 : len(raw)-1]
	if len(text) > maxText*maxEscape {
		return nil, maxText + 1
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		*scratch = rawjson.Trusted(raw).AppendText((*scratch)[:0])
		text = *scratch
	}
	if len(text) > maxText {
		return nil, len(text)
	}
	return text, len(text)
}

// isUUID accepts the textual form of a UUID in either case.
func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

// isURL accepts an http or https URL: the scheme in either case, something
// behind it, no white space or control character.
func isURL(b []byte) bool {
	rest, ok := cutFold(b, "http")
	if !ok {
		return false
	}
	if len(rest) > 0 && rest[0]|0x20 == 's' {
		rest = rest[1:]
	}
	rest, ok = bytes.CutPrefix(rest, []byte("://"))
	if !ok || len(rest) == 0 {
		return false
	}
	for _, c := range rest {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// cutFold cuts a prefix of lower-case letters in either case.
func cutFold(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) {
		return b, false
	}
	for i := range len(prefix) {
		if b[i]|0x20 != prefix[i] {
			return b, false
		}
	}
	return b[len(prefix):], true
}
