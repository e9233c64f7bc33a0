package manifest

import (
	"errors"
	"strings"
)

var (
	errEncode      = errors.New("encode manifest: a case holds what is no JSON")
	errUnknownKind = errors.New("not a kind of probe")
)

// Problem is what is wrong with a part of a manifest. Its text is fixed.
type Problem string

// The problems.
const (
	NotJSON       Problem = "is not JSON in UTF-8"
	TooLarge      Problem = "is too large"
	UnknownField  Problem = "is not a field here"
	RepeatedField Problem = "is given twice"
	MissingField  Problem = "is missing"
	WrongType     Problem = "has the wrong type"
	OutOfRange    Problem = "is out of range"
	Malformed     Problem = "is not of the form that is asked for"
	NotAllowed    Problem = "is not allowed here"
	RepeatedID    Problem = "is the id of an earlier case"
	UnknownKind   Problem = "is not a kind of probe"
	TooFew        Problem = "has too few items"
	TooMany       Problem = "has too many items"
)

// Error is the first thing that is wrong with a manifest. Its text holds the
// path, the id of the case and the problem, and no value.
type Error struct {
	Path    string // such as probes[3].max_tools; "" for the whole document
	Case    string // the id of the case, when it has a valid one
	Line    int    // where the case begins, or the syntax error is; 0 when unknown
	Problem Problem
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("manifest: ")
	if e.Path == "" {
		b.WriteString("the document")
	} else {
		b.WriteString(e.Path)
	}
	if e.Case != "" {
		b.WriteString(" (case " + e.Case + ")")
	}
	b.WriteString(" " + string(e.Problem))
	return b.String()
}
