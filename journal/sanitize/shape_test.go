package sanitize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) rawjson.Value {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("test input is no JSON: %v", err)
	}
	return v
}

const richSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "mode": {"enum": ["read", "write", "has space", 3]},
    "kind": {"const": "only"},
    "opts": {"$ref": "#/$defs/opts"},
    "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"enum": ["a", "b"]}}}},
    "pair": {"prefixItems": [{"enum": ["first"]}, {"enum": ["second"]}]},
    "env": {"type": "object", "additionalProperties": {"type": "object", "properties": {"value": {"enum": ["on"]}}}},
    "patterned": {"patternProperties": {"^x": {"enum": ["on"]}}},
    "free": {"type": "object"},
    "tree": {"$ref": "#/definitions/tree"},
    "choice": {"oneOf": [{"properties": {"left": {}}}, {"anyOf": [{"properties": {"right": {}}}]}]},
    "titled": {"oneOf": [{"const": "x1", "title": "X"}, {"const": "x2"}]},
    "remote": {"$ref": "https://example.com/schema#/$defs/opts"},
    "loop": {"$ref": "#/$defs/loop"},
    "key8": {"type": "string"},
    "AKIAIOSFODNN7EXAMPLE": {"type": "string"},
    "has space": {"type": "string"},
    "array": {}, "items": {},
    "token": {"enum": ["ghp_0123456789abcdefghij", "plain"]}
  },
  "allOf": [{"properties": {"merged": {}}}, {"if": {"properties": {"cond": {}}}, "then": {"properties": {"then": {}}}}],
  "$defs": {
    "opts": {"properties": {"depth": {"type": "integer"}, "a/b": {}, "deep": {"$ref": "#/properties/list/items"}}},
    "loop": {"allOf": [{"$ref": "#/$defs/loop"}], "properties": {"again": {"$ref": "#/$defs/loop"}}}
  },
  "definitions": {"tree": {"properties": {"left": {"$ref": "#/definitions/tree"}, "leaf": {"enum": ["green"]}}}}
}`

func TestShapeOf(t *testing.T) {
	quoted := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	tests := []struct {
		name   string
		schema bool
		in     string
		want   string
	}{
		{"null", false, `null`, `"null"`},
		{"empty object", false, `{}`, `{}`},
		{"white space", false, " { \"a\" :\t[ 1 ,\r\n2 ] } ", `{"a":{"array":2,"items":"num:1"}}`},
		{"leaves", false, `{"a":null,"b":true,"c":false,"d":1,"e":"x"}`, `{"a":"null","b":"bool:true","c":"bool:false","d":"num:1","e":"str8"}`},
		{"order is kept", false, `{"z":1,"a":2,"m":3}`, `{"z":"num:1","a":"num:2","m":"num:3"}`},
		{"string sizes", false, `[` + quoted(8) + `]`, `{"array":1,"items":"str8"}`},
		{"empty string", false, `""`, `"str8"`},
		{"9", false, quoted(9), `"str32"`},
		{"33", false, quoted(33), `"str128"`},
		{"512", false, quoted(512), `"str512"`},
		{"513", false, quoted(513), `"str4096"`},
		{"4096", false, quoted(4096), `"str4096"`},
		{"4097", false, quoted(4097), `"str4096+"`},
		{"bytes are counted, decoded", false, `"\u00e9\u00e9\u00e9\u00e9"`, `"str8"`},
		{"a fifth", false, `"\u00e9\u00e9\u00e9\u00e9\u00e9"`, `"str32"`},
		{"escapes beyond decoding", false, `"` + strings.Repeat(`\u0041`, 5000) + `"`, `"str4096+"`},
		{"uuid", false, `"550E8400-e29b-41d4-a716-446655440000"`, `"uuid"`},
		{"nearly uuid", false, `"550E8400-e29b-41d4-a716-44665544000g"`, `"str128"`},
		{"url", false, `"https://example.com/?q=a"`, `"url"`},
		{"url upper, escaped", false, `"HTTP:\/\/x"`, `"url"`},
		{"no url: space", false, `"https://x y"`, `"str32"`},
		{"no url: other scheme", false, `"file:///x"`, `"str32"`},
		{"no url: nothing behind", false, `"https://"`, `"str8"`},
		{"unknown schema keeps the top only", false, `{"path":{"secret_name":1}}`, `{"path":{"key32":"num:1"}}`},
		{"unknown schema screens", false, `{"ghp_0123456789abcdef":1}`, `{"key32":"num:1"}`},
		{"unknown schema, enum value", false, `{"mode":"read"}`, `{"mode":"str8"}`},
		{"unknown schema, object in array", false, `[{"name":1}]`, `{"array":1,"items":{"key8":"num:1"}}`},
		{"key of 65", false, `{` + quoted(65) + `:1}`, `{"key128":"num:1"}`},
		{"key shapes", false, `{"":1,"a b":2,"é":3,"1a":4,"-a":5,"_a":6,"a.b-c":7}`,
			`{"key8":"num:1","key8#2":"num:2","key8#3":"num:3","key8#4":"num:4","key8#5":"num:5","_a":"num:6","a.b-c":"num:7"}`},
		{"key that looks like a bucket", false, `{"key8":1,"key8#2":2,"x y":3,"key4096+":4,"key9":5}`,
			`{"key8":"num:1","key8#2":"num:2","key8#3":"num:3","key8#4":"num:4","key9":"num:5"}`},
		{"repeated key", false, `{"a":1,"a":2,"a":3}`, `{"a":"num:1","key8":"num:2","key8#2":"num:3"}`},
		{"repeated through an escape", false, `{"a":1,"\u0061":2}`, `{"a":"num:1","key8":"num:2"}`},
		{"escaped key", false, `{"\u0070ath":1}`, `{"path":"num:1"}`},
		{"ordinals start anew", false, `{"a b":{"a b":1},"c d":2}`, `{"key8":{"key8":"num:1"},"key8#2":"num:2"}`},
		{"empty array", false, `{"a":[]}`, `{"a":{"array":0,"items":"empty"}}`},
		{"only the first item", false, `[1,"x",{"secret":1}]`, `{"array":3,"items":"num:1"}`},
		{"arrays in arrays", false, `[[[]],1]`, `{"array":2,"items":{"array":1,"items":{"array":0,"items":"empty"}}}`},
		{"keys named array and items", false, `{"array":3,"items":"empty"}`, `{"array":"num:3","items":"str8"}`},

		{"declared", true, `{"path":"/home/ann","mode":"read","kind":"only"}`, `{"path":"str32","mode":"enum:read","kind":"enum:only"}`},
		{"undeclared", true, `{"quarterly":1}`, `{"key32":"num:1"}`},
		{"declared elsewhere", true, `{"depth":1,"path":{"path":1}}`, `{"key8":"num:1","path":{"key8":"num:1"}}`},
		{"enum member elsewhere", true, `{"path":"read","mode":"only"}`, `{"path":"str8","mode":"str8"}`},
		{"enum member outside the grammar", true, `{"mode":"has space"}`, `{"mode":"str32"}`},
		{"enum number", true, `{"mode":3}`, `{"mode":"num:3"}`},
		{"enum member through an escape", true, `{"mode":"\u0072ead"}`, `{"mode":"enum:read"}`},
		{"screened enum member", true, `{"token":"ghp_0123456789abcdefghij"}`, `{"token":"str32"}`},
		{"its neighbour", true, `{"token":"plain"}`, `{"token":"enum:plain"}`},
		{"screened key", true, `{"AKIAIOSFODNN7EXAMPLE":1}`, `{"key32":"num:1"}`},
		{"declared key outside the grammar", true, `{"has space":1}`, `{"key32":"num:1"}`},
		{"declared bucket name", true, `{"key8":"x"}`, `{"key8":"str8"}`},
		{"reference", true, `{"opts":{"depth":2,"a/b":1,"deep":{"name":"a"}}}`, `{"opts":{"depth":"num:2","key8":"num:1","deep":{"name":"enum:a"}}}`},
		{"items", true, `{"list":[{"name":"b","other":1}]}`, `{"list":{"array":1,"items":{"name":"enum:b","key8":"num:1"}}}`},
		{"items is no property", true, `{"list":{"name":"b"}}`, `{"list":{"key8":"str8"}}`},
		{"prefixItems", true, `{"pair":["first","second"]}`, `{"pair":{"array":2,"items":"enum:first"}}`},
		{"map", true, `{"env":{"path":{"value":"on","x":1}}}`, `{"env":{"key8":{"value":"enum:on","key8":"num:1"}}}`},
		{"pattern map", true, `{"patterned":{"xa":"on"}}`, `{"patterned":{"key8":"enum:on"}}`},
		{"free object", true, `{"free":{"path":1}}`, `{"free":{"key8":"num:1"}}`},
		{"recursive", true, `{"tree":{"left":{"left":{"leaf":"green"}}}}`, `{"tree":{"left":{"left":{"leaf":"enum:green"}}}}`},
		{"cycle", true, `{"loop":{"again":{"again":{"x":1}}}}`, `{"loop":{"again":{"again":{"key8":"num:1"}}}}`},
		{"choice", true, `{"choice":{"left":1,"right":2}}`, `{"choice":{"left":"num:1","right":"num:2"}}`},
		{"titled enum", true, `{"titled":"x2"}`, `{"titled":"enum:x2"}`},
		{"remote reference", true, `{"remote":{"depth":1}}`, `{"remote":{"key8":"num:1"}}`},
		{"merged", true, `{"merged":1,"cond":2,"then":3}`, `{"merged":"num:1","cond":"num:2","then":"num:3"}`},
		{"array and items declared", true, `{"array":3,"items":"x"}`, `{"array":"num:3","items":"str8"}`},
		{"no object", true, `["path"]`, `{"array":1,"items":"str8"}`},
	}
	schema := sanitize.CompileSchema(parse(t, richSchema))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s *sanitize.Schema
			if tt.schema {
				s = schema
			}
			got := sanitize.ShapeOf(parse(t, tt.in), s).String()
			if got != tt.want {
				t.Errorf("ShapeOf(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if _, ok := sanitize.ParseShape([]byte(got)); !ok {
				t.Errorf("ParseShape refuses %s", got)
			}
		})
	}
	if !sanitize.ShapeOf(rawjson.Value{}, nil).IsZero() {
		t.Error("no arguments have a shape")
	}
}

func TestShapeOfNumbers(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "num:0"}, {"-0", "num:0"}, {"-0.000", "num:0"}, {"0e9999999999", "num:0"}, {"1", "num:1"}, {"-1", "num:-1"},
		{"1.0", "num:1"}, {"1.50", "num:1.5"}, {"10", "num:10"}, {"1e5", "num:100000"}, {"1E+2", "num:100"}, {"1e-5", "num:0.00001"},
		{"12.5e1", "num:125"}, {"125e-1", "num:12.5"}, {"0.0125e2", "num:1.25"}, {"123456", "num:123456"}, {"1234567", "num+"},
		{"123456.0", "num:123456"}, {"1234560", "num:1234560"}, {"1000001", "num+"}, {"100000000000", "num:100000000000"},
		{"1000000000000", "num+"}, {"-100000000000", "num+"}, {"-10000000000", "num:-10000000000"}, {"0.0000000001", "num:0.0000000001"},
		{"0.00000000001", "num+"}, {"1e400", "num+"}, {"1e99999999999999999999", "num+"}, {"1e-99999999999999999999", "num+"},
		{"4111111111111111", "num+"}, {"20250131", "num+"}, {"3.14159", "num:3.14159"}, {"3.141592", "num+"},
		{"1000e-3", "num:1"}, {"-12.3400e-1", "num:-1.234"},
		{"1" + strings.Repeat("0", 1000) + "e-1000", "num:1"}, {"0." + strings.Repeat("0", 999) + "1e1000", "num:1"},
	}
	for _, tt := range tests {
		if got := sanitize.ShapeOf(parse(t, tt.in), nil).String(); got != `"`+tt.want+`"` {
			t.Errorf("%s: got %s, want %q", tt.in, got, tt.want)
		}
	}
}

func TestShapeOfBounds(t *testing.T) {
	nest := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	members := func(n int) string {
		m := make([]string, n)
		for i := range m {
			m[i] = fmt.Sprintf(`"m%d":1`, i)
		}
		return "{" + strings.Join(m, ",") + "}"
	}
	names := func(n int) string { // of 64 bytes each
		m := make([]string, n)
		for i := range m {
			m[i] = fmt.Sprintf(`"%s_%03d":1`, strings.Repeat("ab_", 20), i)
		}
		return "{" + strings.Join(m, ",") + "}"
	}
	tests := []struct {
		name, in, want string
	}{
		{"32 objects", nest(`{"a b":`, `1`, `}`, 32), nest(`{"key8":`, `"num:1"`, `}`, 32)},
		{"33 objects", nest(`{"a b":`, `1`, `}`, 33), nest(`{"key8":`, `"deep"`, `}`, 32)},
		{"33 arrays", nest(`[`, `1`, `]`, 33), nest(`{"array":1,"items":`, `"deep"`, `}`, 32)},
		{"a thousand", nest(`[`, `1`, `,2]`, 1000), nest(`{"array":2,"items":`, `"deep"`, `}`, 32)},
		{"500 nodes", members(499), strings.ReplaceAll(members(499), ":1", `:"num:1"`)},
		{"501 nodes", members(500), `"deep"`},
		{"the rest goes on", `{"a":` + members(500) + `,"b":1}`, `{"a":"deep","b":"num:1"}`},
		{"in an array", `[` + members(500) + `,2]`, `{"array":2,"items":"deep"}`},
		{"skips what is nested", `{"a":[` + members(600) + `,[[{"x":"]}"}]]],"b":1}`, `{"a":{"array":2,"items":"deep"},"b":"num:1"}`},
		{"no node left for a child", `{"a":` + members(498) + `,"b":{"x":1}}`, `"deep"`},
		{"no node left in a child", strings.TrimSuffix(members(498), "}") + `,"b":{"x":1}}`,
			strings.ReplaceAll(strings.TrimSuffix(members(498), "}"), ":1", `:"num:1"`) + `,"b":"deep"}`},
		{"just short enough", names(430), strings.ReplaceAll(names(430), ":1", `:"num:1"`)},
		{"too long", names(450), `"deep"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sanitize.ShapeOf(parse(t, tt.in), nil).String()
			if got != tt.want {
				t.Errorf("got %.200s\nwant %.200s", got, tt.want)
			}
			if _, ok := sanitize.ParseShape([]byte(got)); !ok {
				t.Errorf("ParseShape refuses %.200s", got)
			}
		})
	}
}
