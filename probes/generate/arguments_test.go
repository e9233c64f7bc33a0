package generate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/generate"
)

func parse(t interface{ Fatalf(string, ...any) }, text string) rawjson.Value {
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("test input is no JSON: %v", err)
	}
	return v
}

const schema = `{"type":"object","properties":{
	"unit":{"enum":["C","m/s"]},"city":{},"home":{},"id":{},"big":{},"n":{},"on":{},"none":{},"list":{},"deep":{},
	"opts":{"type":"object","properties":{"level":{},"a.b-c":{}}}}}`

func TestRebuild(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	tests := []struct {
		name, in, want string
		fills          []generate.Fill
	}{
		{"nothing", `{}`, `{}`, nil},
		{"kept", `{"unit":"m/s","n":-0.25,"on":true,"none":null}`, `{"unit":"m/s","n":-0.25,"on":true,"none":null}`, nil},
		{"order", `{"n":1,"city":"Oslo","on":false}`, `{"n":1,"city":"","on":false}`, []generate.Fill{{"/city", "str8"}}},
		{"strings", `{"city":"a text of more than eight","home":"https://example.com/x"}`, `{"city":"","home":""}`,
			[]generate.Fill{{"/city", "str32"}, {"/home", "url"}}},
		{"uuid", `{"id":"550e8400-e29b-41d4-a716-446655440000"}`, `{"id":"00000000-0000-0000-0000-000000000000"}`, []generate.Fill{{"/id", "uuid"}}},
		{"a number of 19 digits", `{"big":1234567890123456789}`, `{"big":0}`, []generate.Fill{{"/big", "num+"}}},
		{"arrays", `{"list":[1,2,3],"n":[],"on":[[1]],"city":[{"x":1}]}`, `{"list":[],"n":[],"on":[],"city":[]}`,
			[]generate.Fill{{"/list", "array:3 of num:1"}, {"/on", "array:1 of array"}, {"/city", "array:1 of object"}}},
		{"too deep", `{"deep":{"list":` + deep + `}}`, `{"deep":{}}`, []generate.Fill{{"/deep", "unlisted keys: 1"}}},
		{"unlisted keys", `{"city":"x","what":1,"opts":{"level":2,"secret one":3,"secret two":{"y":"z"}}}`, `{"city":"","opts":{"level":2}}`,
			[]generate.Fill{{"/city", "str8"}, {"/opts", "unlisted keys: 2"}, {"", "unlisted keys: 1"}}},
		{"a name with dots", `{"opts":{"a.b-c":"x"}}`, `{"opts":{"a.b-c":""}}`, []generate.Fill{{"/opts/a.b-c", "str8"}}},
		{"no object", `[1,2]`, `{}`, []generate.Fill{{"", "array:2 of num:1"}}},
		{"no object either", `"text"`, `{}`, []generate.Fill{{"", "str8"}}},
		{"null", `null`, `{}`, []generate.Fill{{"", "null"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shape := sanitize.ShapeOf(parse(t, tt.in), sanitize.CompileSchema(parse(t, schema))).String()
			got, fills, err := generate.Rebuild([]byte(shape), "")
			if err != nil || string(got) != tt.want {
				t.Errorf("Rebuild(%s) = %s, %v, want %s", shape, got, err, tt.want)
			}
			if diff := cmp.Diff(tt.fills, fills); diff != "" {
				t.Errorf("fills of %s (-want +got):\n%s", shape, diff)
			}
		})
	}
}

func TestRebuildDeep(t *testing.T) {
	got, fills, err := generate.Rebuild([]byte(`{"a":{"b":"deep"},"c":"deep"}`), "/arguments")
	if err != nil || string(got) != `{"a":{"b":{}},"c":{}}` {
		t.Errorf("got %s, %v", got, err)
	}
	if diff := cmp.Diff([]generate.Fill{{"/arguments/a/b", "deep"}, {"/arguments/c", "deep"}}, fills); diff != "" {
		t.Error(diff)
	}
}

func TestRebuildWithoutShape(t *testing.T) {
	if got, fills, err := generate.Rebuild(nil, ""); err != nil || string(got) != "{}" || fills != nil {
		t.Errorf("got %s, %v, %v", got, fills, err)
	}
	for _, bad := range []string{"x", `{"a":1}`, `{"a":"words"}`, `{"a":"str8"`, `{"a":"str8"}x`} {
		if _, _, err := generate.Rebuild([]byte(bad), ""); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// arguments draws anything a client may send.
func arguments(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(v bool) any { return v }),
		rapid.Map(rapid.Int64(), func(v int64) any { return v }),
		rapid.Map(rapid.Float64Range(-1e6, 1e6), func(v float64) any { return v }),
		rapid.Map(rapid.String(), func(v string) any { return v }),
		rapid.SampledFrom([]any{"https://example.com/a", "550e8400-e29b-41d4-a716-446655440000", "C", "m/s", json.Number("1234567890123456789"), json.Number("1e400")}),
	)
	if depth == 0 {
		return leaf
	}
	key := rapid.OneOf(rapid.SampledFrom([]string{"unit", "city", "opts", "list", "level", "key8", "array", "items", "a.b-c", "has space"}), rapid.String())
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(arguments(depth-1), 0, 3), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(key, arguments(depth-1), 0, 5), func(v map[string]any) any { return v }),
	)
}

// Whatever was recorded can be rebuilt to a manifest; what is no placeholder is
// what was recorded, and every placeholder has its line.
func TestRebuildAnything(t *testing.T) {
	compiled := sanitize.CompileSchema(parse(t, schema))
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(arguments(4).Draw(t, "arguments"))
		if err != nil {
			t.Fatalf("%v", err)
		}
		if rapid.Bool().Draw(t, "wrapped") { // beyond the depth of a shape
			n := rapid.IntRange(1, 40).Draw(t, "depth")
			text = []byte(strings.Repeat(`{"opts":`, n) + string(text) + strings.Repeat("}", n))
		}
		known := compiled
		if rapid.Bool().Draw(t, "without schema") {
			known = nil
		}
		shape := sanitize.ShapeOf(parse(t, string(text)), known).String()
		f := finding(generate.RecurringError)
		f.Repro = []byte(shape)
		g, err := generate.Generate(f, &generate.Options{ConfirmReadOnly: true})
		if err != nil {
			t.Fatalf("%s: %v", shape, err)
		}
		fills := map[string]string{}
		for _, one := range g.Fills {
			if _, twice := fills[one.Path]; twice {
				t.Errorf("%s is told twice", one.Path)
			}
			fills[one.Path] = one.Shape
		}
		again, more, err := generate.Rebuild([]byte(shape), "/probes/0/arguments")
		if err != nil || len(more) != len(g.Fills) {
			t.Fatalf("%v", err)
		}
		// What is rebuilt has the recorded shape but for the places that are told.
		left := compare(t, parse(t, shape), parse(t, string(again)), "/probes/0/arguments", fills)
		if left != len(fills) {
			t.Errorf("%s became %s: %d places differ, %d are told: %v", shape, again, left, len(fills), g.Fills)
		}
	})
}

// compare counts the places where a rebuilt value is not what its shape says,
// each of which must be among the fills.
func compare(t *rapid.T, shape, v rawjson.Value, at string, fills map[string]string) (told int) {
	_, filled := fills[at]
	differs := func() int {
		if !filled {
			t.Errorf("%s holds a placeholder and is not told", at)
		}
		return 1
	}
	text, isLeaf := shape.Text()
	if !isLeaf {
		if n, ok := shape.Get("array"); ok && n.Kind() == rawjson.Number {
			if n, _ := n.Int(); n == 0 && v.Kind() == rawjson.Array {
				return 0
			}
			return differs()
		}
		lost := false
		for key, member := range shape.Members() {
			name := key.Text()
			inner, ok := v.Get(name)
			if strings.HasPrefix(name, "key") && !ok {
				lost = true
				continue
			}
			told += compare(t, member, inner, at+"/"+name, fills)
		}
		if lost {
			told += differs()
		}
		return told
	}
	exact := ""
	switch kind, value, _ := strings.Cut(text, ":"); kind {
	case "null":
		exact = kind
	case "num", "bool":
		exact = value
	case "enum":
		exact = fmt.Sprintf("%q", value)
	}
	if exact != "" && string(v.Raw()) == exact {
		return 0
	}
	return differs()
}
