package sanitize

// The types below hold everything that may come from traffic. Their fields are
// unexported: a value is built by this package from raw input, or by a Parse
// function from a stored token, and both end in the same closed grammar. A zero
// value is valid and means absent.

// Label names a server, a case, a version: 1-128 of [A-Za-z0-9_.:-]; for
// standards also '/'.
type Label struct{ s string }

// Session is "session:" and 64 hex digits.
type Session struct{ s string }

// Method is a method of the specification (of any revision), or "unlisted".
type Method struct{ s string }

// Tool is a tool name, or "unlisted".
type Tool struct{ s string }

// Shape is the shape of a call's arguments, as the JSON text that stands on
// the line.
type Shape struct{ s string }

// Code is an error code as the JSON token that stands on the line: a number,
// a bool or a string.
type Code struct{ s string }

// Layer is "transport", "tool", "protocol", or a length bucket.
type Layer struct{ s string }

// Bucket is the length bucket of a string (str8 ... str4096+), or of another
// JSON value (null, bool, num, array, object).
type Bucket struct{ s string }

// TemplateID is 16 hex digits that stand for an error text.
type TemplateID struct{ s string }

// SaltID is 8 hex digits that stand for a salt.
type SaltID struct{ s string }

// Note is a reviewed remark of at most 240 code points without control
// characters.
type Note struct{ s string }

// FindingID is "finding-" and 16 hex digits.
type FindingID struct{ s string }

// Digest is 32 hex digits of a keyed digest.
type Digest struct{ s string }

// Revision is a protocol revision (a date), or "unlisted".
type Revision struct{ s string }

// Capabilities is a set of capability names of the specification.
type Capabilities struct{ bits uint32 }

func (v Label) String() string      { return v.s }
func (v Session) String() string    { return v.s }
func (v Method) String() string     { return v.s }
func (v Tool) String() string       { return v.s }
func (v Shape) String() string      { return v.s }
func (v Layer) String() string      { return v.s }
func (v Bucket) String() string     { return v.s }
func (v TemplateID) String() string { return v.s }
func (v SaltID) String() string     { return v.s }
func (v Note) String() string       { return v.s }
func (v FindingID) String() string  { return v.s }
func (v Digest) String() string     { return v.s }
func (v Revision) String() string   { return v.s }

// Token is the code as JSON.
func (v Code) Token() string { return v.s }

// String is the code without JSON quotes.
func (v Code) String() string {
	if len(v.s) >= 2 && v.s[0] == '"' {
		return v.s[1 : len(v.s)-1]
	}
	return v.s
}

// IsZero reports whether the value is absent; so do the methods below.
func (v Label) IsZero() bool        { return v.s == "" }
func (v Session) IsZero() bool      { return v.s == "" }
func (v Method) IsZero() bool       { return v.s == "" }
func (v Tool) IsZero() bool         { return v.s == "" }
func (v Shape) IsZero() bool        { return v.s == "" }
func (v Code) IsZero() bool         { return v.s == "" }
func (v Layer) IsZero() bool        { return v.s == "" }
func (v Bucket) IsZero() bool       { return v.s == "" }
func (v TemplateID) IsZero() bool   { return v.s == "" }
func (v SaltID) IsZero() bool       { return v.s == "" }
func (v Note) IsZero() bool         { return v.s == "" }
func (v FindingID) IsZero() bool    { return v.s == "" }
func (v Digest) IsZero() bool       { return v.s == "" }
func (v Revision) IsZero() bool     { return v.s == "" }
func (v Capabilities) IsZero() bool { return v.bits == 0 }
