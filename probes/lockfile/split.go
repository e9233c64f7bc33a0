package lockfile

import (
	"slices"
	"strconv"
)

// split parts a schema into its structure, with lists without order as sets, and
// its prose by where it stands.
func split(schema map[string]any) (structure, prose map[string]any) {
	s := &splitter{prose: make(map[string]any)}
	return s.schema("", schema), s.prose
}

type splitter struct{ prose map[string]any }

func (s *splitter) schema(at string, members map[string]any) map[string]any {
	structure := make(map[string]any)
	for key, v := range members {
		below := at + "/" + key
		switch {
		case slices.Contains([]string{"title", "description", "examples", "$comment", "markdownDescription"}, key):
			s.prose[below] = v
			continue
		case slices.Contains([]string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}, key):
			// Keys are names here, not keywords.
			if named, ok := v.(map[string]any); ok {
				kept := make(map[string]any)
				for name, sub := range named {
					kept[name] = s.value(below+"/"+name, sub)
				}
				v = kept
			}
		case slices.Contains([]string{"anyOf", "oneOf", "allOf"}, key):
			v = s.alternatives(below, v)
		case slices.Contains([]string{"enum", "required", "type"}, key):
			v = unordered(v)
		case slices.Contains([]string{"default", "const"}, key):
		case key == "dependentRequired":
			if named, ok := v.(map[string]any); ok {
				kept := make(map[string]any)
				for name, names := range named {
					kept[name] = unordered(names)
				}
				v = kept
			}
		default:
			v = s.value(below, v)
		}
		structure[key] = v
	}
	return structure
}

// alternatives are a set. The prose of each stands with its structure, because
// it has no place of its own.
func (s *splitter) alternatives(at string, v any) any {
	l, ok := v.([]any)
	if !ok {
		return v
	}
	var kept, said set
	for _, item := range l {
		sub := &splitter{prose: make(map[string]any)}
		structure := sub.value("", item)
		kept = append(kept, structure)
		if len(sub.prose) > 0 {
			said = append(said, []any{structure, sub.prose})
		}
	}
	if len(said) > 0 {
		s.prose[at] = said
	}
	return kept
}

// value parts what may be a schema or a list of them.
func (s *splitter) value(at string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		return s.schema(at, v)
	case []any:
		var kept []any
		for i, item := range v {
			kept = append(kept, s.value(at+"/"+strconv.Itoa(i), item))
		}
		return kept
	}
	return v
}

func unordered(v any) any {
	if l, ok := v.([]any); ok {
		return set(l)
	}
	return v
}
