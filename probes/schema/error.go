package schema

// Problem says why a schema cannot be compiled or a value not be validated. Its
// text is a fixed label.
type Problem string

// The problems.
const (
	NotASchema     Problem = "not-a-schema"          // neither an object nor a boolean
	TooLarge       Problem = "too-large"             // bytes, values or names beyond the limits
	TooDeep        Problem = "too-deep"              //
	NumberTooLarge Problem = "number-too-large"      // a number whose digits would fill memory
	TooSlow        Problem = "too-slow"              // steps or time beyond the limits
	InvalidKeyword Problem = "invalid-keyword"       // a keyword's value is not what the dialect allows
	DanglingRef    Problem = "dangling-reference"    // $ref to nothing in this document
	RemoteRef      Problem = "remote-reference"      // $ref or $schema to another document
	BadReference   Problem = "malformed-reference"   // $ref, $id or $anchor is no URI reference, or ids repeat
	Dialect        Problem = "unsupported-dialect"   // $schema names a dialect that is not built in
	Unevaluable    Problem = "evaluation-impossible" // the validator gave up on the value
)

// Error is returned by Compile and Validate. Its text is the label alone.
type Error struct {
	Problem Problem

	// Keyword is the keyword that an InvalidKeyword breaks a rule of, from a
	// fixed list, or "".
	Keyword string

	// Pointer is the JSON pointer to where in the schema, or "". It is made of
	// names a server chose: it MUST NOT be printed or stored.
	Pointer string
}

func (e *Error) Error() string {
	if e.Keyword != "" {
		return "schema: " + string(e.Problem) + " (" + e.Keyword + ")"
	}
	return "schema: " + string(e.Problem)
}

// Violation is one way in which a value breaks a schema.
type Violation struct {
	// Keyword is the keyword that is broken, from a fixed list; "false" for a
	// false schema.
	Keyword string

	// Instance and Schema are JSON pointers into the value and the schema. They
	// are made of names a server chose: they MUST NOT be printed or stored.
	Instance string
	Schema   string
}

// Verdict is what came of a validation.
type Verdict struct {
	// Violations are in the order of their pointers, at most 100 of them.
	Violations []Violation

	// Unsure says that the value would be invalid under some reading of patterns
	// that were not evaluated. Violations then holds only what stands under each
	// reading.
	Unsure bool
}

// Valid reports whether no violation is certain.
func (v Verdict) Valid() bool { return len(v.Violations) == 0 }
