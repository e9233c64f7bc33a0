package sanitize

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// maxNote is the most code points of a note.
const maxNote = 240

// ParseNote accepts 1-240 code points of valid UTF-8 without control characters.
func ParseNote(decoded []byte) (Note, bool) {
	if len(decoded) == 0 || len(decoded) > maxNote*utf8.UTFMax || !utf8.Valid(decoded) {
		return Note{}, false
	}
	s := string(decoded)
	if utf8.RuneCountInString(s) > maxNote || strings.ContainsFunc(s, isControl) {
		return Note{}, false
	}
	return Note{s}, true
}

// isControl reports Unicode's category Cc: C0, DEL and C1.
func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0
}

// NewNote checks a note somebody wrote.
func NewNote(s string) (Note, error) {
	switch {
	case !utf8.ValidString(s):
		return Note{}, errors.New("a note must be valid UTF-8")
	case strings.TrimSpace(s) == "":
		return Note{}, errors.New("a note must not be empty")
	case utf8.RuneCountInString(s) > maxNote:
		return Note{}, errors.New("a note may have at most 240 characters")
	case strings.ContainsFunc(s, isControl):
		return Note{}, errors.New("a note must not contain control characters (line breaks and tabs included)")
	}
	return Note{s}, nil
}
