package sanitize_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestParseShape(t *testing.T) {
	deepest := strings.Repeat(`{"a":`, 32) + `"null"` + strings.Repeat("}", 32)
	wide := func(leaves int) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range leaves {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(`"k` + strings.Repeat("x", i/100) + string(rune('0'+i%100/10)) + string(rune('0'+i%10)) + `":"url"`)
		}
		return b.String() + "}"
	}
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"empty text", ``, false},
		{"empty object", `{}`, true},
		{"leaves", `{"a":"null","b":"bool:true","c":"bool:false","d":"num:-1.5","e":"num+","f":"enum:a/b+c.d:e_f-9","g":"uuid","h":"url","i":"deep"}`, true},
		{"buckets", `{"a":"str8","b":"str32","c":"str128","d":"str512","e":"str4096","f":"str4096+"}`, true},
		{"leaf alone", `"str8"`, true},
		{"unknown bucket", `"str9"`, false},
		{"raw text", `{"a":"hello"}`, false},
		{"null literal", `{"a":null}`, false},
		{"number literal", `{"a":1}`, false},
		{"number alone", `1`, false},
		{"bool literal", `{"a":true}`, false},
		{"array literal", `{"a":["str8"]}`, false},
		{"space", `{"a": "str8"}`, false},
		{"trailing", `{} `, false},
		{"trailing comma", `{"a":"str8",}`, false},
		{"leading comma", `{,"a":"str8"}`, false},
		{"no colon", `{"a""str8"}`, false},
		{"unclosed", `{"a":"str8"`, false},
		{"unclosed string", `{"a":"str8`, false},
		{"escape", `{"a\u0062":"str8"}`, false},
		{"empty key", `{"":"str8"}`, false},
		{"key starts with digit", `{"1a":"str8"}`, false},
		{"key of 64", `{"` + strings.Repeat("a", 64) + `":"str8"}`, true},
		{"key of 65", `{"` + strings.Repeat("a", 65) + `":"str8"}`, false},
		{"repeated key", `{"a":"str8","b":"str8","a":"str8"}`, false},
		{"same key at two depths", `{"a":{"a":"str8"}}`, true},
		{"key buckets", `{"key8":"str8","key8#2":"str8","key32":"str8","key8#3":"str8","key4096+":"str8","key4096+#2":"str8"}`, true},
		{"key bucket repeated", `{"key8":"str8","key8":"str8"}`, false},
		{"key bucket ahead", `{"key8#2":"str8"}`, false},
		{"key bucket skips", `{"key8":"str8","key8#3":"str8"}`, false},
		{"key bucket first with ordinal", `{"key8#1":"str8"}`, false},
		{"key bucket leading zero", `{"key8":"str8","key8#02":"str8"}`, false},
		{"ordinal on a name", `{"name#2":"str8"}`, false},
		{"bucket of no size", `{"key9":"str8"}`, true}, // an ordinary name
		{"array", `{"array":3,"items":"str8"}`, true},
		{"empty array", `{"array":0,"items":"empty"}`, true},
		{"empty array with item", `{"array":0,"items":"str8"}`, false},
		{"array without item", `{"array":2,"items":"empty"}`, false},
		{"array leading zero", `{"array":02,"items":"str8"}`, false},
		{"array negative", `{"array":-1,"items":"str8"}`, false},
		{"array count bound", `{"array":999999999,"items":"str8"}`, true},
		{"array count over", `{"array":1000000000,"items":"str8"}`, false},
		{"array third member", `{"array":2,"items":"str8","x":"str8"}`, false},
		{"array without items", `{"array":2}`, false},
		{"array of arrays", `{"array":2,"items":{"array":1,"items":{}}}`, true},
		{"object with keys array and items", `{"array":"num:2","items":"str8"}`, true},
		{"empty outside array", `{"a":"empty"}`, false},
		{"number exponent", `"num:1e5"`, false},
		{"number minus zero", `"num:-0"`, false},
		{"number zero", `"num:0"`, true},
		{"number leading zero", `"num:01"`, false},
		{"number trailing zero", `"num:1.50"`, false},
		{"number trailing point", `"num:1."`, false},
		{"number leading point", `"num:.5"`, false},
		{"number six digits", `"num:123456"`, true},
		{"number seven digits", `"num:1234567"`, false},
		{"number zeros are not significant", `"num:100000000"`, true},
		{"number seven digits around zeros", `"num:1000001"`, false},
		{"number of 12", `"num:-0.000012345"`, true},
		{"number of 13", `"num:-0.0000123456"`, false},
		{"number with plus", `"num:+1"`, false},
		{"number two points", `"num:1.2.3"`, false},
		{"empty number", `"num:"`, false},
		{"empty enum", `"enum:"`, false},
		{"enum of 64", `"enum:` + strings.Repeat("a", 64) + `"`, true},
		{"enum of 65", `"enum:` + strings.Repeat("a", 65) + `"`, false},
		{"enum with space", `"enum:a b"`, false},
		{"32 deep", deepest, true},
		{"33 deep", `{"a":` + deepest + `}`, false},
		{"500 nodes", wide(499), true},
		{"501 nodes", wide(500), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ok := sanitize.ParseShape([]byte(tt.in))
			if ok != tt.ok {
				t.Fatalf("ParseShape(%s) = %v, want %v", tt.in, ok, tt.ok)
			}
			if ok && s.String() != tt.in || !ok && !s.IsZero() {
				t.Errorf("ParseShape(%s) gives %q", tt.in, s)
			}
		})
	}
}

func TestParseTokens(t *testing.T) {
	parsers := map[string]func([]byte) (string, bool){
		"code":   func(b []byte) (string, bool) { v, ok := sanitize.ParseCode(b); return v.Token(), ok },
		"layer":  func(b []byte) (string, bool) { v, ok := sanitize.ParseLayer(b); return v.String(), ok },
		"bucket": func(b []byte) (string, bool) { v, ok := sanitize.ParseBucket(b); return v.String(), ok },
		"method": func(b []byte) (string, bool) { v, ok := sanitize.ParseMethod(b); return v.String(), ok },
		"note":   func(b []byte) (string, bool) { v, ok := sanitize.ParseNote(b); return v.String(), ok },
		"tool":   func(b []byte) (string, bool) { v, ok := sanitize.ParseTool(b); return v.String(), ok },
		"label":  func(b []byte) (string, bool) { v, ok := sanitize.ParseLabel(b); return v.String(), ok },
		"revision": func(b []byte) (string, bool) {
			v, ok := sanitize.ParseRevision(b)
			return v.String(), ok
		},
		"session": func(b []byte) (string, bool) {
			v, ok := sanitize.ParseSession(b)
			return v.String(), ok
		},
	}
	tests := []struct {
		parser, in string
		ok         bool
	}{
		{"code", `-32602`, true}, {"code", `0`, true}, {"code", `true`, true}, {"code", `false`, true},
		{"code", `"tool-error"`, true}, {"code", `"http-502"`, true}, {"code", `"str4096+"`, true}, {"code", `"num+"`, true},
		{"code", `"null"`, true}, {"code", `"ENOENT"`, true}, {"code", `null`, false}, {"code", `1e3`, false}, {"code", ``, false},
		{"code", `"`, false}, {"code", `""`, false}, {"code", `"a b"`, false}, {"code", `"a"b"`, false}, {"code", `1234567`, false},
		{"code", `tool-error`, false}, {"code", `"42"`, false},
		{"layer", "transport", true}, {"layer", "tool", true}, {"layer", "protocol", true}, {"layer", "str32", true},
		{"layer", "object", true}, {"layer", "network", false}, {"layer", "", false},
		{"bucket", "str8", true}, {"bucket", "num", true}, {"bucket", "transport", false}, {"bucket", "", false},
		{"method", "tools/call", true}, {"method", "tasks/update", true}, {"method", "unlisted", true},
		{"method", "Tools/call", false}, {"method", "tools/secret", false}, {"method", "", false},
		{"note", "ok", true}, {"note", "", false}, {"note", "a\nb", false}, {"note", "a\x7fb", false}, {"note", "a\u0085b", false},
		{"note", "a\xffb", false}, {"note", strings.Repeat("é", 240), true}, {"note", strings.Repeat("é", 241), false},
		{"note", strings.Repeat("😀", 240), true}, {"note", "a\u2028b", true},
		{"tool", "a/b:c.d-e_F9", true}, {"tool", "a b", false}, {"tool", "", false},
		{"label", "a.b:c-d_E", true}, {"label", "a/b", false},
		{"revision", "2026-07-28", true}, {"revision", "unlisted", true}, {"revision", "2026-7-28", false},
		{"session", "session:" + strings.Repeat("0a", 32), true}, {"session", "session:" + strings.Repeat("0A", 32), false},
		{"session", "mine", false},
	}
	for _, tt := range tests {
		got, ok := parsers[tt.parser]([]byte(tt.in))
		want := ""
		if tt.ok {
			want = tt.in
		}
		if ok != tt.ok || got != want {
			t.Errorf("%s %q: got %q, %v; want %q, %v", tt.parser, tt.in, got, ok, want, tt.ok)
		}
	}
}

func TestCapabilitiesReadBackInOrder(t *testing.T) {
	var all sanitize.Capabilities
	for _, s := range []string{"completions", "elicitation", "experimental", "extensions", "logging", "prompts", "resources", "roots", "sampling", "tasks", "tools"} {
		if !all.AddName([]byte(s)) {
			t.Fatalf("AddName refuses %q", s)
		}
	}
	var again sanitize.Capabilities
	for _, s := range all.Names() {
		if !again.AddName([]byte(s)) {
			t.Errorf("AddName refuses %q in the order of Names", s)
		}
	}
	if !cmp.Equal(all, again, cmp.AllowUnexported(sanitize.Capabilities{})) {
		t.Error("the set read back differs")
	}
	for _, s := range []string{"tools", "roots", "nothing", ""} {
		if again.AddName([]byte(s)) {
			t.Errorf("AddName accepts %q behind tools", s)
		}
	}
}

func BenchmarkParseShape(b *testing.B) {
	in := []byte(`{"path":"str128","options":{"recursive":"bool:true","depth":"num:3","format":"enum:json"},"tags":{"array":4,"items":"str32"},"key8":"str8","key8#2":"num+"}`)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := sanitize.ParseShape(in); !ok {
			b.Fatal("refused")
		}
	}
}
