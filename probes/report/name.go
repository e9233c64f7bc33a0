package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// The names below are the only free text of a document. Each can be made only
// inside its grammar, none of which needs escaping in any form of a report. The
// zero value means absent and is null in JSON.

// Label names a server or a version: 1-128 of [A-Za-z0-9_.:-].
type Label struct{ s string }

// NewLabel checks a label somebody chose.
func NewLabel(s string) (Label, error) {
	l, err := sanitize.NewLabel(s)
	return Label{l.String()}, err
}

// CaseID identifies a case: [A-Za-z][A-Za-z0-9_.:-]{0,63}.
type CaseID struct{ s string }

// NewCaseID checks a case ID.
func NewCaseID(s string) (CaseID, error) {
	if _, ok := sanitize.ParseLabel([]byte(s)); !ok || len(s) > 64 || !isLetter(s[0]) {
		return CaseID{}, errors.New("a case id is a letter and up to 63 of A-Z a-z 0-9 _ . : -")
	}
	return CaseID{s}, nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Tool is a tool's name, or "unlisted" for one outside the grammar of tool names
// or that looks like a credential.
type Tool struct{ s string }

// ToolOf is the tool of that name; "" gives the zero Tool.
func ToolOf(name string) Tool {
	if name == "" {
		return Tool{}
	}
	return Tool{sanitize.ToolOf([]byte(name), true).String()}
}

// SHA256 is a digest in lower-case hex.
type SHA256 struct{ s string }

// SHA256Of digests data.
func SHA256Of(data []byte) SHA256 {
	sum := sha256.Sum256(data)
	return SHA256{hex.EncodeToString(sum[:])}
}

// ParseSHA256 checks a digest.
func ParseSHA256(s string) (SHA256, error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != s {
		return SHA256{}, errors.New("a SHA-256 is 64 lower-case hex digits")
	}
	return SHA256{s}, nil
}

// Standard names a version of the standard battery, such as mcpeval-standard/3.
type Standard struct{ s string }

const standardPrefix = "mcpeval-standard/"

// NewStandard is version n of the standard, 1 to 9999.
func NewStandard(n int) Standard {
	return Standard{standardPrefix + decimal(int64(min(max(n, 1), 9999)))}
}

func parseStandard(s string) (Standard, bool) {
	if len(s) <= len(standardPrefix) || len(s) > len(standardPrefix)+4 || s[:len(standardPrefix)] != standardPrefix || s[len(standardPrefix)] == '0' {
		return Standard{}, false
	}
	for _, c := range []byte(s[len(standardPrefix):]) {
		if c < '0' || c > '9' {
			return Standard{}, false
		}
	}
	return Standard{s}, true
}

func (v Label) String() string    { return v.s }
func (v CaseID) String() string   { return v.s }
func (v Tool) String() string     { return v.s }
func (v SHA256) String() string   { return v.s }
func (v Standard) String() string { return v.s }

// MarshalJSON writes the name, or null; so do the methods below.
func (v Label) MarshalJSON() ([]byte, error)    { return quoted(v.s), nil }
func (v CaseID) MarshalJSON() ([]byte, error)   { return quoted(v.s), nil }
func (v Tool) MarshalJSON() ([]byte, error)     { return quoted(v.s), nil }
func (v SHA256) MarshalJSON() ([]byte, error)   { return quoted(v.s), nil }
func (v Standard) MarshalJSON() ([]byte, error) { return quoted(v.s), nil }

func quoted(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return []byte(`"` + s + `"`)
}
