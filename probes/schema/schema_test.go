package schema_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func compile(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(parse(t, text), nil)
	if err != nil {
		t.Fatalf("compile %s: %v", text, err)
	}
	return s
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name, schema, value string
		want                []schema.Violation
	}{
		{"no properties is legal", `{"type":"object"}`, `{"a":1}`, nil},
		{"boolean schema", `true`, `1`, nil},
		{"false", `false`, `1`, []schema.Violation{{Keyword: "false"}}},
		{"required", `{"required":["a"]}`, `{}`, []schema.Violation{{Keyword: "required"}}},
		{"type below", `{"properties":{"a":{"type":"string"}}}`, `{"a":1}`,
			[]schema.Violation{{Keyword: "type", Instance: "/a", Schema: "/properties/a"}}},
		{"recursion", `{"$defs":{"N":{"type":"object","properties":{"c":{"items":{"$ref":"#/$defs/N"}}}}},"$ref":"#/$defs/N"}`,
			`{"c":[{"c":[1]}]}`, []schema.Violation{{Keyword: "type", Instance: "/c/0/c/0", Schema: "/$defs/N"}}},
		{"a cycle of references alone never holds", `{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}`, `1`,
			[]schema.Violation{{Keyword: "$ref", Schema: "/$defs/A"}}},
		{"numbers are exact", `{"const":9007199254740993}`, `9007199254740992`, []schema.Violation{{Keyword: "const"}}},
		{"1.0 is an integer", `{"type":"integer"}`, `1.0`, nil},
		{"anchor", `{"$defs":{"x":{"$anchor":"here","type":"null"}},"$ref":"#here"}`, `null`, nil},
		{"own id", `{"$id":"https://example.com/s","$defs":{"x":{"type":"null"}},"$ref":"#/$defs/x"}`, `null`, nil},
		{"draft-07 items list", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"additionalItems":false}`,
			`[null,1]`, []schema.Violation{{Keyword: "additionalItems"}}},
		{"format is no rule in 2020-12", `{"format":"uri"}`, `"no uri"`, nil},
		{"format is no rule in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","format":"date-time"}`, `"no time"`, nil},
		{"pattern", `{"pattern":"^a$"}`, `"b"`, []schema.Violation{{Keyword: "pattern"}}},
		{"ECMA escape that RE2 writes differently", `{"pattern":"^\\u0041\\/$"}`, `"A/"`, nil},
		{"anyOf is one violation", `{"anyOf":[{"type":"null"},{"type":"string"}]}`, `1`, []schema.Violation{{Keyword: "anyOf"}}},
		{"pointers are escaped", `{"additionalProperties":{"type":"null"}}`, `{"a/b~":1}`,
			[]schema.Violation{{Keyword: "type", Instance: "/a~1b~0", Schema: "/additionalProperties"}}},
		{"the last of repeated keys counts", `{"type":"null","type":"string"}`, `"x"`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := compile(t, tt.schema).Validate(parse(t, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Violations); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if got.Unsure {
				t.Error("unsure without a pattern that was not evaluated")
			}
		})
	}
}

func TestPatternsThatAreNotEvaluated(t *testing.T) {
	tests := []struct {
		name, schema, value string
		valid, unsure       bool
		skipped             []string
	}{
		{"lookahead", `{"pattern":"^(?!x)"}`, `"x"`, true, true, []string{"pattern"}},
		{"back reference", `{"pattern":"(a)\\1"}`, `"b"`, true, true, []string{"pattern"}},
		{"RE2's own escapes mean letters", `{"pattern":"\\Aa\\z"}`, `"b"`, true, true, []string{"pattern"}},
		{"no regular expression at all", `{"pattern":"("}`, `"b"`, true, true, []string{"pattern"}},
		{"too many repeats", `{"pattern":"a{5000}"}`, `"b"`, true, true, []string{"pattern"}},
		{"under not", `{"not":{"pattern":"^(?!x)"}}`, `"y"`, true, true, []string{"pattern"}},
		{"other rules still count", `{"type":"string","pattern":"^(?!x)","maxLength":0}`, `"x"`, false, true, []string{"pattern"}},
		{"not asked", `{"type":"string","pattern":"^(?!x)"}`, `1`, false, false, []string{"pattern"}},
		{"keys", `{"patternProperties":{"^(?!x)":{"type":"null"}},"additionalProperties":false}`, `{"y":null}`, true, true, []string{"patternProperties"}},
		{"keys that exclude each other", `{"patternProperties":{"^(?!x)":{"type":"number"},"^x":{"type":"string"}},"additionalProperties":false}`,
			`{"xa":"s","b":1}`, true, true, []string{"patternProperties"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, tt.schema)
			got, err := s.Validate(parse(t, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if got.Valid() != tt.valid || got.Unsure != tt.unsure {
				t.Errorf("valid %v, unsure %v", got.Valid(), got.Unsure)
			}
			if diff := cmp.Diff(tt.skipped, s.NotEvaluated()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotEvaluated(t *testing.T) {
	tests := []struct {
		name, schema string
		want         []string
	}{
		{"all evaluated", `{"type":"object","properties":{"format":{"type":"string"}}}`, nil},
		{"formats and content", `{"properties":{"a":{"format":"uri","contentEncoding":"base64"}}}`, []string{"contentEncoding", "format"}},
		{"later keywords in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema","prefixItems":[],"unevaluatedProperties":false}`,
			[]string{"prefixItems", "unevaluatedProperties"}},
		{"old keywords", `{"additionalItems":false,"nullable":true}`, []string{"additionalItems", "nullable"}},
		{"beside a reference in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema","definitions":{"a":{}},"properties":{"p":{"$ref":"#/definitions/a","type":"null","description":"d"}}}`,
			[]string{"type"}},
		{"names of the author are never listed", `{"x-secret":1,"$defs":{"a":{"secret":2}},"$ref":"#/$defs/a"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, compile(t, tt.schema).NotEvaluated()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// nest is the text of n nested arrays or schemas.
func nest(n int, open, middle, end string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

func TestRefused(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	secret := dir + "/secret.json"
	if err := os.WriteFile(secret, []byte(`{"const":"CANARY"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fifo := dir + "/fifo"
	makeFIFO(t, fifo)
	t.Chdir(dir)

	tests := []struct {
		name, schema string
		want         schema.Problem
	}{
		{"file", `{"$ref":"file://` + secret + `"}`, schema.RemoteRef},
		{"absolute path", `{"$ref":"` + secret + `"}`, schema.RemoteRef},
		{"relative path", `{"$ref":"secret.json"}`, schema.RemoteRef},
		{"relative path with a pointer", `{"$ref":"./secret.json#/const"}`, schema.RemoteRef},
		{"fifo", `{"$ref":"file://` + fifo + `"}`, schema.RemoteRef},
		{"relative fifo", `{"properties":{"a":{"$ref":"fifo"}}}`, schema.RemoteRef},
		{"http", `{"$ref":"http://127.0.0.1:1/CANARY"}`, schema.RemoteRef},
		{"https", `{"allOf":[{"$ref":"https://example.com/CANARY.json"}]}`, schema.RemoteRef},
		{"through an id", `{"$id":"file://` + dir + `/","$ref":"secret.json"}`, schema.RemoteRef},
		{"dynamic", `{"$dynamicRef":"secret.json"}`, schema.RemoteRef},
		{"dialect in a file", `{"$schema":"file://` + secret + `"}`, schema.Dialect},
		{"dialect unknown", `{"$schema":"https://example.com/CANARY"}`, schema.Dialect},
		{"dangling", `{"$ref":"#/$defs/CANARY"}`, schema.DanglingRef},
		{"dangling below", `{"properties":{"a":{"items":{"$ref":"#/definitions/CANARY"}}}}`, schema.DanglingRef},
		{"dangling anchor", `{"$ref":"#CANARY"}`, schema.DanglingRef},
		{"reference is no URI", `{"$ref":"%zzCANARY"}`, schema.InvalidKeyword},
		{"ids repeat", `{"$defs":{"a":{"$id":"x:CANARY"},"b":{"$id":"x:CANARY"}}}`, schema.BadReference},
		{"null", `null`, schema.NotASchema},
		{"array", `[{"const":"CANARY"}]`, schema.NotASchema},
		{"keyword", `{"type":"CANARY"}`, schema.InvalidKeyword},
		{"keyword below", `{"properties":{"CANARY":{"minLength":"CANARY"}}}`, schema.InvalidKeyword},
		{"deep", nest(5000, `{"not":`, `true`, `}`), schema.TooDeep},
		{"huge", `{"enum":["` + strings.Repeat("x", 3<<20) + `"]}`, schema.TooLarge},
		{"many values", `{"enum":[` + strings.Repeat("0,", 200_000) + `0]}`, schema.TooLarge},
		{"many schemas", `{"allOf":[` + strings.Repeat(`{},`, 20_000) + `{}]}`, schema.TooLarge},
		{"digits", `{"minimum":1e999999}`, schema.NumberTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schema.Compile(parse(t, tt.schema), nil)
			var e *schema.Error
			if !errors.As(err, &e) || e.Problem != tt.want {
				t.Fatalf("error %v, want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "CANARY") || strings.Contains(e.Keyword, "CANARY") {
				t.Errorf("the error quotes the schema: %v", err)
			}
		})
	}
}

func TestErrorNamesKeywordAndPlace(t *testing.T) {
	_, err := schema.Compile(parse(t, `{"properties":{"a":{"minLength":"x"}}}`), nil)
	var e *schema.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Keyword != "minLength" || e.Pointer != "/properties/a/minLength" {
		t.Errorf("keyword %q at %q", e.Keyword, e.Pointer)
	}
}

// TestExponentialSchema doubles the work at each of 40 levels.
func TestExponentialSchema(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	b.WriteString(`"d40":{"type":"string"}},"$ref":"#/$defs/d0"}`)
	for _, dialect := range []string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`} {
		for _, value := range []string{`"s"`} {
			text := strings.Replace(b.String(), "{", "{"+dialect, 1)
			if dialect != "" {
				text = strings.Replace(text, `"$ref":"#/$defs/d0"`, `"allOf":[{"$ref":"#/$defs/d0"}]`, 1)
			}
			_, err := compile(t, text).Validate(parse(t, value))
			var e *schema.Error
			if !errors.As(err, &e) || e.Problem != schema.TooSlow {
				t.Errorf("error %v, want too-slow", err)
			}
		}
	}
}

// TestTimeIsBounded lets the clock jump a second each time it is looked at.
func TestTimeIsBounded(t *testing.T) {
	var now time.Time
	clock := func() time.Time { now = now.Add(time.Second); return now }
	s, err := schema.Compile(parse(t, `{"items":{"minimum":0}}`), &schema.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Validate(parse(t, `[`+strings.Repeat("1,", 1000)+`1]`))
	var e *schema.Error
	if !errors.As(err, &e) || e.Problem != schema.TooSlow {
		t.Errorf("error %v, want too-slow", err)
	}
}

func TestValuesAreBounded(t *testing.T) {
	s := compile(t, `{"type":["number","array"],"minimum":0}`)
	for name, tt := range map[string]struct {
		value string
		want  schema.Problem
	}{
		"digits": {`1e2000000`, schema.NumberTooLarge},
		"deep":   {nest(5000, `[`, ``, `]`), schema.TooDeep},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Validate(parse(t, tt.value))
			var e *schema.Error
			if !errors.As(err, &e) || e.Problem != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestViolationsAreCappedAndStable(t *testing.T) {
	s := compile(t, `{"additionalProperties":{"type":"null"}}`)
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	value := parse(t, `{`+strings.TrimSuffix(b.String(), ",")+`}`)
	first, err := s.Validate(value)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := s.Validate(value)
	if len(first.Violations) != 100 {
		t.Errorf("%d violations", len(first.Violations))
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"type":"object"}`, `{"a":1}`)
	f.Add(`{"$ref":"#/$defs/CANARY"}`, `1`)
	f.Add(`{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `[]`)
	f.Add(`{"patternProperties":{"(?!CANARY)":false},"minimum":1e400}`, `{"CANARY":1e-400}`)
	f.Fuzz(func(t *testing.T, text, value string) {
		v, err := rawjson.Parse([]byte(text))
		if err != nil {
			return
		}
		s, err := schema.Compile(v, nil)
		if err != nil {
			if strings.Contains(err.Error(), "CANARY") {
				t.Fatalf("quoted: %v", err)
			}
			return
		}
		if v, err = rawjson.Parse([]byte(value)); err != nil {
			return
		}
		if _, err := s.Validate(v); err != nil && strings.Contains(err.Error(), "CANARY") {
			t.Fatalf("quoted: %v", err)
		}
	})
}
