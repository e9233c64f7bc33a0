package schema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxViolations is how many violations a Verdict holds.
const maxViolations = 100

// flatten lists the violations in an error, in order, each once. Alternatives
// are one violation of their own; what only groups others is none.
func flatten(e *jsonschema.ValidationError) []Violation {
	var list []Violation
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if groups(e.ErrorKind) && len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				walk(cause)
			}
			return
		}
		list = append(list, Violation{
			Keyword:  keywordOf(e.ErrorKind),
			Instance: pointer(e.InstanceLocation),
			Schema:   fragment(e.SchemaURL),
		})
	}
	walk(e)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

func compare(a, b Violation) int {
	return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Keyword, b.Keyword))
}

func groups(k jsonschema.ErrorKind) bool {
	switch k.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		return true
	}
	return false
}

// keywordOf names the keyword that is broken, if it is one that may be named.
func keywordOf(k jsonschema.ErrorKind) string {
	switch k.(type) {
	case *kind.FalseSchema:
		return "false"
	case *kind.Not:
		return "not"
	case *kind.RefCycle:
		return "$ref"
	case *kind.Dependency:
		return "dependencies"
	}
	if k != nil {
		if path := k.KeywordPath(); len(path) > 0 && known[path[0]] {
			return path[0]
		}
	}
	return ""
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

func fragment(url string) string {
	_, frag, _ := strings.Cut(url, "#")
	return frag
}

// trimmed is a dialect's name without scheme and empty fragment.
func trimmed(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	return strings.TrimSuffix(name, "#")
}

func intersect(a, b []Violation) []Violation {
	var both []Violation
	for _, v := range a {
		if _, ok := slices.BinarySearchFunc(b, v, compare); ok {
			both = append(both, v)
		}
	}
	return both
}

func capped(list []Violation) []Violation { return list[:min(len(list), maxViolations)] }

// problemOf is the label of an error of the compiler, whose own text quotes the
// schema.
func problemOf(err error) *Error {
	switch {
	case errors.Is(err, errTooSlow):
		return &Error{Problem: TooSlow}
	case errors.Is(err, errGaveUp):
		return &Error{Problem: Unevaluable}
	}
	var (
		invalid    *jsonschema.SchemaValidationError
		violations *jsonschema.ValidationError
		remote     *jsonschema.LoadURLError
		noPointer  *jsonschema.JSONPointerNotFoundError
		noAnchor   *jsonschema.AnchorNotFoundError
		badPointer *jsonschema.InvalidJsonPointerError
		metaSchema *jsonschema.InvalidMetaSchemaURLError
		metaDraft  *jsonschema.UnsupportedDraftError
		metaCycle  *jsonschema.MetaSchemaCycleError
		vocabulary *jsonschema.UnsupportedVocabularyError
	)
	switch {
	case errors.As(err, &invalid):
		e := &Error{Problem: InvalidKeyword}
		if errors.As(invalid.Err, &violations) {
			e.Keyword, e.Pointer = lastKeyword(violations)
		}
		return e
	case errors.As(err, &remote):
		return &Error{Problem: RemoteRef, Keyword: "$ref"}
	case errors.As(err, &noPointer), errors.As(err, &noAnchor), errors.As(err, &badPointer):
		return &Error{Problem: DanglingRef, Keyword: "$ref"}
	case errors.As(err, &metaSchema), errors.As(err, &metaDraft), errors.As(err, &metaCycle), errors.As(err, &vocabulary):
		return &Error{Problem: Dialect, Keyword: "$schema"}
	}
	return &Error{Problem: BadReference}
}

// lastKeyword is the last keyword on the way to the first thing in a schema that
// its dialect does not allow.
func lastKeyword(e *jsonschema.ValidationError) (keyword, at string) {
	list := flatten(e)
	if len(list) == 0 {
		return "", ""
	}
	at = list[0].Instance
	tokens := strings.Split(at, "/")
	for i := len(tokens) - 1; i > 0; i-- {
		if known[tokens[i]] {
			return tokens[i], at
		}
	}
	return "", at
}
