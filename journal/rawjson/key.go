package rawjson

import "unicode/utf8"

// Key is the key of an object's member, as the string it was received as.
type Key struct{ raw []byte }

// TrustedKey makes a Key of a string, quotes included, that a validating
// scanner has already accepted.
func TrustedKey(raw []byte) Key { return Key{raw} }

// Raw is the key as it was received, with quotes and escapes.
func (k Key) Raw() []byte { return k.raw }

// Text is the decoded key.
func (k Key) Text() string { return string(k.AppendText(nil)) }

// AppendText appends the decoded key to dst.
func (k Key) AppendText(dst []byte) []byte {
	return appendDecoded(dst, stringBody(k.raw))
}

// Is reports whether the decoded key is exactly text. It does not allocate.
func (k Key) Is(text string) bool {
	body := stringBody(k.raw)
	if plain(body) {
		return string(body) == text
	}
	for len(body) > 0 {
		r, size := nextRune(body)
		var buf [utf8.UTFMax]byte
		enc := utf8.AppendRune(buf[:0], r)
		if len(text) < len(enc) || text[:len(enc)] != string(enc) {
			return false
		}
		body, text = body[size:], text[len(enc):]
	}
	return text == ""
}

// Folds reports whether the decoded key is text or a case variant of it, as
// case-insensitive decoders see it: letters of either case are equal, and so are
// U+017F (long s) and s, U+212A (kelvin sign) and k. text must be ASCII.
func (k Key) Folds(text string) bool {
	body := stringBody(k.raw)
	for i := range len(text) {
		if len(body) == 0 {
			return false
		}
		r, size := nextRune(body)
		if foldRune(r) != foldRune(rune(text[i])) {
			return false
		}
		body = body[size:]
	}
	return len(body) == 0
}

func foldRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + ('a' - 'A')
	case r == '\u017f':
		return 's'
	case r == '\u212a':
		return 'k'
	}
	return r
}
