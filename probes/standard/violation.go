package standard

import (
	"errors"
	"slices"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// unknownProperty is a name that no schema has.
const unknownProperty = "mcpeval_no_such_property"

// wrongValues are tried in this order for one that a property's schema forbids.
func wrongValues() []string { return []string{"12345", `"mcpeval"`, "true", "[]", "{}", "null"} }

// violation is arguments that a schema certainly forbids, by the first rule that
// gives some: the required ones left out; of the first typed property by name a
// value of another type; a property that additionalProperties forbids. arguments
// are valid ones, or nil.
func violation(compiled *schema.Schema, input rawjson.Value, arguments []byte) []byte {
	if required, _ := input.Get("required"); required.Kind() == rawjson.Array && required.Len() > 0 {
		if empty := []byte("{}"); forbids(compiled, empty) {
			return empty
		}
	}
	if arguments == nil {
		arguments = []byte("{}")
	}
	if name, ok := firstTyped(input); ok {
		for _, wrong := range wrongValues() {
			if args := with(arguments, name, wrong); forbids(compiled, args) {
				return args
			}
		}
	}
	if other, _ := input.Get("additionalProperties"); isFalse(other) {
		if args := with(arguments, rawjson.TrustedKey([]byte(`"`+unknownProperty+`"`)), "true"); forbids(compiled, args) {
			return args
		}
	}
	return nil
}

func isFalse(v rawjson.Value) bool {
	b, ok := v.Bool()
	return ok && !b
}

// forbids reports whether arguments are invalid under every reading of a schema.
func forbids(compiled *schema.Schema, arguments []byte) bool {
	verdict, err := compiled.Validate(rawjson.Trusted(arguments))
	return err == nil && !verdict.Valid()
}

// firstTyped is the key of the first property, by its name, that has a type.
func firstTyped(input rawjson.Value) (first rawjson.Key, ok bool) {
	properties, _ := input.Get("properties")
	name := ""
	for key, property := range properties.Members() {
		if kind, _ := property.Get("type"); kind.IsZero() {
			continue
		}
		if text := key.Text(); !ok || text < name {
			first, name, ok = key, text, true
		}
	}
	return first, ok
}

// with is arguments with one member more, or another one in its place.
func with(arguments []byte, name rawjson.Key, value string) []byte {
	b := []byte{'{'}
	text := name.Text()
	for key, v := range rawjson.Trusted(arguments).Members() {
		if !key.Is(text) {
			b = slices.Concat(b, key.Raw(), []byte{':'}, v.Raw(), []byte{','})
		}
	}
	return slices.Concat(b, name.Raw(), []byte{':'}, []byte(value), []byte{'}'})
}

// brokenSchema reports whether an error of schema.Compile is the schema's doing,
// and not that of our limits.
func brokenSchema(err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return false
	}
	switch e.Problem {
	case schema.NotASchema, schema.InvalidKeyword, schema.DanglingRef, schema.RemoteRef, schema.BadReference:
		return true
	}
	return false
}
