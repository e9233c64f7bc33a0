package sanitize_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestCodeOf(t *testing.T) {
	tests := []struct{ in, want string }{
		{`-32602`, `-32602`}, {`1.0`, `1`}, {`-0`, `0`}, {`1e2`, `100`}, {`-2147467259`, `"num+"`}, {`1e999`, `"num+"`},
		{`true`, `true`}, {`false`, `false`}, {`null`, `"null"`}, {`{"a":1}`, `"object"`}, {`[1]`, `"array"`},
		{`"ENOENT"`, `"ENOENT"`}, {`"rate_limit.exceeded-x"`, `"rate_limit.exceeded-x"`}, {`"\u0045NOENT"`, `"ENOENT"`},
		{`"tool-error"`, `"tool-error"`}, {`""`, `"str8"`}, {`"42P01"`, `"str8"`}, {`"no such file"`, `"str32"`}, {`"a:b"`, `"str8"`},
		{`"ghp_0123456789abcdef"`, `"str32"`}, {`"str4096+"`, `"str8"`}, {`"num+"`, `"str8"`},
		{`"` + strings.Repeat("a", 64) + `"`, `"` + strings.Repeat("a", 64) + `"`}, {`"` + strings.Repeat("a", 65) + `"`, `"str128"`},
		{`"` + strings.Repeat("a b", 2000) + `"`, `"str4096+"`},
	}
	for _, tt := range tests {
		got := sanitize.CodeOf(parse(t, tt.in))
		if got.Token() != tt.want {
			t.Errorf("CodeOf(%.40s) = %s, want %s", tt.in, got.Token(), tt.want)
		}
		if _, ok := sanitize.ParseCode([]byte(got.Token())); !ok {
			t.Errorf("ParseCode refuses %s", got.Token())
		}
		if again := sanitize.CodeFromLegacy(parse(t, got.Token())); again != got {
			t.Errorf("stored %s read as %s", got.Token(), again.Token())
		}
	}
	if !sanitize.CodeOf(rawjson.Value{}).IsZero() || !sanitize.CodeFromLegacy(rawjson.Value{}).IsZero() {
		t.Error("no value has a code")
	}
	for status, want := range map[int]string{502: "http-502", 200: "http-200", -1: "http-0", 1 << 40: "http-999"} {
		if got := sanitize.HTTPCode(status).String(); got != want {
			t.Errorf("HTTPCode(%d) = %s, want %s", status, got, want)
		}
	}
}

func TestLayerAndBucketOf(t *testing.T) {
	tests := []struct{ in, layer, bucket string }{
		{`"transport"`, "transport", "str32"}, {`"tool"`, "tool", "str8"}, {`"\u0074ool"`, "tool", "str8"}, {`"protocol"`, "protocol", "str8"},
		{`"Tool"`, "str8", "str8"}, {`"quarterly_merger_7"`, "str32", "str32"}, {`1`, "num", "num"}, {`null`, "null", "null"},
		{`true`, "bool", "bool"}, {`{}`, "object", "object"}, {`[]`, "array", "array"}, {`"str32"`, "str8", "str8"},
	}
	for _, tt := range tests {
		v := parse(t, tt.in)
		if got := sanitize.LayerOf(v).String(); got != tt.layer {
			t.Errorf("LayerOf(%s) = %s, want %s", tt.in, got, tt.layer)
		}
		if got := sanitize.BucketOf(v).String(); got != tt.bucket {
			t.Errorf("BucketOf(%s) = %s, want %s", tt.in, got, tt.bucket)
		}
		for _, stored := range []string{tt.layer, tt.bucket} {
			if got := sanitize.LayerFromLegacy(parse(t, `"`+stored+`"`)).String(); got != stored {
				t.Errorf("stored layer %s read as %s", stored, got)
			}
		}
		if got := sanitize.BucketFromLegacy(parse(t, `"`+tt.bucket+`"`)).String(); got != tt.bucket {
			t.Errorf("stored bucket %s read as %s", tt.bucket, got)
		}
	}
	if !sanitize.LayerOf(rawjson.Value{}).IsZero() || !sanitize.BucketOf(rawjson.Value{}).IsZero() {
		t.Error("no value has a layer or a bucket")
	}
	if got := sanitize.BucketFromLegacy(parse(t, `"secret"`)).String(); got != "str8" {
		t.Errorf("stored text read as %s", got)
	}
}

func TestToolOf(t *testing.T) {
	tests := []struct {
		in                   string
		undeclared, declared string
	}{
		{"read_file", "read_file", "read_file"},
		{"API-post-page", "API-post-page", "API-post-page"},
		{"ns/tool:v1", "unlisted", "ns/tool:v1"},
		{strings.Repeat("a_", 32), strings.Repeat("a_", 32), strings.Repeat("a_", 32)},
		{strings.Repeat("a_", 33), "unlisted", strings.Repeat("a_", 33)},
		{strings.Repeat("a_", 64), "unlisted", strings.Repeat("a_", 64)},
		{strings.Repeat("a_", 65), "unlisted", "unlisted"},
		{"", "unlisted", "unlisted"}, {"a b", "unlisted", "unlisted"}, {"é", "unlisted", "unlisted"}, {"a\n", "unlisted", "unlisted"},
		{"ghp_0123456789abcdef", "unlisted", "unlisted"},
	}
	for _, tt := range tests {
		if got := sanitize.ToolOf([]byte(tt.in), false).String(); got != tt.undeclared {
			t.Errorf("undeclared %q: %s, want %s", tt.in, got, tt.undeclared)
		}
		if got := sanitize.ToolOf([]byte(tt.in), true).String(); got != tt.declared {
			t.Errorf("declared %q: %s, want %s", tt.in, got, tt.declared)
		}
	}
}

func TestSmallConstructors(t *testing.T) {
	sum := sha256.Sum256([]byte("my session"))
	token := "session:" + hex.EncodeToString(sum[:])
	if got := sanitize.SessionOf("my session").String(); got != token {
		t.Errorf("SessionOf = %s", got)
	}
	if got := sanitize.SessionOf(token).String(); got != token {
		t.Errorf("SessionOf a token = %s", got)
	}
	if got := sanitize.SessionOf(strings.ToUpper(token)).String(); got == strings.ToUpper(token) {
		t.Error("SessionOf keeps what is no token")
	}
	for in, want := range map[string]string{"tools/call": "tools/call", "notifications/tasks": "notifications/tasks", "Tools/call": "unlisted", "x": "unlisted", "": "unlisted"} {
		if got := sanitize.MethodOf([]byte(in)).String(); got != want {
			t.Errorf("MethodOf(%q) = %s", in, got)
		}
	}
	for in, want := range map[string]string{"2025-11-25": "2025-11-25", "draft": "unlisted", "2025-11-25 ": "unlisted", "": "unlisted"} {
		if got := sanitize.RevisionOf([]byte(in)).String(); got != want {
			t.Errorf("RevisionOf(%q) = %s", in, got)
		}
	}
	set, others := sanitize.CapabilitiesOf(parse(t, `{"tools":{},"roots":{"listChanged":true},"tools":{},"x-secret":1,"Tools":{},"t\u0061sks":{}}`))
	if diff := cmp.Diff([]string{"roots", "tasks", "tools"}, set.Names()); diff != "" || others != 3 {
		t.Errorf("CapabilitiesOf: others %d, names (-want +got)\n%s", others, diff)
	}
	if set, others := sanitize.CapabilitiesOf(parse(t, `["tools"]`)); !set.IsZero() || others != 0 {
		t.Error("an array declares capabilities")
	}
}

func TestPeoplesInput(t *testing.T) {
	for in, ok := range map[string]bool{"demo": true, "a.b:c-d_E": true, "": false, "a b": false, "a/b": false, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false} {
		l, err := sanitize.NewLabel(in)
		if (err == nil) != ok || ok && l.String() != in {
			t.Errorf("NewLabel(%.20q): %q, %v", in, l, err)
		}
		if err != nil && in != "" && strings.Contains(err.Error(), `"`) {
			t.Errorf("NewLabel quotes its input: %v", err)
		}
	}
	for in, ok := range map[string]bool{"ok": true, "été 😀": true, "": false, "  ": false, "a\nb": false, "a\tb": false, "a\x1b[0m": false, "\xff": false,
		strings.Repeat("é", 240): true, strings.Repeat("é", 241): false} {
		n, err := sanitize.NewNote(in)
		if (err == nil) != ok || ok && n.String() != in {
			t.Errorf("NewNote(%.20q): %v", in, err)
		}
		if ok {
			if again, ok := sanitize.ParseNote([]byte(in)); !ok || again != n {
				t.Errorf("ParseNote refuses %.20q", in)
			}
		}
	}
}

func TestNothingAliases(t *testing.T) {
	tool, method, revision := []byte("read_file"), []byte("tools/call"), []byte("2025-11-25")
	args := []byte(`{"path":"x","code":"ENOENT"}`)
	v := rawjson.Trusted(args)
	code, _ := v.Get("code")
	values := []fmt.Stringer{sanitize.ToolOf(tool, true), sanitize.MethodOf(method), sanitize.RevisionOf(revision), sanitize.ShapeOf(v, nil), sanitize.CodeOf(code)}
	line := []byte(`{"path":"str8"}`)
	parsed, _ := sanitize.ParseShape(line)
	values = append(values, parsed)
	before := fmt.Sprint(values)
	for _, b := range [][]byte{tool, method, revision, args, line} {
		clear(b)
	}
	if after := fmt.Sprint(values); after != before {
		t.Errorf("values changed with the buffer: %s, were %s", after, before)
	}
}
