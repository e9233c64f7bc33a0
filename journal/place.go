package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Place is where a line stands.
type Place struct {
	Path   string // relative to the store, with slashes
	Line   int64  // from 1
	Offset int64  // of the line's first byte
}

// String is path:line.
func (p Place) String() string { return p.Path + ":" + strconv.FormatInt(p.Line, 10) }

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
	return e.Path + ":" + strconv.FormatInt(e.Line, 10) + ": corrupt line: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *CorruptionError) Unwrap() error { return e.Err }

// Corrupt makes the error for a line at p.
func Corrupt(p Place, err error) *CorruptionError {
	return &CorruptionError{Path: p.Path, Line: p.Line, Offset: p.Offset, Err: err}
}
