package synth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/schema"
	"github.com/mcpeval/mcpeval/probes/synth"
)

func parse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// one is the schema of a tool with the required parameter x.
func one(x string) string {
	return `{"type":"object","required":["x"],"properties":{"x":` + x + `}}`
}

const cannot = "cannot build"

func TestArguments(t *testing.T) {
	tests := []struct{ name, in, want string }{
		// What requires nothing.
		{"nothing", `{}`, `{}`},
		{"no object", `true`, `{}`},
		{"null", `null`, `{}`},
		{"optional parameters", `{"type":"object","properties":{"x":{"type":"string"}}}`, `{}`},
		{"an empty list", `{"type":"object","required":[]}`, `{}`},
		{"not even the schema has to be sound", `{"type":"object","properties":{"x":{"$ref":"#/nowhere"}}}`, `{}`},

		// The order of the rules.
		{"a reference before a constant", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#/$defs/X","const":"b"}},"$defs":{"X":{"enum":["b","c"]}}}`, `{"x":"b"}`},
		{"a reference before a default", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#/$defs/X","default":"d"}},"$defs":{"X":{"type":"string"}}}`, `{"x":"example"}`},
		{"constant before enum", one(`{"enum":[1,2],"const":2}`), `{"x":2}`},
		{"enum before default", one(`{"default":2,"enum":[1,2]}`), `{"x":1}`},
		{"default before examples", one(`{"type":"integer","examples":[7],"default":8}`), `{"x":8}`},
		{"examples before branches", one(`{"examples":["b"],"anyOf":[{"type":"string"}]}`), `{"x":"b"}`},
		{"no examples is no example", one(`{"examples":[],"type":"boolean"}`), `{"x":false}`},
		{"the first of anyOf", one(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"x":1}`},
		{"anyOf before oneOf", one(`{"oneOf":[{"type":"number"}],"anyOf":[{"type":"integer"}]}`), `{"x":1}`},
		{"the first of oneOf", one(`{"oneOf":[{"const":"a"},{"const":"b"}]}`), `{"x":"a"}`},
		{"branches before type", one(`{"type":"integer","anyOf":[{"minimum":5}]}`), `{"x":5}`},
		{"a reference to the root", `{"type":"object","required":["x"],"properties":{"x":{"anyOf":[{"type":"string"},{"$ref":"#"}]}}}`, `{"x":"example"}`},
		{"a reference to an anchor", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#a"}},"$defs":{"A":{"$anchor":"a","const":3}}}`, `{"x":3}`},
		{"a reference with escapes", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"const":3}}}`, `{"x":3}`},
		{"a reference into a list", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#/properties/y/anyOf/1"},"y":{"anyOf":[{"const":1},{"const":2}]}}}`, `{"x":2}`},

		// Texts.
		{"text", one(`{"type":"string"}`), `{"x":"example"}`},
		{"text of some length", one(`{"type":"string","minLength":10}`), `{"x":"examplexxx"}`},
		{"short text", one(`{"type":"string","maxLength":3}`), `{"x":"exa"}`},
		{"empty text", one(`{"type":"string","maxLength":0}`), `{"x":""}`},
		{"a format", one(`{"type":"string","format":"date-time"}`), `{"x":"2025-01-01T00:00:00Z"}`},
		{"a format that has no sample", one(`{"type":"string","format":"phone"}`), `{"x":"example"}`},
		{"a padded format", one(`{"type":"string","format":"ipv4","minLength":11}`), `{"x":"192.0.2.1xx"}`},
		{"a pattern that the sample has", one(`{"type":"string","pattern":"^[a-z]+$"}`), `{"x":"example"}`},
		{"a pattern that it has not", one(`{"type":"string","pattern":"^[0-9]+$"}`), cannot},
		{"a pattern that is not evaluated", one(`{"type":"string","pattern":"^(?=example)"}`), cannot},
		{"lengths that exclude each other", one(`{"type":"string","minLength":5,"maxLength":3}`), cannot},
		{"a text too long", one(`{"type":"string","minLength":1000000}`), cannot},

		// Numbers.
		{"integer", one(`{"type":"integer"}`), `{"x":1}`},
		{"number", one(`{"type":"number"}`), `{"x":1}`},
		{"minimum", one(`{"type":"integer","minimum":10}`), `{"x":10}`},
		{"a negative minimum", one(`{"type":"integer","minimum":-10}`), `{"x":-10}`},
		{"a fraction as minimum", one(`{"type":"number","minimum":0.25}`), `{"x":0.25}`},
		{"a fraction under an integer", one(`{"type":"integer","minimum":0.25}`), `{"x":1}`},
		{"a large minimum", one(`{"type":"integer","minimum":9007199254740993}`), `{"x":9007199254740993}`},
		{"an exclusive minimum", one(`{"type":"integer","exclusiveMinimum":0}`), `{"x":1}`},
		{"an exclusive fraction", one(`{"type":"integer","exclusiveMinimum":1.5}`), `{"x":2}`},
		{"between two bounds", one(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`), `{"x":0.5}`},
		{"only a maximum", one(`{"type":"integer","maximum":-3}`), `{"x":-3}`},
		{"only an exclusive maximum", one(`{"type":"integer","exclusiveMaximum":-3}`), `{"x":-4}`},
		{"a multiple", one(`{"type":"integer","multipleOf":5}`), `{"x":5}`},
		{"a multiple above a minimum", one(`{"type":"integer","minimum":12,"multipleOf":5}`), `{"x":15}`},
		{"a fraction as step", one(`{"type":"number","minimum":0.05,"multipleOf":0.1}`), `{"x":0.1}`},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","required":["x"],"properties":{"x":{"type":"integer","minimum":3,"exclusiveMinimum":true}}}`, `{"x":4}`},
		{"bounds that exclude each other", one(`{"type":"integer","minimum":2,"maximum":1}`), cannot},
		{"a bound with too many digits", one(`{"type":"integer","minimum":1e399}`), cannot},

		// Others.
		{"boolean", one(`{"type":"boolean"}`), `{"x":false}`},
		{"a null", one(`{"type":"null"}`), `{"x":null}`},
		{"of two types the one that is not null", one(`{"type":["null","integer"]}`), `{"x":1}`},
		{"anything", one(`true`), `{"x":"example"}`},
		{"anything at all", one(`{}`), `{"x":"example"}`},
		{"never", one(`false`), cannot},
		{"an array", one(`{"type":"array","items":{"type":"string"}}`), `{"x":[]}`},
		{"copies", one(`{"type":"array","items":{"type":"integer"},"minItems":2}`), `{"x":[1,1]}`},
		{"copies that must differ", one(`{"type":"array","items":{"type":"integer"},"minItems":2,"uniqueItems":true}`), cannot},
		{"a tuple", one(`{"prefixItems":[{"type":"string"},{"type":"integer"}],"minItems":3,"items":{"type":"boolean"}}`), `{"x":["example",1,false]}`},
		{"a tuple of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["x"],"properties":{"x":{"type":"array","items":[{"type":"integer"}],"minItems":1}}}`, `{"x":[1]}`},
		{"too many copies", one(`{"type":"array","items":{"type":"integer"},"minItems":100000000}`), cannot},
		{"nested objects", one(`{"type":"object","required":["y"],"properties":{"y":{"type":"object","required":["z"],"properties":{"z":{"type":"integer"},"w":{}}}}}`), `{"x":{"y":{"z":1}}}`},
		{"without its type", `{"required":["x"],"properties":{"x":{"minimum":3}}}`, `{"x":3}`},
		{"as additional property", `{"type":"object","required":["x"],"additionalProperties":{"type":"integer"}}`, `{"x":1}`},
		{"undeclared", `{"type":"object","required":["x"]}`, cannot},
		{"in the order required", `{"type":"object","required":["b","a"],"properties":{"a":{"type":"null"},"b":{"type":"boolean"}}}`, `{"b":false,"a":null}`},
		{"white space of a default", one("{\"default\": {\"a\" : [1,\n 2], \"b\": \" \\\" \"}}"), `{"x":{"a":[1,2],"b":" \" "}}`},
		{"a default with a key twice", one(`{"default":{"a":1,"a":2}}`), cannot},
		{"a default that breaks its schema", one(`{"type":"integer","default":"a"}`), cannot},
		{"escaped names", `{"type":"object","required":["a\"b"],"properties":{"a\u0022b":{"type":"integer"}}}`, `{"a\"b":1}`},

		// Where one branch alone does not do.
		{"parts", `{"type":"object","required":["x"],"properties":{"x":{"allOf":[{"$ref":"#/$defs/X"}]}},"$defs":{"X":{"enum":["b"]}}}`, `{"x":"b"}`},
		{"required by a branch", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"anyOf":[{"required":["b"]},{"required":["a"]}]}`, `{"b":1}`},
		{"required by all and by a branch", `{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["b"]}]}`, `{"a":1,"b":1}`},
		{"required by a part", `{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},{"required":["b"],"properties":{"b":{"type":"null"}}}]}`, `{"a":1,"b":null}`},
		{"behind a reference", `{"$ref":"#/$defs/In","$defs":{"In":{"type":"object","required":["a"],"properties":{"a":{"const":1}}}}}`, `{"a":1}`},
		{"a sibling of a reference", `{"type":"object","required":["x"],"properties":{"x":{"$ref":"#/$defs/X","minimum":4}},"$defs":{"X":{"type":"integer"}}}`, `{"x":4}`},

		// Hostile ones.
		{"recursion that may stop", `{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`, `{"n":{}}`},
		{"recursion that may not", `{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}}}}}`, cannot},
		{"a reference to itself", `{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/properties/n"}}}`, cannot},
		{"references in a ring", `{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, cannot},
		{"a doubling", `{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/N"}}}}`, cannot},
		{"doubling parts", `{"$ref":"#/$defs/N","required":["x"],"$defs":{"N":{"allOf":[{"$ref":"#/$defs/N"},{"$ref":"#/$defs/N"}]}}}`, cannot},
		{"dangling", one(`{"$ref":"#/$defs/Missing"}`), cannot},
		{"dangling elsewhere", `{"type":"object","required":["x"],"properties":{"x":{"type":"string"},"y":{"$ref":"#/$defs/Missing"}}}`, cannot},
		{"a file", one(`{"$ref":"file:///etc/passwd"}`), cannot},
		{"a relative file", one(`{"$ref":"other.json#/x"}`), cannot},
		{"another machine", one(`{"$ref":"http://127.0.0.1:9/x"}`), cannot},
		{"an unknown dialect", `{"$schema":"https://example.com/mine","type":"object","required":["x"],"properties":{"x":{}}}`, cannot},
		{"deep", deep(300), cannot},
		{"huge", huge(200_000), cannot},
		{"wrong types everywhere", `{"type":7,"required":[{}],"properties":[]}`, cannot},
		{"an array is no arguments", `{"type":"array","required":["x"],"minItems":1}`, cannot},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := synth.Arguments(parse(t, tt.in))
			if err != nil {
				if !errors.Is(err, synth.ErrCannotBuild) || got != nil {
					t.Fatalf("got %q, %v", got, err)
				}
				got = []byte(cannot)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got, err := synth.Arguments(rawjson.Value{}); err != nil || string(got) != "{}" {
		t.Errorf("no schema: %q, %v", got, err)
	}
}

func deep(n int) string {
	return strings.Repeat(`{"type":"object","required":["x"],"properties":{"x":`, n) + `{}` + strings.Repeat(`}}`, n)
}

func huge(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","required":["x"],"properties":{"x":{"enum":[`)
	for range n {
		b.WriteString(`"aaaaaaaaaa",`)
	}
	b.WriteString(`"b"]}}}`)
	return b.String()
}

// Files that a reference names are not opened: a FIFO would block, and what a
// file holds would change the result.
func TestNothingIsOpened(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(name, []byte(`{"const":"opened"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{name, "file://" + filepath.ToSlash(name)} {
		quoted := `"` + strings.ReplaceAll(ref, `\`, `/`) + `"`
		if got, err := synth.Arguments(parse(t, one(`{"$ref":`+quoted+`}`))); err == nil {
			t.Errorf("%s gave %s", ref, got)
		}
	}
}

// Whatever is built validates, and is built again the same.
func check(t interface {
	Fatalf(string, ...any)
}, input rawjson.Value) {
	got, err := synth.Arguments(input)
	if err != nil {
		if !errors.Is(err, synth.ErrCannotBuild) {
			t.Fatalf("error %v", err)
		}
		return
	}
	again, err := synth.Arguments(input)
	if err != nil || string(again) != string(got) {
		t.Fatalf("%s, then %s, %v", got, again, err)
	}
	v, err := rawjson.Parse(got)
	if err != nil || v.Kind() != rawjson.Object || strings.ContainsAny(string(got), "\n\r") {
		t.Fatalf("no object on one line: %q", got)
	}
	if string(got) == "{}" {
		return // of a schema that requires nothing
	}
	compiled, err := schema.Compile(input, nil)
	if err != nil {
		t.Fatalf("arguments %s of a schema that does not compile: %v", got, err)
	}
	verdict, err := compiled.Validate(v)
	if err != nil || !verdict.Valid() || verdict.Unsure {
		t.Fatalf("%s does not validate: %+v %v", got, verdict, err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		one(`{"$ref":"#/$defs/X"}`),
		`{"type":"object","required":["x","y"],"properties":{"x":{"anyOf":[{"type":"string","format":"uuid"}]},"y":{"type":"array","minItems":2,"items":{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}}}}`,
		`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}]}`,
		`{"type":"object","required":["x"],"properties":{"x":{"type":"string","minLength":9,"maxLength":9,"pattern":"e"}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if v, err := rawjson.Parse(text); err == nil {
			check(t, v)
		}
	})
}

// genSchema draws schemas of the kinds that tools have.
func genSchema(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := []string{"string", "integer", "number", "boolean", "enum", "const", "ref"}
		if depth > 0 {
			kinds = append(kinds, "object", "array", "anyOf", "allOf")
		}
		n := rapid.IntRange(0, 9).Draw(t, "n")
		digit := string(rune('0' + n))
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "string":
			return rapid.SampledFrom([]string{`{"type":"string"}`, `{"type":"string","minLength":` + digit + `}`, `{"type":"string","maxLength":` + digit + `,"format":"date"}`}).Draw(t, "string")
		case "integer":
			return `{"type":"integer","minimum":` + digit + `,"multipleOf":` + rapid.SampledFrom([]string{"1", "3", "7"}).Draw(t, "step") + `}`
		case "number":
			return `{"type":"number","exclusiveMinimum":-` + digit + `.5,"maximum":` + digit + `}`
		case "boolean":
			return `{"type":["null","boolean"]}`
		case "enum":
			return `{"enum":[` + digit + `,"a"]}`
		case "const":
			return `{"const":{"a":[` + digit + `]}}`
		case "ref":
			return `{"$ref":"#/$defs/D"}`
		case "array":
			return `{"type":"array","minItems":` + string(rune('0'+n%3)) + `,"items":` + genSchema(depth-1).Draw(t, "items") + `}`
		case "anyOf":
			return `{"anyOf":[` + genSchema(depth-1).Draw(t, "branch") + `,{"type":"null"}]}`
		case "allOf":
			return `{"allOf":[` + genSchema(depth-1).Draw(t, "part") + `]}`
		}
		return `{"type":"object","required":["a"],"properties":{"b":{},"a":` + genSchema(depth-1).Draw(t, "property") + `}}`
	})
}

// Schemas made only of what the rules cover are always built for.
func TestOrdinarySchemasAreBuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := `{"type":"object","required":["x"],"properties":{"x":` + genSchema(3).Draw(t, "x") + `},"$defs":{"D":{"type":"string","minLength":3}}}`
		v, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		check(t, v)
		if got, err := synth.Arguments(v); err != nil {
			t.Fatalf("%s: got %s, %v", text, got, err)
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	v := parse(b, `{"type":"object","required":["x","y"],"properties":{"x":{"anyOf":[{"type":"string","format":"uuid"}]},"y":{"type":"array","minItems":2,"items":{"type":"number"}}}}`)
	for b.Loop() {
		if _, err := synth.Arguments(v); err != nil {
			b.Fatal(err)
		}
	}
}
