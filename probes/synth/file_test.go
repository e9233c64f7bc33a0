package synth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/synth"
)

func TestParseFile(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"none", `{}`, ""},
		{"two", `{"read_file":{"path":"/srv/data/readme.txt"},"get_record":{"id":"rec-1"}}`, ""},
		{"not JSON", "{\n\"a\":{},\n!}", "arguments file: the file is not JSON in UTF-8 (line 3)"},
		{"no UTF-8", "{\"a\":{\"b\":\"\xff\"}}", "arguments file: the file is not JSON in UTF-8 (line 1)"},
		{"empty", ``, "arguments file: the file is not JSON in UTF-8 (line 1)"},
		{"a list", `[]`, `arguments file: the file must be an object of tools and their arguments, {"tool": {...}}`},
		{"a list of arguments", `{"a":[]}`, "arguments file: a: the arguments must be an object"},
		{"twice", `{"a":{},"b":{},"\u0061":{}}`, "arguments file: a: the tool is given twice"},
		{"a key twice", `{"a":{"x":[{"y":1,"y":2}]}}`, "arguments file: a: the arguments have a key twice, or are nested too deep"},
		{"deep", `{"a":{"x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}}`, "arguments file: a: the arguments have a key twice, or are nested too deep"},
		{"a name that is not shown", `{"a b\u001b[2J":1}`, "arguments file: unlisted: the arguments must be an object"},
		{"too large", `{"a":{"x":"` + strings.Repeat("a", synth.MaxFileBytes) + `"}}`, "arguments file: the file is too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := synth.ParseFile([]byte(tt.in))
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *synth.FileError
			if f != nil || !errors.As(err, &e) {
				t.Fatalf("got %v, %v", f, err)
			}
			if diff := cmp.Diff(tt.want, e.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFile(t *testing.T) {
	catalog := map[string]synth.Listing{
		"read":   {Listed: true, Callable: true, Schema: parse(t, one(`{"type":"string"}`))},
		"write":  {Listed: true},
		"free":   {Listed: true, Callable: true},
		"broken": {Listed: true, Callable: true, Schema: parse(t, one(`{"$ref":"#/nowhere"}`))},
		"odd":    {Listed: true, Callable: true, Schema: parse(t, one(`{"pattern":"^(?=a)"}`))},
	}
	tests := []struct{ name, in, want string }{
		{"good", `{"read":{"x":"/srv"},"free":{"anything":1}}`, ""},
		{"a pattern that is not evaluated decides nothing", `{"odd":{"x":"b"}}`, ""},
		{"unknown", `{"read":{"x":"a"},"nothing":{}}`, "arguments file: nothing: the server lists no such tool"},
		{"a writer", `{"write":{}}`, "arguments file: write: the tool may not be called: it is annotated as a writer, or needs --confirm-read-only"},
		{"missing", `{"read":{}}`, "arguments file: read: the arguments break the tool's input schema (required)"},
		{"of another type", `{"read":{"x":"a","y":1},"broken":{"x":1}}`, "arguments file: broken: the tool's input schema cannot be used, so that no arguments can satisfy it"},
		{"of the wrong type", `{"read":{"x":5}}`, "arguments file: read: the arguments break the tool's input schema (type)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := synth.ParseFile([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := f.Check(func(tool string) synth.Listing { return catalog[tool] }); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	f, err := synth.ParseFile([]byte(`{"read":{"x": 1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := f.For("read"); !ok || string(v.Raw()) != `{"x": 1.0}` {
		t.Errorf("entry %s %v", v.Raw(), ok)
	}
	if _, ok := f.For("other"); ok {
		t.Error("an entry of nothing")
	}
	var none *synth.File
	if _, ok := none.For("read"); ok || none.Check(nil) != nil {
		t.Error("a nil file has entries")
	}
}

// No error quotes a value of the file.
func FuzzParseFile(f *testing.F) {
	f.Add([]byte(`{"a":{"x":"CANARY"}}`))
	f.Add([]byte(`{"a":"CANARY"}`))
	f.Add([]byte(`{"a":{"x":1,"x":"CANARY"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := synth.ParseFile(text)
		if err == nil {
			return
		}
		if strings.Contains(err.Error(), "CANARY") && !strings.Contains(string(text), `CANARY":`) && strings.Contains(string(text), `"CANARY"`) {
			t.Fatalf("the error quotes a value: %v", err)
		}
	})
}
