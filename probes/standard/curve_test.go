package standard_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/schema"
	"github.com/mcpeval/mcpeval/probes/standard"
	"github.com/mcpeval/mcpeval/probes/synth"
)

func TestLatencyBands(t *testing.T) {
	for median, want := range map[time.Duration]float64{
		0: 100, 100 * time.Millisecond: 100, 100*time.Millisecond + 1: 80, 300 * time.Millisecond: 80, 300*time.Millisecond + 1: 50,
		time.Second: 50, time.Second + 1: 20, 3 * time.Second: 20, 3*time.Second + 1: 0, time.Hour: 0,
	} {
		if got := standard.LatencyPoints(median); got != want {
			t.Errorf("%s: %v, want %v", median, got, want)
		}
	}
}

func TestFalling(t *testing.T) {
	for tokens, want := range map[int]float64{0: 100, 2000: 100, 2001: 99.9833, 8944: 50.0010, 20000: 23.1378, 39999: 0.0008, 40000: 0, 1 << 40: 0} {
		if got := standard.Falling(tokens, 2000, 40000); math.Abs(got-want) > 0.0001 {
			t.Errorf("%d: %v, want %v", tokens, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100_000).Draw(t, "n")
		if a, b := standard.Falling(n, 500, 5000), standard.Falling(n+1, 500, 5000); b > a || a < 0 || a > 100 {
			t.Fatalf("%d: %v, then %v", n, a, b)
		}
	})
}

// TestTotal: the areas' weights, one at a time, are hundreds together.
func TestTotal(t *testing.T) {
	const full = 10000
	for name, tt := range map[string]struct {
		areas report.Areas
		want  report.Score
	}{
		"protocol":      {report.Areas{Protocol: full}, 1500},
		"catalog":       {report.Areas{Catalog: full}, 2000},
		"context":       {report.Areas{Context: full}, 1500},
		"reliability":   {report.Areas{Reliability: full}, 2000},
		"error-honesty": {report.Areas{ErrorHonesty: full}, 1500},
		"coverage":      {report.Areas{Coverage: full}, 1500},
		"all":           {report.Areas{Protocol: full, Catalog: full, Context: full, Reliability: full, ErrorHonesty: full, Coverage: full}, 10000},
		"rounded":       {report.Areas{Protocol: 8333}, 1250},
	} {
		if got := standard.Total(tt.areas); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestViolation(t *testing.T) {
	for _, tt := range []struct{ name, schema, arguments, want string }{
		{"required ones left out", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"a":"x"}`, `{}`},
		{"without arguments", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[0-9]$"}}}`, "", `{}`},
		{"the first typed one by name", `{"type":"object","properties":{"b":{"type":"integer"},"c":{"type":"string"},"a":{}}}`, `{}`, `{"b":"mcpeval"}`},
		{"a text", `{"type":"object","properties":{"b":{"type":"string"}}}`, `{"b":"x","c":1}`, `{"c":1,"b":12345}`},
		{"several types", `{"type":"object","properties":{"b":{"type":["string","number","boolean","null"]}}}`, `{}`, `{"b":[]}`},
		{"an unknown property", `{"type":"object","additionalProperties":false}`, `{}`, `{"mcpeval_no_such_property":true}`},
		{"untyped, and no others", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"a":1}`, `{"a":1,"mcpeval_no_such_property":true}`},
		{"nothing is forbidden", `{"type":"object"}`, `{}`, ``},
		{"any property", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `{}`, ``},
		{"required, and yet not", `{"required":["a"],"anyOf":[true],"not":{"required":["b"]}}`, ``, `{}`},
		{"an escaped name", `{"type":"object","properties":{"\u0062\"":{"type":"string"}}}`, `{"b\"":"x"}`, `{"\u0062\"":12345}`},
	} {
		input := rawjson.Trusted([]byte(tt.schema))
		compiled, err := schema.Compile(input, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var arguments []byte
		if tt.arguments != "" {
			arguments = []byte(tt.arguments)
		}
		if got := string(standard.Violation(compiled, input, arguments)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestViolationsOfShapes: nearly all tools can be judged, by calls that their
// schemas certainly forbid.
func TestViolationsOfShapes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "schemas.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	judged, all := 0, 0
	for text := range strings.Lines(string(data)) {
		input := rawjson.Trusted([]byte(strings.TrimSpace(text)))
		compiled, err := schema.Compile(input, nil)
		if err != nil {
			t.Fatal(err)
		}
		arguments, _ := synth.Arguments(input)
		all++
		wrong := standard.Violation(compiled, input, arguments)
		if wrong == nil {
			continue
		}
		judged++
		v, err := rawjson.Parse(wrong)
		if err != nil {
			t.Fatalf("%s: %v", wrong, err)
		}
		if verdict, err := compiled.Validate(v); err != nil || verdict.Valid() {
			t.Errorf("%s is allowed by %s", wrong, text)
		}
	}
	if judged < all*9/10 {
		t.Errorf("%d of %d can be judged", judged, all)
	}
}
