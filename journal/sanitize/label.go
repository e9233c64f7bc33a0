package sanitize

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// NewLabel checks a label somebody chose.
func NewLabel(s string) (Label, error) {
	if l, ok := ParseLabel([]byte(s)); ok {
		return l, nil
	}
	return Label{}, errors.New("a label must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -")
}

// SessionOf is the token of a session name: "session:" and its SHA-256. A name
// that is a token already is kept.
func SessionOf(raw string) Session {
	if s, ok := ParseSession([]byte(raw)); ok {
		return s
	}
	sum := sha256.Sum256([]byte(raw))
	return Session{sessionPrefix + hex.EncodeToString(sum[:])}
}

const sessionPrefix = "session:"

// RevisionOf is the protocol revision with this decoded name, or "unlisted".
func RevisionOf(decoded []byte) Revision {
	if r, ok := ParseRevision(decoded); ok {
		return r
	}
	return Revision{unlisted}
}

// ToolOf is the tool with this decoded name. A declared name is kept when the
// grammar allows it, an undeclared one when it also has neither ':' nor '/' and
// at most 64 bytes; both must pass the screen. Any other is "unlisted".
func ToolOf(decoded []byte, declared bool) Tool {
	ok := all(decoded, 1, 64, clsName)
	if declared {
		ok = all(decoded, 1, 128, clsLabel|clsSlash)
	}
	if !ok || Screen(decoded) {
		return Tool{unlisted}
	}
	return Tool{string(decoded)}
}
