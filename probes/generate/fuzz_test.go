package generate_test

import (
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/generate"
)

// Every shape can be rebuilt, to an object, and nothing else is taken for one.
func FuzzRebuild(f *testing.F) {
	for _, seed := range []string{
		`{"city":"str8","unit":"enum:C","big":"num+","list":{"array":2,"items":{"array":0,"items":"empty"}}}`,
		`{"key8":"num:1","key8#2":{"deep":"deep"},"array":"num:3","items":"url"}`, `{"array":3,"items":"uuid"}`, `"str4096+"`, `{}`, `{"a":"words"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, ok := sanitize.ParseShape(text)
		arguments, fills, err := generate.Rebuild(text, "")
		if len(text) == 0 {
			ok = true // no arguments
		}
		if ok != (err == nil) {
			t.Fatalf("a shape: %v, rebuilt: %v", ok, err)
		}
		if err != nil {
			return
		}
		if v, err := rawjson.Parse(arguments); err != nil || v.Kind() != rawjson.Object {
			t.Errorf("%s became %s", text, arguments)
		}
		for _, fill := range fills {
			if fill.Shape == "" {
				t.Errorf("%s has no shape", fill.Path)
			}
		}
	})
}
