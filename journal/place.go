package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place is where a line stands.
type Place struct {
	Path   string // relative to the store, with slashes
	Line   int64  // from 1
	Offset int64  // of the line's first byte
}

// String is path:line, the path as Shown gives it.
func (p Place) String() string { return Shown(p.Path) + ":" + strconv.FormatInt(p.Line, 10) }

// Shown is a path as messages print it. Whoever copied a log into the store
// chose its name: what a terminal or a shell would obey is escaped, in quotes.
func Shown(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range path {
		switch {
		case r == ' ' || plain(r):
			b.WriteRune(r)
		case r == utf8.RuneError: // it stands for one byte that is no UTF-8, or for itself
			fmt.Fprintf(&b, `\x%02x`, path[i])
			if strings.HasPrefix(path[i:], "\uFFFD") {
				fmt.Fprintf(&b, `\x%02x\x%02x`, path[i+1], path[i+2])
			}
		default:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plain reports whether a character of a path means nothing but itself.
func plain(r rune) bool {
	return strings.ContainsRune("._-/:+=@,%", r) || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Unshown is the path whose Shown form, with its quotes or as a shell that took
// them away leaves it, is text.
func Unshown(text string) (path string, ok bool) {
	path, err := strconv.Unquote(`"` + strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`) + `"`)
	return path, err == nil
}

// Digest is the SHA-256 of a line without its newline: what the identity
// rules, the chain, the ledger and the audit compare.
type Digest [sha256.Size]byte

// LineDigest digests a line, given without its newline.
func LineDigest(line []byte) Digest { return sha256.Sum256(line) }

// Prev is what the next line of the same capture must carry.
func (d Digest) Prev() Prev { return Prev(d[:len(Prev{})]) }

// String is the digest in hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// CorruptionError says that a complete line is not what its file may hold. It
// ends that file's readable part. Err never quotes the line.
type CorruptionError struct {
	Path         string
	Line, Offset int64
	Err          error
}

func (e *CorruptionError) Error() string {
	return Place{Path: e.Path, Line: e.Line}.String() + ": corrupt line: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *CorruptionError) Unwrap() error { return e.Err }

// Corrupt makes the error for a line at p.
func Corrupt(p Place, err error) *CorruptionError {
	return &CorruptionError{Path: p.Path, Line: p.Line, Offset: p.Offset, Err: err}
}
