package sanitize_test

import (
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestShapeFromLegacy(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a shape", `{"path":"str128","o":{"deep_name":"enum:on"},"l":{"array":3,"items":"str8"},"key8":"num:1","key8#2":"num+"}`,
			`{"path":"str128","o":{"deep_name":"enum:on"},"l":{"array":3,"items":"str8"},"key8":"num:1","key8#2":"num+"}`},
		{"spaces", `{ "a" : "str8" }`, `{"a":"str8"}`},
		{"raw text", `{"a":"quarterly merger","b":"quarterly_merger_7"}`, `{"a":"str32","b":"str32"}`},
		{"raw values", `{"a":4111111111111111,"b":12,"c":true,"d":null,"e":["secret",2]}`, `{"a":"num+","b":"num:12","c":"bool:true","d":"null","e":{"array":2,"items":"str8"}}`},
		{"long number", `{"a":"num:4111111111111111"}`, `{"a":"str32"}`},
		{"number not canonical", `{"a":"num:1.0"}`, `{"a":"str8"}`},
		{"enum outside the grammar", `{"a":"enum:a b"}`, `{"a":"str8"}`},
		{"enum the screen flags", `{"a":"enum:ghp_0123456789abcdef"}`, `{"a":"str32"}`},
		{"keys", `{"a b":"str8","ghp_0123456789abcdef":"str8","é":"str8"}`, `{"key8":"str8","key32":"str8","key8#2":"str8"}`},
		{"bucket keys numbered anew", `{"key8#7":"str8","key8":"url","key32#2":"str8"}`, `{"key8":"str8","key8#2":"url","key32":"str8"}`},
		{"repeated key", `{"a":"str8","a":"url"}`, `{"a":"str8","key8":"url"}`},
		{"uuid and url", `{"a":"550e8400-e29b-41d4-a716-446655440000","b":"https://x.example"}`, `{"a":"uuid","b":"url"}`},
		{"escapes", `{"\u0061":"str\u0038"}`, `{"a":"str8"}`},
		{"empty array", `{"array":0,"items":"empty"}`, `{"array":0,"items":"empty"}`},
		{"array of something", `{"array":0,"items":{"x":1}}`, `{"array":0,"items":"empty"}`},
		{"array of empty", `{"array":2,"items":"empty"}`, `{"array":2,"items":"str8"}`},
		{"array count", `{"array":2e3,"items":"str8"}`, `{"array":2000,"items":"str8"}`},
		{"array count too large", `{"array":12345678901,"items":"str8"}`, `{"array":999999999,"items":"str8"}`},
		{"array negative", `{"array":-2,"items":"str8"}`, `{"array":"num:-2","items":"str8"}`},
		{"array fraction", `{"array":1.5,"items":"str8"}`, `{"array":"num:1.5","items":"str8"}`},
		{"array without items", `{"array":2,"other":"str8"}`, `{"array":"num:2","other":"str8"}`},
		{"array alone", `{"array":2}`, `{"array":"num:2"}`},
		{"array and more", `{"array":2,"items":"str8","secret_name":[1,{"x":2}]}`, `{"array":2,"items":"str8"}`},
		{"array and more in a member", `{"a":{"array":0,"items":"empty","x":{}},"b":"url"}`, `{"a":{"array":0,"items":"empty"},"b":"url"}`},
		{"names of array and items", `{"array":"num:2","items":"str8"}`, `{"array":"num:2","items":"str8"}`},
		{"text", `"secret"`, `"str8"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sanitize.ShapeFromLegacy(parse(t, tt.in)).String()
			if got != tt.want {
				t.Errorf("ShapeFromLegacy(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
	if !sanitize.ShapeFromLegacy(rawjson.Value{}).IsZero() {
		t.Error("no value has a shape")
	}
	t.Run("a shape of the largest size", func(t *testing.T) {
		in := `{"a":"str8"`
		for i := 0; len(in) < 32<<10-100; i++ {
			in += `,"` + strings.Repeat("x_", 30) + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + `":"str8"`
		}
		in += `,"` + strings.Repeat("y_", 50)[:32<<10-len(in)-11] + `":"str8"}`
		if _, ok := sanitize.ParseShape([]byte(in)); !ok || len(in) != 32<<10 {
			t.Fatalf("test input of %d bytes is no shape", len(in))
		}
		if got := sanitize.ShapeFromLegacy(parse(t, in)).String(); got != in {
			t.Errorf("it became %.100s", got)
		}
		in = strings.Replace(in, "str8", "str32", 1)
		if got := sanitize.ShapeFromLegacy(parse(t, in)).String(); got != `"deep"` {
			t.Errorf("one byte more became %.100s", got)
		}
	})
}
