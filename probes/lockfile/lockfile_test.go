package lockfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/lockfile"
)

func lockOf(t testing.TB, tools ...string) *lockfile.Lock {
	t.Helper()
	var entries []rawjson.Value
	for _, text := range tools {
		v, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		entries = append(entries, v)
	}
	return lockfile.New(entries)
}

// tool is a definition with the members given.
func tool(members string) string { return `{"name": "t", ` + members + `}` }

func input(schema string) string { return tool(`"inputSchema": ` + schema) }

func output(schema string) string { return tool(`"outputSchema": ` + schema) }

func properties(members string) string { return `{"type": "object", "properties": {` + members + `}}` }

// Every kind of change, in both directions where there are two.
func TestCompare(t *testing.T) {
	for _, tt := range []struct{ name, was, now, want string }{
		{"a tool more", ``, tool(`"x": 1`), "minor t tool-added"},
		{"a tool less", tool(`"x": 1`), ``, "breaking t tool-removed"},
		{"title", tool(`"title": "a"`), tool(`"title": "b"`), "caution t title title-changed"},
		{"description", tool(`"description": "a"`), tool(`"description": "a "`), "caution t description description-changed"},
		{"no description", tool(`"description": "a"`), tool(`"x": 1`), "caution t description description-changed\ncaution t other other-changed"},
		{"other", tool(`"icons": [1]`), tool(`"icons": [2]`), "caution t other other-changed"},
		{"_meta", tool(`"_meta": {"a": 1}`), tool(`"_meta": {"a": 2}`), ""},

		{"no longer read-only", tool(`"annotations": {"readOnlyHint": true}`), tool(`"annotations": {"readOnlyHint": false}`), "breaking t annotations.readOnlyHint annotation-changed true->false"},
		{"read-only", tool(`"annotations": {}`), tool(`"annotations": {"readOnlyHint": true}`), "minor t annotations.readOnlyHint annotation-changed absent->true"},
		{"destructive", tool(`"annotations": {"destructiveHint": false}`), tool(`"annotations": {}`), "breaking t annotations.destructiveHint annotation-changed false->absent"},
		{"said to be destructive", tool(`"annotations": {}`), tool(`"annotations": {"destructiveHint": true}`), "minor t annotations.destructiveHint annotation-changed absent->true"},
		{"not idempotent", tool(`"annotations": {"idempotentHint": true}`), tool(`"annotations": {"idempotentHint": false}`), "breaking t annotations.idempotentHint annotation-changed true->false"},
		{"open world", tool(`"annotations": {"openWorldHint": false}`), tool(`"annotations": {"openWorldHint": true}`), "breaking t annotations.openWorldHint annotation-changed false->true"},
		{"another annotation", tool(`"annotations": {"title": "a"}`), tool(`"annotations": {"title": "b"}`), "caution t annotations annotations-changed"},
		{"a hint that is no boolean", tool(`"annotations": {"readOnlyHint": "yes"}`), tool(`"annotations": {"readOnlyHint": "no"}`), "caution t annotations annotations-changed"},

		{"input schema added", tool(`"x": 1`), tool(`"x": 1, "inputSchema": {}`), "caution t input schema-added"},
		{"input schema removed", tool(`"x": 1, "inputSchema": {}`), tool(`"x": 1`), "caution t input schema-removed"},
		{"output schema added", tool(`"x": 1`), tool(`"x": 1, "outputSchema": {}`), "minor t output schema-added"},
		{"output schema removed", tool(`"x": 1, "outputSchema": {}`), tool(`"x": 1`), "breaking t output schema-removed"},

		{"an optional parameter more", input(properties(`"a": {}`)), input(properties(`"a": {}, "b": {"type": "string"}`)), "minor t input.b field-added ->string"},
		{"a required parameter more", input(properties(``)), input(`{"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}`), "breaking t input.b field-added ->string"},
		{"a parameter less", input(properties(`"a": {"type": "string"}`)), input(properties(``)), "breaking t input.a field-removed string->"},
		{"a nested parameter less", input(properties(`"a": ` + properties(`"b": {"type": "null"}`))), input(properties(`"a": ` + properties(``))), "breaking t input.a.b field-removed null->"},
		{"items", input(properties(`"a": {"items": {"type": "string"}}`)), input(properties(`"a": {"items": {"type": "integer"}}`)), "breaking t input.a[] type-changed string->integer"},
		{"an output field more", output(properties(``)), output(properties(`"a": {"type": "string"}`)), "minor t output.a field-added ->string"},
		{"an output field less", output(properties(`"a": {"type": "string"}`)), output(properties(``)), "breaking t output.a field-removed string->"},

		{"another type", input(properties(`"a": {"type": "string"}`)), input(properties(`"a": {"type": "integer"}`)), "breaking t input.a type-changed string->integer"},
		{"a wider type", input(properties(`"a": {"type": "string"}`)), input(properties(`"a": {"type": ["string", "null"]}`)), "minor t input.a type-changed string->null|string"},
		{"a narrower type", input(properties(`"a": {"type": ["string", "null"]}`)), input(properties(`"a": {"type": "string"}`)), "breaking t input.a type-changed null|string->string"},
		{"integers are numbers", input(properties(`"a": {"type": "integer"}`)), input(properties(`"a": {"type": "number"}`)), "minor t input.a type-changed integer->number"},
		{"no type", input(properties(`"a": {"type": "integer"}`)), input(properties(`"a": {}`)), "minor t input.a type-changed integer->any"},
		{"a wider type of output", output(properties(`"a": {"type": "string"}`)), output(properties(`"a": {"type": ["string", "null"]}`)), "breaking t output.a type-changed string->null|string"},

		{"required", input(properties(`"a": {}`)), input(`{"type": "object", "properties": {"a": {}}, "required": ["a"]}`), "breaking t input.a required-changed optional->required"},
		{"optional", input(`{"properties": {"a": {}}, "required": ["a"]}`), input(`{"properties": {"a": {}}}`), "minor t input.a required-changed required->optional"},
		{"optional output", output(`{"properties": {"a": {}}, "required": ["a"]}`), output(`{"properties": {"a": {}}}`), "breaking t output.a required-changed required->optional"},
		{"required without being there", input(`{"required": ["a"]}`), input(`{"required": ["b"]}`), "caution t input rules-changed"},

		{"an enum value more", input(properties(`"a": {"enum": [1]}`)), input(properties(`"a": {"enum": [1, 2]}`)), "minor t input.a enum-value-added"},
		{"an enum value less", input(properties(`"a": {"enum": [1, 2]}`)), input(properties(`"a": {"enum": [1]}`)), "breaking t input.a enum-value-removed"},
		{"an enum", input(properties(`"a": {}`)), input(properties(`"a": {"const": 1}`)), "breaking t input.a enum-value-removed"},
		{"no enum", input(properties(`"a": {"const": 1}`)), input(properties(`"a": {}`)), "minor t input.a enum-value-added"},
		{"an enum value of output more", output(properties(`"a": {"enum": [1]}`)), output(properties(`"a": {"enum": [1, "1"]}`)), "breaking t output.a enum-value-added"},

		{"default", input(properties(`"a": {"default": 1}`)), input(properties(`"a": {"default": 2}`)), "caution t input.a default-changed"},
		{"a default of null", input(properties(`"a": {"default": null}`)), input(properties(`"a": {}`)), "caution t input.a default-changed"},
		{"rules", input(properties(`"a": {"maxLength": 1}`)), input(properties(`"a": {"maxLength": 2}`)), "caution t input.a rules-changed"},
		{"rules of alternatives", input(properties(`"a": {"anyOf": [{"type": "string"}]}`)), input(properties(`"a": {"anyOf": [{"type": "null"}]}`)), "caution t input.a rules-changed"},
		{"no schema", input(`true`), input(`false`), "caution t input rules-changed"},
		{"numbers alike", input(properties(`"a": {"maximum": 10, "default": 1.0}`)), input(properties(`"a": {"maximum": 1e1, "default": 1}`)), ""},

		{"prose of a parameter", input(properties(`"a": {"description": "a"}`)), input(properties(`"a": {"description": "b"}`)), "caution t input.a prose-changed"},
		{"prose of alternatives", input(properties(`"a": {"anyOf": [{"title": "a"}]}`)), input(properties(`"a": {"anyOf": [{"title": "b"}]}`)), "caution t input.a prose-changed"},
		{"a parameter named description", input(properties(`"description": {"type": "null"}`)), input(properties(`"description": {"type": "string"}`)), "breaking t input.description type-changed null->string"},
		{"a hidden property named title", input(`{"not": {"properties": {"title": {"type": "null"}}}}`), input(`{"not": {"properties": {"title": {"type": "string"}}}}`), "caution t input rules-changed"},

		{
			"what is referred to", input(`{"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}}`),
			input(`{"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "null"}}}`), "breaking t input.a type-changed string->null",
		},
		{
			"what refers to itself", input(`{"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}`),
			input(`{"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}`), "",
		},
		{
			"what is referred to within a rule", input(`{"anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "string"}}}`),
			input(`{"anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "null"}}}`), "caution t input definitions-changed",
		},
		{
			"prose referred to within a rule", input(`{"anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"title": "a"}}}`),
			input(`{"anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"title": "b"}}}`), "caution t input definitions-reworded",
		},
		{"no name", `{"name": 5}`, `{}`, "caution sha256:12ae32cb1ec02d01eda3581b127c1fee other other-changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one := func(text string) *lockfile.Lock {
				if text == "" {
					return lockOf(t)
				}
				return lockOf(t, text)
			}
			var got []string
			for _, c := range lockfile.Compare(one(tt.was), one(tt.now)) {
				line := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", c.Severity, c.Tool, c.Field, c.Kind)), " ")
				if c.Was+c.Is != "" {
					line += " " + c.Was + "->" + c.Is
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A name that is listed twice is two definitions.
func TestNamesTwice(t *testing.T) {
	a, b, c := tool(`"title": "a"`), tool(`"title": "b"`), tool(`"title": "c"`)
	for _, tt := range []struct {
		name     string
		was, now []string
		want     []lockfile.Kind
	}{
		{"the same", []string{a, b}, []string{b, a}, nil},
		{"one changed", []string{a, b}, []string{c, b}, []lockfile.Kind{lockfile.TitleChanged}},
		{"one less", []string{a, b}, []string{b}, []lockfile.Kind{lockfile.ToolRemoved}},
		{"one more", []string{a}, []string{a, a}, []lockfile.Kind{lockfile.ToolAdded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []lockfile.Kind
			for _, c := range lockfile.Compare(lockOf(t, tt.was...), lockOf(t, tt.now...)) {
				got = append(got, c.Kind)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No text of a server's but plain names is kept.
func TestShareable(t *testing.T) {
	l := lockOf(t, `{"name": "sekret tool\u001b[2J", "title": "sekret", "description": "sekret", "sekret": "sekret", "annotations": {"title": "sekret", "sekret": true},
		"inputSchema": {"type": ["string", "sekret"], "title": "sekret", "required": ["sekret!"], "$defs": {"sekret!": {"description": "sekret"}},
			"properties": {"se.kret": {"enum": ["sekret"], "default": "sekret", "description": "sekret", "pattern": "sekret", "examples": ["sekret"]}}}}`)
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "kret") || strings.Contains(string(text), `\u001b`) {
		t.Errorf("%s", text)
	}
}

func TestParse(t *testing.T) {
	l := lockOf(t, input(properties(`"a": {"enum": [1], "default": 2}`)), `{"name": "u", "annotations": {"readOnlyHint": true}}`)
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := lockfile.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, back); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		text string
		want error
	}{
		{"", lockfile.ErrNoLock},
		{"[]", lockfile.ErrNoLock},
		{"{}", lockfile.ErrVersion},
		{`{"schema": "mcpeval.catalog-lock/v2", "tools": []}`, lockfile.ErrVersion},
		{`{"schema": "mcpeval.catalog-lock/v1"}`, lockfile.ErrNoLock},
		{`{"schema": "mcpeval.catalog-lock/v1", "tools": [], "more": 1}`, lockfile.ErrNoLock},
		{string(text) + "{}", lockfile.ErrNoLock},
	} {
		if _, err := lockfile.Parse([]byte(tt.text)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.text, err)
		}
	}
}

// drawn makes a schema with everything whose order says nothing.
func drawn(t *rapid.T, depth int) map[string]any {
	schema := map[string]any{}
	word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	words := func(label string, least int) []any {
		var all []any
		for _, w := range rapid.SliceOfNDistinct(word, least, 4, rapid.ID[string]).Draw(t, label) {
			all = append(all, w)
		}
		return all
	}
	if rapid.Bool().Draw(t, "typed") {
		schema["type"] = rapid.SampledFrom([]any{"object", "array", []any{"null", "string", "integer"}}).Draw(t, "type")
	}
	for _, key := range []string{"enum", "required"} {
		if rapid.Bool().Draw(t, key+"?") {
			schema[key] = words(key, 1) // none is what the absence of the list is
		}
	}
	if rapid.Bool().Draw(t, "described") {
		schema["description"] = word.Draw(t, "description")
		schema["maxLength"] = rapid.IntRange(0, 9).Draw(t, "length")
	}
	if depth == 0 {
		return schema
	}
	named := map[string]any{}
	for _, w := range words("properties", 0) {
		named[w.(string)] = drawn(t, depth-1)
	}
	if len(named) > 0 {
		schema[rapid.SampledFrom([]string{"properties", "$defs", "patternProperties"}).Draw(t, "named")] = named
	}
	if rapid.Bool().Draw(t, "list") {
		schema["items"] = drawn(t, depth-1)
	}
	if rapid.Bool().Draw(t, "alternatives") {
		schema[rapid.SampledFrom([]string{"anyOf", "oneOf", "allOf"}).Draw(t, "which")] = []any{drawn(t, depth-1), drawn(t, depth-1)}
	}
	return schema
}

// shuffled writes a value with its members, and the lists without order, in
// another order.
func shuffled(t *rapid.T, v any, key string) string {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) > 0 {
			keys = rapid.Permutation(keys).Draw(t, "keys")
		}
		var parts []string
		for _, k := range keys {
			parts = append(parts, fmt.Sprintf("%q: %s", k, shuffled(t, v[k], k)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		if len(v) > 0 && slices.Contains([]string{"type", "enum", "required", "anyOf", "oneOf", "allOf"}, key) {
			v = rapid.Permutation(v).Draw(t, key)
		}
		var parts []string
		for _, item := range v {
			parts = append(parts, shuffled(t, item, ""))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *rapid.T, text string) rawjson.Value {
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// In whatever order a catalog comes, it makes the same bytes.
func TestReorderingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tools []any
		for i := range rapid.IntRange(1, 4).Draw(t, "tools") {
			tools = append(tools, map[string]any{
				"name": fmt.Sprint("t", i/2), "description": "d", "inputSchema": drawn(t, 2), "outputSchema": drawn(t, 1),
				"annotations": map[string]any{"readOnlyHint": true, "title": "x", "idempotentHint": false},
			})
		}
		write := func(order []any) ([]byte, *lockfile.Lock) {
			var entries []rawjson.Value
			for _, tool := range order {
				entries = append(entries, parse(t, shuffled(t, tool, "")))
			}
			l := lockfile.New(entries)
			text, err := l.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return text, l
		}
		a, was := write(tools)
		b, now := write(rapid.Permutation(tools).Draw(t, "order"))
		if !bytes.Equal(a, b) {
			t.Fatal(cmp.Diff(string(a), string(b)))
		}
		if changes := lockfile.Compare(was, now); len(changes) > 0 {
			t.Fatal(changes)
		}
	})
}

// Schemas that differ in more than an order make locks that differ, and Compare
// finds it.
func TestDifferenceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := map[string]any{"name": "t", "inputSchema": drawn(t, 2)}
		two := map[string]any{"name": "t", "inputSchema": drawn(t, 2)}
		was := lockfile.New([]rawjson.Value{parse(t, shuffled(t, one, ""))})
		now := lockfile.New([]rawjson.Value{parse(t, shuffled(t, two, ""))})
		same := sortedText(t, one) == sortedText(t, two)
		if changes := lockfile.Compare(was, now); (len(changes) == 0) != same {
			t.Fatalf("%v, but alike is %v", changes, same)
		}
	})
}

// sortedText is a value with everything in order, by another way than the
// package's.
func sortedText(t *rapid.T, v any) string {
	var order func(v any) any
	order = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			kept := map[string]any{}
			for k, item := range v {
				kept[k] = order(item)
			}
			return kept
		case []any:
			var parts []string
			for _, item := range v {
				text, err := json.Marshal(order(item))
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, string(text))
			}
			slices.Sort(parts)
			return parts
		}
		return v
	}
	text, err := json.Marshal(order(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzNew holds that any catalog makes a lock, without drift from itself, that is
// read back as it was.
func FuzzNew(f *testing.F) {
	f.Add([]byte(`{"name": "t", "inputSchema": {"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a", 5]}}`))
	f.Add([]byte(`[{"name": null}]`))
	f.Add([]byte(`{"inputSchema": {"type": ["string", 5], "items": [{}], "enum": 5, "anyOf": {}, "$ref": "#/a~1b"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := rawjson.Parse(text)
		if err != nil {
			return
		}
		l := lockfile.New([]rawjson.Value{v})
		encoded, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := lockfile.Parse(encoded)
		if err != nil {
			t.Fatalf("%v: %s", err, encoded)
		}
		if changes := lockfile.Compare(l, back); len(changes) > 0 {
			t.Fatal(changes)
		}
	})
}
