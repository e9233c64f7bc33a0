package synth

import (
	"cmp"
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

// BuildError is the ErrCannotBuild of one schema.
type BuildError struct {
	// Keyword is the keyword of the schema that stopped the build, from a fixed
	// list; "" for a schema that is beyond the limits.
	Keyword string
}

func (e *BuildError) Error() string {
	if e.Keyword == "" {
		return ErrCannotBuild.Error()
	}
	return ErrCannotBuild.Error() + " (" + e.Keyword + ")"
}

// Is makes it an ErrCannotBuild.
func (e *BuildError) Is(target error) bool { return target == ErrCannotBuild }

// Arguments builds arguments from a tool's input schema, a JSON object on one
// line. A schema that requires nothing, or that is none, gives {}. Its errors are
// of type *BuildError.
func Arguments(input rawjson.Value) ([]byte, error) {
	if !requires(input, input, 0, &meter{}) {
		return []byte("{}"), nil
	}
	compiled, err := schema.Compile(input, nil)
	if err != nil {
		e, _ := errors.AsType[*schema.Error](err)
		return nil, &BuildError{e.Keyword}
	}
	stopped := ""
	for _, whole := range []bool{false, true} {
		b := &builder{root: input, whole: whole}
		out, ok := b.value([]rawjson.Value{input}, 0)
		if !ok {
			stopped = b.stopped
			continue
		}
		if stopped = breaks(compiled, out); stopped == "" {
			return out, nil
		}
	}
	return nil, &BuildError{cmp.Or(stopped, "required")}
}

// breaks is a keyword that keeps out from being an object without repeated keys
// that certainly validates; "" when it is one.
func breaks(compiled *schema.Schema, out []byte) string {
	v, err := rawjson.Parse(out)
	if err != nil || v.Kind() != rawjson.Object {
		return "type"
	}
	if repeats(v, 0) {
		return "default" // what is built has a key twice only where the schema spells it out
	}
	verdict, err := compiled.Validate(v)
	switch {
	case err != nil:
		return "type"
	case verdict.Unsure:
		return "pattern"
	case !verdict.Valid():
		return cmp.Or(verdict.Violations[0].Keyword, "type")
	}
	return ""
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
