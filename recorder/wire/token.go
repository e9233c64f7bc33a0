package wire

import (
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// state is where in the grammar a Scanner stands between two bytes.
type state uint8

// The states between tokens come first, then those inside one.
const (
	atStart          state = iota // of a frame
	wantValue                     // also after white space at the start
	wantFirstElement              // or the end of the array
	wantFirstKey                  // or the end of the object
	wantKey
	wantColon
	afterValue

	inToken // no state; the first ones inside a token follow
	inBOM
	inText
	inEscape
	inHex  // of a \u escape
	inRune // a character of several bytes
	inWord // true, false or null
	startNumber
	inMinus
	inZero
	inInteger
	inPoint
	inFraction
	inE
	inESign
	inExponent
	invalid // until the end of the frame

	tokenEnd // never kept: the string, word or number is complete
)

const bom = "\xef\xbb\xbf"

// tokens is the lexical part of a Scanner, all of it kept from chunk to chunk.
type tokens struct {
	state    state
	isKey    bool // the string begun is a key
	progress int  // bytes of the byte order mark, digits of the escape, or letters of the word seen
	word     string
	missing  int  // bytes of the character
	low      byte // bounds of the character's next byte
	high     byte

	depth int
	kinds [rawjson.MaxDepth/64 + 1]uint64 // a bit per depth: an object is open there
}

func (t *tokens) open(depth int, object bool) {
	word, bit := &t.kinds[depth>>6], uint64(1)<<(depth&63)
	*word &^= bit
	if object {
		*word |= bit
	}
}

// isObject reports whether an object is what is open at depth; at depth 0
// nothing is.
func (t *tokens) isObject(depth int) bool { return t.kinds[depth>>6]>>(depth&63)&1 == 1 }

func (t *tokens) inObject() bool { return t.isObject(t.depth) }

// resume continues the token that an earlier chunk began, or a part of it.
func (t *tokens) resume(b []byte, i int, in state) (int, state) {
	switch in {
	case inText:
		return t.text(b, i)
	case inEscape:
		return t.escape(b, i)
	case inHex:
		return t.hex(b, i)
	case inRune:
		return t.rune(b, i)
	case inWord:
		return t.letters(b, i)
	case inBOM:
		if b[i] != bom[t.progress] {
			return i, invalid
		}
		if t.progress++; t.progress == len(bom) {
			return i + 1, wantValue
		}
		return i + 1, inBOM
	}
	return t.number(b, i, in)
}

// text moves through the inside of a string and its closing quote. Like all
// that follow it returns where it stopped and the state there: tokenEnd behind
// a complete token, invalid at a byte that does not belong, else the state to
// resume in.
func (t *tokens) text(b []byte, i int) (int, state) {
	for {
		i += rawjson.PlainLen(b[i:])
		if i == len(b) {
			return i, inText
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, tokenEnd
		case c == '\\':
			var in state
			if i, in = t.escape(b, i+1); in != inText {
				return i, in
			}
		case c >= utf8.RuneSelf:
			for i < len(b) && b[i] >= utf8.RuneSelf {
				if len(b)-i < utf8.UTFMax && !utf8.FullRune(b[i:]) {
					var in state
					if i, in = t.lead(b, i); in != inText {
						return i, in
					}
					continue
				}
				r, size := utf8.DecodeRune(b[i:])
				if r == utf8.RuneError && size == 1 {
					return i, invalid
				}
				i += size
			}
		default:
			return i, invalid
		}
	}
}

// escape continues behind a backslash, up to the end of the escape.
func (t *tokens) escape(b []byte, i int) (int, state) {
	if i == len(b) {
		return i, inEscape
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, inText
	case 'u':
		t.progress = 0
		return t.hex(b, i+1)
	}
	return i, invalid
}

// hex continues with the four digits of a \u escape.
func (t *tokens) hex(b []byte, i int) (int, state) {
	for ; i < len(b); i++ {
		c := b[i]
		if c-'0' > 9 && c|0x20-'a' > 5 {
			return i, invalid
		}
		if t.progress++; t.progress == 4 {
			return i + 1, inText
		}
	}
	return i, inHex
}

// lead begins a character of several bytes that the chunk cuts.
func (t *tokens) lead(b []byte, i int) (int, state) {
	t.low, t.high = 0x80, 0xbf
	switch c := b[i]; {
	case 0xc2 <= c && c <= 0xdf:
		t.missing = 1
	case 0xe0 <= c && c <= 0xef:
		t.missing = 2
		if c == 0xe0 {
			t.low = 0xa0
		} else if c == 0xed { // surrogates
			t.high = 0x9f
		}
	case 0xf0 <= c && c <= 0xf4:
		t.missing = 3
		if c == 0xf0 {
			t.low = 0x90
		} else if c == 0xf4 {
			t.high = 0x8f
		}
	default:
		return i, invalid
	}
	return t.rune(b, i+1)
}

// rune continues inside a character of several bytes.
func (t *tokens) rune(b []byte, i int) (int, state) {
	for ; i < len(b); i++ {
		if c := b[i]; c < t.low || c > t.high {
			return i, invalid
		}
		t.low, t.high = 0x80, 0xbf
		if t.missing--; t.missing == 0 {
			return i + 1, inText
		}
	}
	return i, inRune
}

// startWord begins the word at i, whose first letter is right.
func (t *tokens) startWord(b []byte, i int) (int, state) {
	switch b[i] {
	case 't':
		t.word = "true"
	case 'f':
		t.word = "false"
	default:
		t.word = "null"
	}
	t.isKey = false
	t.progress = 0
	return t.letters(b, i)
}

func (t *tokens) letters(b []byte, i int) (int, state) {
	for ; i < len(b); i++ {
		if b[i] != t.word[t.progress] {
			return i, invalid
		}
		if t.progress++; t.progress == len(t.word) {
			return i + 1, tokenEnd
		}
	}
	return i, inWord
}

// number moves through a number. Only the byte behind a number ends it.
func (t *tokens) number(b []byte, i int, in state) (int, state) {
	t.isKey = false
	for ; i < len(b); i++ {
		c := b[i]
		digit := c-'0' <= 9
		switch in {
		case startNumber, inMinus:
			switch {
			case c == '0':
				in = inZero
			case digit:
				in = inInteger
			case c == '-' && in == startNumber:
				in = inMinus
			default:
				return i, invalid
			}
			continue
		case inInteger, inFraction, inExponent:
			if digit {
				continue
			}
		case inPoint:
			if !digit {
				return i, invalid
			}
			in = inFraction
			continue
		case inE, inESign:
			switch {
			case digit:
				in = inExponent
			case in == inE && (c == '+' || c == '-'):
				in = inESign
			default:
				return i, invalid
			}
			continue
		}
		// Behind a complete number, or a part that makes one.
		switch {
		case c == '.' && (in == inZero || in == inInteger):
			in = inPoint
		case (c == 'e' || c == 'E') && in != inExponent:
			in = inE
		default:
			return i, tokenEnd
		}
	}
	return i, in
}

// endsNumber reports whether the end of the frame completes a number.
func (t *tokens) endsNumber() bool {
	switch t.state {
	case inZero, inInteger, inFraction, inExponent:
		return true
	}
	return false
}
