package manifest

import "encoding/json"

// Scalar is a JSON string, number, boolean or null as it was written.
type Scalar json.RawMessage

// MarshalJSON returns the value as it is.
func (s Scalar) MarshalJSON() ([]byte, error) { return json.RawMessage(s).MarshalJSON() }

// Code is a JSON string or integer as it was written; empty means none.
type Code json.RawMessage

// MarshalJSON returns the value as it is.
func (c Code) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// Pointer is a JSON pointer (RFC 6901).
type Pointer string

// PointerPattern is the grammar of a Pointer, as a regular expression.
const PointerPattern = `^(/([^~/]|~[01])*)*$`

// Valid reports whether p is a JSON pointer.
func (p Pointer) Valid() bool {
	if p != "" && p[0] != '/' {
		return false
	}
	for i := range len(p) {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return false
		}
	}
	return true
}

// PointerScalars are scalars under JSON pointers.
type PointerScalars map[Pointer]Scalar
