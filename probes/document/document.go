// Package document is how every JSON document is written, so that each is the
// same bytes for the same value, whoever writes it.
//
//	value --Encode--> text --> file, stdout, an agent
//
// Invariants: members in the order of the type, two spaces of indentation,
// nothing escaped that need not be, a final newline. The error quotes nothing.
//
// Non-goals: reading; and the journal's events, which have a codec of their own.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
)

var errEncode = errors.New("the value cannot be written as JSON")

// Encode writes v as one document.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return nil, errEncode
	}
	return b.Bytes(), nil
}
