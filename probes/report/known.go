package report

import (
	"bytes"
	"unicode/utf8"
)

// maxKnown bounds a known-failures file, in bytes.
const maxKnown = 1 << 20

// ParseKnown reads a known-failures file: one case ID a line, blank lines and
// everything behind a # ignored. The error is an *Error that names the line.
func ParseKnown(data []byte) ([]CaseID, error) {
	if len(data) > maxKnown {
		return nil, &Error{"known failures", "is larger than 1 MiB"}
	}
	if !utf8.Valid(data) {
		return nil, &Error{"known failures", "is not UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var list []CaseID
	seen := map[CaseID]bool{}
	number := int64(0)
	for line := range bytes.Lines(data) {
		number++
		at := "known failures, line " + decimal(number)
		text, _, _ := bytes.Cut(line, []byte("#"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		id, err := NewCaseID(string(text))
		if err != nil {
			return nil, &Error{at, "is no case id"}
		}
		if seen[id] {
			return nil, &Error{at, "names a case a second time"}
		}
		seen[id] = true
		list = append(list, id)
	}
	return list, nil
}
