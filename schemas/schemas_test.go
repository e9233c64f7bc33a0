package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/schemas"
)

// schemaOf compiles a published schema. It loads nothing else.
func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	data, ok := schemas.Get(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource("mem:///"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accepts reports whether data is JSON that the schema allows.
func accepts(s *jsonschema.Schema, data []byte) bool {
	doc, err := unmarshal(data)
	return err == nil && s.Validate(doc) == nil
}

func unmarshal(data []byte) (any, error) { return jsonschema.UnmarshalJSON(bytes.NewReader(data)) }

func TestGet(t *testing.T) {
	files, err := filepath.Glob("*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(schemas.Names()) {
		t.Errorf("%d files, %d names", len(files), len(schemas.Names()))
	}
	for _, name := range schemas.Names() {
		got, ok := schemas.Get(name)
		want, err := os.ReadFile(name + ".schema.json")
		if err != nil || !ok || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		schemaOf(t, name)
		var head struct {
			Schema string `json:"$schema"`
			ID     string `json:"$id"`
			Title  string `json:"title"`
		}
		if err := json.Unmarshal(got, &head); err != nil || !strings.HasSuffix(head.Schema, "2020-12/schema") || !strings.HasSuffix(head.ID, "/"+name+".schema.json") || head.Title == "" {
			t.Errorf("%s: %+v, %v", name, head, err)
		}
	}
	for _, name := range []string{"", "Report", "../schemas", "report.schema.json"} {
		if _, ok := schemas.Get(name); ok {
			t.Errorf("%q is a schema", name)
		}
	}
}

// TestPatterns: patterns are of the kind that every validator reads alike.
func TestPatterns(t *testing.T) {
	odd := regexp.MustCompile(`\\[^.+xn\\/-]|\(\?[^:]|[*+?}]\+`)
	for _, name := range schemas.Names() {
		data, _ := schemas.Get(name)
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		n := 0
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				if p, ok := v["pattern"].(string); ok {
					n++
					if !strings.HasPrefix(p, "^") || !strings.HasSuffix(p, "$") || odd.MatchString(p) {
						t.Errorf("%s: pattern %s", name, p)
					}
				}
				for _, member := range v {
					walk(member)
				}
			case []any:
				for _, e := range v {
					walk(e)
				}
			}
		}
		walk(doc)
		if n == 0 {
			t.Errorf("%s has no pattern", name)
		}
	}
}

// TestManifestRules: the rules over several fields, which no type can hold, stand
// in the schema as well as in the parser.
func TestManifestRules(t *testing.T) {
	s := schemaOf(t, "manifest")
	head := func(kind, rest string) string {
		return `{"version":1,"sandboxes":{"tmp":{"description":"a folder"}},"probes":[{"id":"a","probe":"` + kind + `","access":"read_only",` + rest + `}]}`
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"small", head("pagination", `"max_pages":5`), true},
		{"schema named", strings.Replace(head("pagination", `"max_pages":5`), `{"version"`, `{"$schema":"x","version"`, 1), true},
		{"out of range", head("pagination", `"max_pages":0`), false},
		{"unknown field", head("pagination", `"max_pages":5,"tool":"x"`), false},
		{"unknown kind", head("pages", `"max_pages":5`), false},
		{"no case", `{"version":1,"probes":[]}`, false},
		{"another version", strings.Replace(head("pagination", `"max_pages":5`), `"version":1`, `"version":2`, 1), false},
		{"read-only with a sandbox", head("pagination", `"max_pages":5,"sandbox":"tmp"`), false},
		{"mutating with a sandbox", strings.Replace(head("contention", `"tool":"x","arguments":{},"sandbox":"tmp"`), "read_only", "mutating", 1), true},
		{"arguments that are no object", head("contention", `"tool":"x","arguments":[]`), false},
		{"mutating workflow", strings.Replace(head("workflow", `"repetitions":1,"steps":[`+step+`,`+step+`]`), "read_only", "mutating", 1), false},
		{"workflow", head("workflow", `"repetitions":1,"steps":[`+step+`,`+step+`]`), true},
		{"one step", head("workflow", `"repetitions":1,"steps":[`+step+`]`), false},
		{"trigger", head("resource-subscription", `"uri":"x:y","max_wait_seconds":1,"trigger_tool":"t","trigger_arguments":{}`), true},
		{"arguments without a trigger", head("resource-subscription", `"uri":"x:y","max_wait_seconds":1,"trigger_arguments":{}`), false},
		{"expect ok", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"ok","equals":{"a":1.5,"b":null},"equals_paths":{"/a/0":"x"},"required_result_paths":["","/a~1b"]}`), true},
		{"expect ok with a code", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"ok","error_code":1}`), false},
		{"expect an error", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"error","error_code":"E1"}`), true},
		{"expect an error with fields", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"error","required_result_fields":[]}`), false},
		{"a fraction as a code", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"error","error_code":1.5}`), false},
		{"an object as a scalar", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"ok","equals":{"a":{}}}`), false},
		{"no pointer", head("instruction-fidelity", `"tool":"x","arguments":{},"expect":{"outcome":"ok","equals_paths":{"a":1}}`), false},
		{"a sandbox of no name", strings.Replace(head("pagination", `"max_pages":5`), `"tmp"`, `"t p"`, 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Parse([]byte(tt.text))
			if got := accepts(s, []byte(tt.text)); got != tt.want || got != (err == nil) {
				t.Errorf("schema says %v, parser %v, want %v", got, err, tt.want)
			}
		})
	}
}

const step = `{"tool":"x","arguments":{},"expect":{"outcome":"ok"}}`

func TestFinding(t *testing.T) {
	s := schemaOf(t, "finding")
	good := `{"findings":[{"id":"finding-0123456789abcdef","server":"demo","tool":"search","class":"hung-call","severity":"low","state":"open",` +
		`"score":0.5,"failures":2,"calls":9,"rate":0.2222,"sessions":2,"codes":["unanswered"],"code":"unanswered","retryable":null,"template_id":"unanswered",` +
		`"cost":1,"blast":1,"repro":{"q":"str8"},"first_seen":"2026-11-29T10:00:00.000Z","last_seen":"2026-11-30T10:00:00.000Z","consecutive_passes":0,` +
		`"regressed_by":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","hint":"h","evidence":["0191e7a2-aaaa-7bbb-8ccc-0123456789ab",null],"later":1}]}`
	if !accepts(s, []byte(good)) || !accepts(s, []byte(`{"findings":[]}`)) {
		t.Error("a good document is refused")
	}
	for name, edit := range map[string][2]string{
		"a list":        {good, `[]`},
		"no id":         {`"id":"finding-0123456789abcdef",`, ``},
		"unknown class": {`hung-call`, `slow-call`},
		"unknown state": {`"open"`, `"new"`},
		"one session":   {`"sessions":2`, `"sessions":1`},
		"raw text":      {`"template_id":"unanswered"`, `"template_id":"no such file"`},
		"no rate":       {`"rate":0.2222,`, ``},
		"raw evidence":  {`null]`, `"x"]`},
		"another time":  {`.000Z`, `Z`},
		"text beside":   {`{"findings"`, `{"note":"x","findings"`},
	} {
		if bad := strings.Replace(good, edit[0], edit[1], 1); bad == good || accepts(s, []byte(bad)) {
			t.Errorf("%s is accepted", name)
		}
	}
}
