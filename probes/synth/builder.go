package synth

import (
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// builder builds values by the rules.
type builder struct {
	root rawjson.Value
	// whole makes all that applies to a value count at once, where the rules alone
	// would look at one branch of it.
	whole bool

	meter
	bytes   int
	stopped string // the keyword that ended the build first
}

// stop notes what ends the build.
func (b *builder) stop(keyword string) ([]byte, bool) {
	if b.stopped == "" {
		b.stopped = keyword
	}
	return nil, false
}

// value builds a value that schemas all apply to. Its result is JSON on one line.
func (b *builder) value(schemas []rawjson.Value, depth int) (out []byte, ok bool) {
	if b.whole {
		var layers []rawjson.Value
		for _, s := range schemas {
			if !b.flatten(s, depth, &layers) {
				return nil, false
			}
		}
		if out, found, ok := b.given(layers); found {
			return out, ok
		}
		return b.typed(layers, depth)
	}
	s := schemas[0]
	if !b.step(s, depth) {
		return b.stop("required") // it is what makes values grow
	}
	if allows, isBool := s.Bool(); isBool {
		if !allows {
			return b.stop("false")
		}
		return b.text(nil), true
	}
	if s.Kind() != rawjson.Object {
		return b.stop("type")
	}
	if ref, ok := s.Get("$ref"); ok {
		target, ok := resolve(b.root, ref, &b.meter)
		if !ok {
			return b.stop("$ref")
		}
		return b.value([]rawjson.Value{target}, depth+1)
	}
	if out, found, ok := b.given(schemas[:1]); found {
		return out, ok
	}
	if branch, ok := firstBranch(s); ok {
		return b.value([]rawjson.Value{branch}, depth+1)
	}
	return b.typed(schemas[:1], depth)
}

// flatten lists a schema and all that applies with it; ok is false when nothing
// is allowed.
func (b *builder) flatten(s rawjson.Value, depth int, layers *[]rawjson.Value) (ok bool) {
	if !b.step(s, depth) {
		b.stop("required")
		return false
	}
	if allows, isBool := s.Bool(); isBool {
		if !allows {
			b.stop("false")
		}
		return allows
	}
	if s.Kind() != rawjson.Object {
		b.stop("type")
		return false
	}
	*layers = append(*layers, s)
	if ref, ok := s.Get("$ref"); ok {
		target, ok := resolve(b.root, ref, &b.meter)
		if !ok {
			b.stop("$ref")
		}
		if !ok || !b.flatten(target, depth+1, layers) {
			return false
		}
	}
	all, _ := s.Get("allOf")
	for part := range all.Elements() {
		if !b.flatten(part, depth+1, layers) {
			return false
		}
	}
	if branch, ok := firstBranch(s); ok {
		return b.flatten(branch, depth+1, layers)
	}
	return true
}

// firstBranch is the first of anyOf, or else of oneOf.
func firstBranch(s rawjson.Value) (rawjson.Value, bool) {
	for _, name := range []string{"anyOf", "oneOf"} {
		list, _ := s.Get(name)
		for branch := range list.Elements() {
			return branch, true
		}
	}
	return rawjson.Value{}, false
}

// given is a value that a schema spells out. found tells whether there is one, ok
// whether it can be taken.
func (b *builder) given(layers []rawjson.Value) (out []byte, found, ok bool) {
	for _, rule := range []struct {
		name string
		list bool
	}{{"const", false}, {"enum", true}, {"default", false}, {"examples", true}} {
		for _, s := range layers {
			v, has := s.Get(rule.name)
			if !has {
				continue
			}
			if rule.list {
				if v, has = element(v, "0"); !has {
					continue
				}
			}
			out, ok := b.copied(v)
			return out, true, ok
		}
	}
	return nil, false, false
}

// copied is a value of the schema, on one line.
func (b *builder) copied(v rawjson.Value) ([]byte, bool) {
	raw := v.Raw()
	if !b.spend(len(raw)) {
		return b.stop("default")
	}
	out := make([]byte, 0, len(raw))
	inText := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inText && c == '\\':
			out = append(out, c)
			i++
			c = raw[i]
		case c == '"':
			inText = !inText
		case !inText && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		out = append(out, c)
	}
	return out, true
}

func (b *builder) spend(n int) bool {
	b.bytes += n
	return b.bytes <= maxBytes
}

// typed builds a value by its type.
func (b *builder) typed(layers []rawjson.Value, depth int) ([]byte, bool) {
	switch typeOf(layers) {
	case "object":
		return b.object(layers, depth)
	case "array":
		return b.array(layers, depth)
	case "string":
		if out := b.text(layers); out != nil {
			return out, true
		}
		return b.stop("minLength")
	case "integer", "number":
		if out := number(layers, typeOf(layers) == "integer"); out != nil && b.spend(len(out)) {
			return out, true
		}
		return b.stop("minimum")
	case "boolean":
		return []byte("false"), b.spend(5)
	case "null":
		return []byte("null"), b.spend(4)
	}
	return b.stop("type")
}

// typeOf is the type that the schemas name, of several the first that is not
// null. Without one it is what their other keywords are about, and text when
// there are none.
func typeOf(layers []rawjson.Value) string {
	for _, s := range layers {
		v, ok := s.Get("type")
		if !ok {
			continue
		}
		if text, isText := v.Text(); isText {
			return text
		}
		name := "null"
		for e := range v.Elements() {
			if text, _ := e.Text(); text != "null" {
				name = text
				break
			}
		}
		return name
	}
	for _, about := range []struct {
		name     string
		keywords []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}},
		{"string", []string{"format", "pattern", "minLength", "maxLength"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	} {
		for _, keyword := range about.keywords {
			if _, ok := get(layers, keyword); ok {
				return about.name
			}
		}
	}
	return "string"
}

// get is a keyword's value in the first schema that has it.
func get(layers []rawjson.Value, keyword string) (rawjson.Value, bool) {
	for _, s := range layers {
		if v, ok := s.Get(keyword); ok {
			return v, true
		}
	}
	return rawjson.Value{}, false
}

// count is a keyword's value as a number of things, 0 when there is none.
func count(layers []rawjson.Value, keyword string) int {
	v, _ := get(layers, keyword)
	n, ok := v.Int()
	if !ok {
		return 0
	}
	return int(max(0, min(n, maxBytes+1)))
}
