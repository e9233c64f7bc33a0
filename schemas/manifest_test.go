package schemas_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/manifest"
)

// TestManifestSchemaIsTheParser changes a manifest with a case of every kind at
// random places: the published schema accepts a manifest exactly when the strict
// parser does, but for what it says it cannot express.
func TestManifestSchemaIsTheParser(t *testing.T) {
	s := schemaOf(t, "manifest")
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		doc := randomManifest(t)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			change(t, doc)
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		_, err = manifest.Parse(text)
		var refused *manifest.Error
		if errors.As(err, &refused) && refused.Problem == manifest.RepeatedID {
			return // ids are unique: not expressed in the schema
		}
		if got := accepts(s, text); got != (err == nil) {
			t.Fatalf("schema says %v, parser %v of\n%s", got, err, text)
		}
		verdicts[err == nil]++
	})
	if verdicts[true] == 0 || verdicts[false] == 0 {
		t.Errorf("verdicts %v: one kind was never tried", verdicts)
	}
}

// randomManifest is a valid manifest with some of the demo's cases.
func randomManifest(t *rapid.T) map[string]any {
	d := json.NewDecoder(bytes.NewReader(demo.Manifest()))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	cases := doc["probes"].([]any)
	seed := rapid.Uint64().Draw(t, "cases")
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases = cases[:rapid.IntRange(1, 4).Draw(t, "count")]
	doc["probes"] = cases
	if rapid.Bool().Draw(t, "sandboxes") {
		doc["sandboxes"] = map[string]any{"tmp": map[string]any{"description": "a folder"}}
		if c := cases[0].(map[string]any); rapid.Bool().Draw(t, "mutating") {
			c["access"], c["sandbox"] = "mutating", "tmp"
		}
	}
	return doc
}

// change does one thing to a random object or array below v.
func change(t *rapid.T, v any) {
	for {
		switch at := v.(type) {
		case map[string]any:
			names := slices.Sorted(maps.Keys(at))
			if len(names) == 0 {
				at["x"] = value(t)
				return
			}
			name := rapid.SampledFrom(names).Draw(t, "member")
			if container(at[name]) && rapid.IntRange(0, 3).Draw(t, "deeper") > 0 {
				v = at[name]
				continue
			}
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				delete(at, name)
			case 1:
				at[rapid.SampledFrom([]string{"x", "Tool", "sandbox", "max_pages", "error_code", "trigger_arguments", "$schema"}).Draw(t, "name")] = value(t)
			default:
				at[name] = value(t)
			}
			return
		case []any:
			if len(at) == 0 {
				return
			}
			i := rapid.IntRange(0, len(at)-1).Draw(t, "index")
			if container(at[i]) {
				v = at[i]
				continue
			}
			at[i] = value(t)
			return
		default:
			return
		}
	}
}

func container(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// value is something to put in a place: often of the wrong type, sometimes just
// outside the range of the right one.
func value(t *rapid.T) any {
	return rapid.SampledFrom([]any{
		nil, true, "", "x", "read_only", "mutating", "ok", "error", "tmp", "pagination", "ref/prompt", "accept", "2999-01-01", "/a~1b", "a b", "é",
		json.Number("0"), json.Number("1"), json.Number("1.5"), json.Number("-1"), json.Number("2"), json.Number("20"), json.Number("21"), json.Number("100"), json.Number("101"), json.Number("1000000"), json.Number("1e2"), json.Number("1.0"), json.Number("16000001"), json.Number("99999999999999999999"),
		map[string]any{}, map[string]any{"a": "b"}, []any{}, []any{"x"}, []any{map[string]any{}},
	}).Draw(t, "value")
}
