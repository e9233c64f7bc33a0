package standard_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/schema"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// transcripts are recordings of public servers, one JSON object with dir and line
// a line, where there are some: in the folder of a variable, or beside the
// repository. They are other people's and no part of it.
func transcripts(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("MCPEVAL_TRANSCRIPTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "transcripts")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no transcripts beside the repository")
	}
	return files
}

// listings are the catalogs that a transcript holds, pages put together.
func listings(t *testing.T, file string) (all [][]rawjson.Value) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{} // the cursor of a request, by its id
	next := ""                   // the last cursor that came
	lines := bufio.NewReader(strings.NewReader(string(data)))
	for {
		text, err := lines.ReadBytes('\n')
		var record struct{ Dir, Line string }
		if json.Unmarshal(text, &record) == nil {
			if v, err := rawjson.Parse([]byte(record.Line)); err == nil {
				id, _ := v.Get("id")
				method, _ := v.Get("method")
				if name, _ := method.Text(); name == "tools/list" {
					params, _ := v.Get("params")
					cursor, _ := params.Get("cursor")
					asked[string(id.Raw())] = string(cursor.Raw())
				}
				result, _ := v.Get("result")
				if tools, ok := result.Get("tools"); ok && record.Dir == "s2c" {
					if cursor := asked[string(id.Raw())]; cursor == "" || cursor != next {
						all = append(all, nil) // servers without pages ignore a cursor that is none of theirs
					}
					cursor, _ := result.Get("nextCursor")
					next = string(cursor.Raw())
					for entry := range tools.Elements() {
						all[len(all)-1] = append(all[len(all)-1], entry)
					}
				}
			}
		}
		if err != nil {
			return all
		}
	}
}

// TestTokensOfRealCatalogs: tools, bytes and tokens of public servers' catalogs,
// as they were counted by another program.
func TestTokensOfRealCatalogs(t *testing.T) {
	want := map[string][4]int{ // tools, bytes, tokens, bytes of the largest entry
		"everything": {13, 7639, 1915, 1140}, "filesystem": {14, 12958, 3246, 1262}, "memory": {9, 10740, 2688, 1472},
		"sequential-thinking": {1, 4638, 1160, 4638}, "context7": {2, 4861, 1216, 3038}, "notion": {24, 76190, 19057, 5862},
		"desktop-commander": {26, 60042, 15021, 7543}, "mcp-server-kubernetes": {23, 23830, 5965, 3980}, "airbnb": {2, 2149, 538, 1402},
		"tavily": {5, 7688, 1923, 2891}, "mcp-mermaid": {1, 1360, 340, 1360}, "github": {26, 15827, 3967, 1634}, "postgres": {1, 129, 33, 129},
		"puppeteer": {7, 2440, 614, 635}, "sqlite-npx": {5, 1640, 412, 382}, "exa": {2, 2136, 535, 1301}, "brave-search": {8, 110722, 27684, 77365},
		"figma": {2, 3912, 979, 2758}, "eslint": {1, 567, 142, 567}, "antv-chart": {27, 59832, 14969, 5271}, "mastra-docs": {9, 8544, 2141, 2633},
		"gosdk-tiny": {3, 677, 170, 460},
	}
	found := 0
	for _, file := range transcripts(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		expected, ok := want[name]
		if !ok {
			continue
		}
		found++
		var got [][4]int
		match := false
		for _, entries := range listings(t, file) {
			c := battery.NewCatalog(entries)
			one := [4]int{len(entries), c.Bytes, c.Tokens, 0}
			for _, e := range entries {
				one[3] = max(one[3], battery.NewCatalog([]rawjson.Value{e}).Bytes)
			}
			match = match || one == expected
			got = append(got, one)
		}
		if !match {
			t.Errorf("%s: %v, want %v", name, got, expected)
		}
	}
	if found < len(want) {
		t.Logf("%d of %d transcripts are there", found, len(want))
	}
}

// buildable holds a schema against what is promised of every tool: arguments that
// fit it, or the keyword that stopped them; soon, and twice the same.
func buildable(t interface {
	Helper()
	Errorf(string, ...any)
}, name string, input rawjson.Value) (built bool) {
	t.Helper()
	out, err := synth.Arguments(input)
	again, err2 := synth.Arguments(input)
	if diff := cmp.Diff(string(out), string(again)); diff != "" || (err == nil) != (err2 == nil) {
		t.Errorf("%s: not the same twice: %s", name, diff)
	}
	if err != nil {
		_, beyond := schema.Compile(input, nil) // our limits belong to no keyword
		if e, ok := errors.AsType[*synth.BuildError](err); !ok || e.Keyword == "" && beyond == nil {
			t.Errorf("%s: no keyword is named: %v", name, err)
		}
		return false
	}
	compiled, err := schema.Compile(input, nil)
	if err != nil {
		return string(out) == "{}" // of a schema that requires nothing
	}
	verdict, err := compiled.Validate(rawjson.Trusted(out))
	if err != nil || string(out) != "{}" && (!verdict.Valid() || verdict.Unsure) {
		t.Errorf("%s: %s does not fit: %v %v", name, out, verdict, err)
	}
	return true
}

// TestSchemasOfRealServers: the input schemas of public servers, where there are
// transcripts.
func TestSchemasOfRealServers(t *testing.T) {
	tools, built := 0, 0
	for _, file := range transcripts(t) {
		for _, entries := range listings(t, file) {
			for _, entry := range entries {
				input, _ := entry.Get("inputSchema")
				tools++
				if buildable(t, filepath.Base(file), input) {
					built++
				}
			}
		}
	}
	t.Logf("%d of %d schemas can be built", built, tools)
	if tools == 0 || built < tools*9/10 {
		t.Errorf("%d of %d schemas can be built", built, tools)
	}
}

// TestSchemaShapes: the shapes of public servers' input schemas, whose names and
// texts are replaced.
func TestSchemaShapes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "schemas.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	shapes := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(shapes) < 100 {
		t.Fatalf("%d shapes", len(shapes))
	}
	for i, text := range shapes {
		input, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !buildable(t, text, input) {
			t.Errorf("shape %d cannot be built: %s", i+1, text)
		}
	}
}

// genAny draws schemas of any kind, recursive, contradictory and malformed ones
// among them.
func genAny(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		scalars := []string{`1`, `-3.5`, `1e400`, `"a"`, `""`, `true`, `false`, `null`, `[]`, `{}`, `["a",1]`, `"^[0-9]{3}$"`, `"("`, `"date"`, `"#"`, `"#/$defs/D"`, `"#/properties/a"`, `"http://127.0.0.1:9/x"`, `"file:///etc/passwd"`}
		if depth == 0 {
			return rapid.SampledFrom([]string{`{}`, `true`, `false`, `{"type":"string"}`, `{"$ref":"#"}`, `{"$ref":"#/$defs/D"}`, `{"const":1}`, `7`}).Draw(t, "leaf")
		}
		sub := func(name string) string { return genAny(depth-1).Draw(t, name) }
		var members []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			var key, value string
			switch key = rapid.SampledFrom([]string{
				"type", "type", "properties", "properties", "required", "required", "items", "anyOf", "oneOf", "allOf", "not", "if", "then", "enum", "const", "default",
				"examples", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf", "minItems", "uniqueItems", "minProperties",
				"additionalProperties", "propertyNames", "dependentRequired", "$ref", "$anchor", "prefixItems", "contains",
			}).Draw(t, "key"); key {
			case "type":
				value = rapid.SampledFrom([]string{`"object"`, `"object"`, `"string"`, `"integer"`, `"array"`, `["null","object"]`, `"nonsense"`, `7`}).Draw(t, "type")
			case "properties":
				value = `{"a":` + sub("a") + `,"b":` + sub("b") + `}`
			case "required":
				value = rapid.SampledFrom([]string{`["a"]`, `["b","a"]`, `["c"]`, `[]`, `[7]`, `"a"`}).Draw(t, "required")
			case "anyOf", "oneOf", "allOf", "prefixItems":
				value = `[` + sub("first") + `,` + sub("second") + `]`
			case "items", "not", "if", "then", "additionalProperties", "propertyNames", "contains":
				value = sub(key)
			case "minLength", "minItems", "maxLength", "minProperties":
				value = rapid.SampledFrom([]string{`0`, `3`, `1000000000`, `-1`, `1e3`}).Draw(t, "count")
			default:
				value = rapid.SampledFrom(scalars).Draw(t, "value")
			}
			members = append(members, `"`+key+`":`+value)
		}
		return `{` + strings.Join(members, ",") + `}`
	})
}

// TestAnySchema: whatever a schema is, what is built fits it, or a keyword is
// named; and a violation of it is certainly one.
func TestAnySchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := `{"type":"object","required":["a"],"properties":{"a":` + genAny(3).Draw(t, "a") + `},"$defs":{"D":` + genAny(2).Draw(t, "d") + `}}`
		input, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		buildable(t, text, input)
	})
}

// TestDemoCatalog: the demo's catalog, an entry a line as wc counts it, and the
// tokens of each entry worked out by hand.
func TestDemoCatalog(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "demo-catalog.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		tool          string
		bytes, tokens int
	}{
		{"list_cities", 506, 127}, {"get_weather", 1033, 259}, {"convert_temperature", 805, 202}, {"search_notes", 967, 242},
		{"get_note", 726, 182}, {"save_note", 865, 217}, {"get_forecast", 878, 220}, {"read_sensor", 759, 190}, {"calibrate_sensor", 747, 187},
		{"refresh_station", 667, 167}, {"summarize_note", 731, 183}, {"plan_trip", 828, 207}, {"count_characters", 692, 173}, {"wait_for_tide", 707, 177},
	}
	var entries []rawjson.Value
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(data), "\r", "")), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d entries", len(lines))
	}
	for i, text := range lines {
		v, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, v)
		one := battery.NewCatalog(entries[i:])
		if len(text) != want[i].bytes || one.Bytes != want[i].bytes || one.Tokens != want[i].tokens {
			t.Errorf("%s: %d bytes, %d measured, %d tokens", want[i].tool, len(text), one.Bytes, one.Tokens)
		}
	}
	c := battery.NewCatalog(entries)
	if c.Bytes != 10911 || c.Tokens != 2733 || c.Heaviest != 259 {
		t.Errorf("%d bytes, %d tokens, heaviest %d", c.Bytes, c.Tokens, c.Heaviest)
	}

	// It is what the demo lists.
	conn, err := client.Dial(t.Context(), demoHTTP(t, &demo.Options{Protocol: "legacy"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	listed, _, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var now []string
	for _, v := range listed {
		now = append(now, string(v.Raw()))
	}
	if diff := cmp.Diff(lines, now); diff != "" {
		t.Error(diff)
	}
}
