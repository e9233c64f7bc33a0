package battery

import (
	"bytes"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// appendForm appends the answer to a flat form: for each required property its
// constant, first choice or default, else a small value of its type.
func appendForm(dst []byte, schema rawjson.Value) []byte {
	properties, _ := schema.Get("properties")
	required, _ := schema.Get("required")
	dst = append(dst, '{')
	first := true
	for name := range required.Elements() {
		text, ok := name.Text()
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		property, _ := properties.Get(text)
		dst = append(appendText(dst, text), ':')
		dst = append(dst, valueFor(property)...)
	}
	return append(dst, '}')
}

func valueFor(property rawjson.Value) []byte {
	if v, ok := property.Get("const"); ok {
		return compact(v)
	}
	if v, ok := choice(property); ok {
		return compact(v)
	}
	if v, ok := property.Get("default"); ok {
		return compact(v)
	}
	switch typeOf(property) {
	case "boolean":
		return []byte("false")
	case "number", "integer":
		if v, _ := property.Get("minimum"); v.Kind() == rawjson.Number {
			return v.Raw()
		}
		if v, _ := property.Get("maximum"); v.Kind() == rawjson.Number {
			if n, ok := v.Int(); ok && n < 1 {
				return strconv.AppendInt(nil, n, 10)
			}
		}
		return []byte("1")
	case "array":
		items, _ := property.Get("items")
		if v, ok := choice(items); ok {
			return append(append([]byte{'['}, compact(v)...), ']')
		}
		return []byte("[]")
	}
	return textFor(property)
}

// choice is the first of an enumeration.
func choice(schema rawjson.Value) (rawjson.Value, bool) {
	list, _ := schema.Get("enum")
	for v := range list.Elements() {
		return v, true
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		list, _ := schema.Get(name)
		for branch := range list.Elements() {
			return branch.Get("const")
		}
	}
	return rawjson.Value{}, false
}

// textFor is a string of the property's format, or one as long as it has to be.
func textFor(property rawjson.Value) []byte {
	v, _ := property.Get("format")
	switch format, _ := v.Text(); format {
	case "email":
		return []byte(`"user@example.com"`)
	case "uri":
		return []byte(`"https://example.com/"`)
	case "date":
		return []byte(`"2000-01-01"`)
	case "date-time":
		return []byte(`"2000-01-01T00:00:00Z"`)
	}
	const longest = 10_000 // of a text for a person
	v, _ = property.Get("minLength")
	n, _ := v.Int()
	n = min(max(n, 1), longest)
	return append(append([]byte{'"'}, bytes.Repeat([]byte("a"), int(n))...), '"')
}

func compact(v rawjson.Value) []byte { return appendCompact(nil, v) }
