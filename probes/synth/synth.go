package synth

import (
	"errors"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// Bounds of one build.
const (
	maxDepth = 64
	maxSteps = 10_000
	maxBytes = 256 << 10 // of the arguments
	maxRead  = 64 << 20  // bytes of the schema, counted as often as they are looked through
)

// meter counts what a build costs.
type meter struct{ steps, read int }

// step takes another look at v and reports whether that is within the bounds.
func (m *meter) step(v rawjson.Value, depth int) bool {
	m.steps++
	m.read += len(v.Raw())
	return m.steps <= maxSteps && m.read <= maxRead && depth <= maxDepth
}

// ErrCannotBuild is returned when no rule gives arguments that the schema allows,
// and when the schema itself cannot be used.
var ErrCannotBuild = errors.New("no rule of the schema gives arguments")

// Arguments builds arguments from a tool's input schema, a JSON object on one
// line. A schema that requires nothing, or that is none, gives {}.
func Arguments(input rawjson.Value) ([]byte, error) {
	if !requires(input, input, 0, &meter{}) {
		return []byte("{}"), nil
	}
	compiled, err := schema.Compile(input, nil)
	if err != nil {
		return nil, ErrCannotBuild
	}
	for _, whole := range []bool{false, true} {
		b := &builder{root: input, whole: whole}
		out, ok := b.value([]rawjson.Value{input}, 0)
		if ok && valid(compiled, out) {
			return out, nil
		}
	}
	return nil, ErrCannotBuild
}

// valid reports whether out is an object without repeated keys that certainly
// validates.
func valid(compiled *schema.Schema, out []byte) bool {
	v, err := rawjson.Parse(out)
	if err != nil || v.Kind() != rawjson.Object || repeats(v, 0) {
		return false
	}
	verdict, err := compiled.Validate(v)
	return err == nil && verdict.Valid() && !verdict.Unsure
}

// repeats reports whether an object in v has a key twice: a manifest refuses
// such arguments, and servers read them in different ways. What is deeper than a
// value may be counts as well.
func repeats(v rawjson.Value, depth int) bool {
	if depth > 4*maxDepth {
		return true
	}
	switch v.Kind() {
	case rawjson.Object:
		seen := make(map[string]bool)
		for key, member := range v.Members() {
			name := key.Text()
			if seen[name] || repeats(member, depth+1) {
				return true
			}
			seen[name] = true
		}
	case rawjson.Array:
		for e := range v.Elements() {
			if repeats(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// requires reports whether a schema declares a required parameter: by itself,
// where its $ref leads, in a part of its allOf, or in every branch of its anyOf or
// oneOf.
func requires(root, s rawjson.Value, depth int, m *meter) bool {
	if !m.step(s, depth) || s.Kind() != rawjson.Object {
		return false
	}
	if list, _ := s.Get("required"); list.Kind() == rawjson.Array && list.Len() > 0 {
		return true
	}
	if ref, ok := s.Get("$ref"); ok {
		if target, ok := resolve(root, ref, m); ok && requires(root, target, depth+1, m) {
			return true
		}
	}
	all, _ := s.Get("allOf")
	for part := range all.Elements() {
		if requires(root, part, depth+1, m) {
			return true
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		branches, _ := s.Get(name)
		every := branches.Len() > 0
		for branch := range branches.Elements() {
			every = every && requires(root, branch, depth+1, m)
		}
		if every && branches.Kind() == rawjson.Array {
			return true
		}
	}
	return false
}
