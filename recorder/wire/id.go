package wire

import (
	"crypto/sha256"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// maxIDBytes is the longest id text that is kept as it is.
const maxIDBytes = 64

// ID is the key of a JSON-RPC id or progress token: its JSON type and value.
// Strings and numbers are distinct; 1 and 1.0 are the same number; numbers are
// compared as text, so that no precision is lost. Texts of more than 64 bytes
// are kept as their SHA-256. It is comparable and holds no pointers.
type ID struct {
	form idForm
	n    uint8
	text [maxIDBytes]byte
}

type idForm uint8

const (
	idString idForm = iota + 1
	idNumber
	idStringDigest
	idNumberDigest
)

// IDOf is the ID of a JSON string or number, and the zero ID of anything else.
func IDOf(v rawjson.Value) ID {
	raw := v.Raw()
	if isPlainInteger(raw) {
		return newID(idNumber, idNumberDigest, raw)
	}
	// An escape is at most six bytes for one of text, so longer ones than this
	// buffer are digested anyway.
	var buf [6 * maxIDBytes]byte
	switch v.Kind() {
	case rawjson.String:
		return newID(idString, idStringDigest, v.AppendText(buf[:0]))
	case rawjson.Number:
		return newID(idNumber, idNumberDigest, v.AppendNumber(buf[:0]))
	}
	return ID{}
}

// isPlainInteger reports whether raw is a number in normal form, as nearly all
// ids are: digits with no zero in front, few enough for AppendNumber to write
// them out.
func isPlainInteger(raw []byte) bool {
	if len(raw) == 0 || len(raw) > 18 || raw[0] == '0' {
		return false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func newID(plain, digest idForm, text []byte) ID {
	if len(text) > maxIDBytes {
		sum := sha256.Sum256(text)
		id := ID{form: digest, n: sha256.Size}
		copy(id.text[:], sum[:])
		return id
	}
	id := ID{form: plain, n: uint8(len(text))}
	copy(id.text[:], text)
	return id
}

// IsZero reports whether there is no id, or a null one.
func (id ID) IsZero() bool { return id.form == 0 }

// IsString reports whether the id is a JSON string.
func (id ID) IsString() bool { return id.form == idString || id.form == idStringDigest }

// AppendKey appends a text that is equal for equal ids and different for
// different ones: "s:" or "n:" and the value, or "s#" or "n#" and its digest.
// It is traffic and must stay in memory.
func (id ID) AppendKey(dst []byte) []byte {
	switch id.form {
	case idString:
		dst = append(dst, "s:"...)
	case idNumber:
		dst = append(dst, "n:"...)
	case idStringDigest:
		dst = append(dst, "s#"...)
	case idNumberDigest:
		dst = append(dst, "n#"...)
	}
	return append(dst, id.text[:id.n]...)
}
