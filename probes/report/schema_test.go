package report_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/schemas"
)

func published(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	data, ok := schemas.Get(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	return compile(t, data)
}

func TestDocumentsAreOfTheirSchema(t *testing.T) {
	reports, diffs := published(t, "report"), published(t, "diff")
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDocument.Draw(t, "a"), genDocument.Draw(t, "b")
		data, err := a.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(reports, data); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		d, err := report.Compare(a.Generator, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = d.Encode(); err != nil {
			t.Fatal(err)
		}
		if err := validate(diffs, data); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
	})
	changed := compared(t, whole(), whole())
	base, now := whole(), whole()
	now.Cases[1], now.Cases[5].ID = pass("heavy", now.Cases[1].Probe), caseID("new")
	now.Gate = new(report.Count(now.Cases))
	for _, d := range []*report.Diff{changed, compared(t, base, now), compared(t, now, base)} {
		data, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(diffs, data); err != nil {
			t.Errorf("%v\n%s", err, data)
		}
	}
}

// TestSchemaIsNotLooserThanRead changes one value of a document. What Read takes
// the schema takes; what the schema takes and Read does not, is a rule that the
// schema says it does not hold.
func TestSchemaIsNotLooserThanRead(t *testing.T) {
	s := published(t, "report")
	beyond := []string{
		"is there twice", "does not count the cases", "is no attempt that failed", "is not one that this kind of probe gives",
		"although cases could not be judged", "is not whether readiness was measured", "is no score from 0 to 100", "lost nothing",
	}
	var doc any
	if err := json.Unmarshal(encoded(t, whole()), &doc); err != nil {
		t.Fatal(err)
	}
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		var edited any
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &edited); err != nil {
			t.Fatal(err)
		}
		values := []any{nil, true, false, 0, 1, 3, -1, 1.5, 101, "", "x", "demo", "unlisted", "token-cost", "value-mismatch", "transport-timeout", "capability_absent", "server-not-started", "max_tools", "max_latency_ms", []any{}, map[string]any{}}
		path := edit(t, edited, rapid.SampledFrom(values).Draw(t, "value"), "")
		if data, err = json.Marshal(edited); err != nil {
			t.Fatal(err)
		}
		_, reads := report.Read(data)
		valid := validate(s, data)
		if reads == nil && valid != nil {
			t.Fatalf("%s: Read takes what the schema does not: %v", path, valid)
		}
		if reads != nil {
			refused++
			if valid == nil {
				for _, rule := range beyond {
					if strings.Contains(reads.Error(), rule) {
						return
					}
				}
				t.Fatalf("%s: the schema takes what Read does not: %v", path, reads)
			}
		}
	})
	if refused == 0 {
		t.Error("no change was refused")
	}
}

// edit puts value at a random place of doc, or removes what is there, or adds a
// member, and tells where.
func edit(t *rapid.T, doc, value any, path string) string {
	switch d := doc.(type) {
	case map[string]any:
		if len(d) == 0 || rapid.IntRange(0, 19).Draw(t, "add") == 0 {
			d["extra"] = value
			return path + " (added)"
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(d))).Draw(t, "name")
		at := path + "." + name
		if nested(d[name]) && rapid.IntRange(0, 4).Draw(t, "deeper") > 0 {
			return edit(t, d[name], value, at)
		}
		if rapid.IntRange(0, 9).Draw(t, "remove") == 0 {
			delete(d, name)
			return at + " (removed)"
		}
		d[name] = value
		return at
	case []any:
		i := rapid.IntRange(0, len(d)-1).Draw(t, "index")
		at := fmt.Sprintf("%s[%d]", path, i)
		if nested(d[i]) && rapid.IntRange(0, 9).Draw(t, "deeper") > 0 {
			return edit(t, d[i], value, at)
		}
		d[i] = value
		return at
	}
	return path
}

func nested(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return true
	case []any:
		return len(v) > 0
	}
	return false
}
