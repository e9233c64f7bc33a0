package sanitize_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

const planted = "ghp_cAnArY0123456789cAnArY"

// declaredNames collects every property name and every string of a schema.
func declaredNames(v rawjson.Value, names map[string]bool) {
	var walk rawjson.Walker
	walk.Reset(v)
	for t := walk.Next(); t.Kind != rawjson.End; t = walk.Next() {
		if t.Kind == rawjson.MemberKey {
			names[t.Key.Text()] = true
		}
		if text, ok := t.Value.Text(); ok && t.Kind == rawjson.Scalar {
			names["enum:"+text] = true
		}
	}
}

// FuzzShapeOf: a shape is of the grammar; what is in it and no bucket was
// declared; a planted secret never is in it.
func FuzzShapeOf(f *testing.F) {
	f.Add([]byte(`{"path":"x","opts":{"depth":[1,{"a":null}]}}`), []byte(richSchema))
	f.Add([]byte(`{"a":{"a b":1e5},"a":[[]],"key8":-0}`), []byte(`{}`))
	f.Add([]byte(`[1,"https://x",true]`), []byte(`true`))
	f.Fuzz(func(t *testing.T, args, schema []byte) {
		v, err := rawjson.Parse(args)
		if err != nil {
			return
		}
		s, err := rawjson.Parse(schema)
		if err != nil {
			return
		}
		before := bytes.Clone(args)
		compiled := sanitize.CompileSchema(s)
		names := make(map[string]bool)
		declaredNames(s, names)
		wrapped, err := rawjson.Parse([]byte(`{"` + planted + `":` + string(args) + `,"path":"` + planted + `","more":[{"` + planted + `":"` + planted + `"}]}`))
		if err != nil {
			return // nested too deep for one level more
		}
		for _, in := range []rawjson.Value{v, wrapped} {
			for _, against := range []*sanitize.Schema{compiled, nil} {
				shape := sanitize.ShapeOf(in, against)
				text := shape.String()
				if again, ok := sanitize.ParseShape([]byte(text)); !ok || again != shape {
					t.Fatalf("outside the grammar: %s", text)
				}
				if strings.Contains(text, planted) {
					t.Fatalf("the planted secret survives: %s", text)
				}
				if against != nil {
					checkDeclared(t, text, names)
				}
			}
		}
		if !bytes.Equal(args, before) {
			t.Fatal("the arguments were changed")
		}
	})
}

func checkDeclared(t *testing.T, shape string, names map[string]bool) {
	v, err := rawjson.Parse([]byte(shape))
	if err != nil {
		t.Fatal("a shape is no JSON")
	}
	var walk rawjson.Walker
	walk.Reset(v)
	for token := walk.Next(); token.Kind != rawjson.End; token = walk.Next() {
		key := token.Key.Text()
		structure := strings.HasPrefix(key, "key") || key == "array" || key == "items"
		if token.Kind == rawjson.MemberKey && !structure && !names[key] {
			t.Fatalf("a key that nothing declares: %s", shape)
		}
		if text, ok := token.Value.Text(); ok && strings.HasPrefix(text, "enum:") && !names[text] {
			t.Fatalf("a member that nothing declares: %s", shape)
		}
	}
}

// FuzzParseShape: what is accepted is JSON without escapes, bounded, and stays
// the same when read as stored unless the screen has something against it.
func FuzzParseShape(f *testing.F) {
	for _, s := range []string{`{"a":"str8","key8":{"array":2,"items":"enum:x"},"key8#2":"num:-1.5"}`, `{"array":0,"items":"empty"}`, `{"array":"num:2"}`, `"deep"`, `{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		shape, ok := sanitize.ParseShape(b)
		if !ok {
			return
		}
		v, err := rawjson.Parse(b)
		if err != nil || shape.String() != string(b) || bytes.IndexByte(b, '\\') >= 0 || len(b) > 32<<10 {
			t.Fatalf("accepted: %s", b)
		}
		if got := sanitize.ShapeFromLegacy(v); got != shape && !holdsScreened(v) {
			t.Fatalf("%s became %s", shape, got)
		}
	})
}

func holdsScreened(v rawjson.Value) bool {
	var walk rawjson.Walker
	walk.Reset(v)
	for token := walk.Next(); token.Kind != rawjson.End; token = walk.Next() {
		text, _ := token.Value.Text()
		if sanitize.Screen([]byte(token.Key.Text())) || sanitize.Screen([]byte(strings.TrimPrefix(text, "enum:"))) {
			return true
		}
	}
	return false
}

// FuzzFromLegacy: whatever is stored becomes tokens of the grammar, and those
// stay what they are.
func FuzzFromLegacy(f *testing.F) {
	f.Add([]byte(`{"a":"secret","b":[1,{"c":null}],"array":3}`))
	f.Add([]byte(`{"array":3,"items":"empty","x":"` + planted + `"}`))
	f.Add([]byte(`"str4096+"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := rawjson.Parse(b)
		if err != nil {
			return
		}
		shape := sanitize.ShapeFromLegacy(v)
		if again, ok := sanitize.ParseShape([]byte(shape.String())); !ok || again != shape {
			t.Fatalf("outside the grammar: %s", shape)
		}
		if again := sanitize.ShapeFromLegacy(rawjson.Trusted([]byte(shape.String()))); again != shape {
			t.Fatalf("%s became %s", shape, again)
		}
		if strings.Contains(shape.String(), planted) {
			t.Fatalf("the planted secret survives: %s", shape)
		}
		code := sanitize.CodeFromLegacy(v)
		if _, ok := sanitize.ParseCode([]byte(code.Token())); !ok {
			t.Fatalf("outside the grammar: %s", code.Token())
		}
		if again := sanitize.CodeFromLegacy(rawjson.Trusted([]byte(code.Token()))); again != code {
			t.Fatalf("%s became %s", code.Token(), again.Token())
		}
		if _, ok := sanitize.ParseLayer([]byte(sanitize.LayerFromLegacy(v).String())); !ok {
			t.Fatal("layer outside the grammar")
		}
	})
}

// FuzzSuspicious: a secret planted in a line is found, whatever stands before it
// in the line's own strings.
func FuzzSuspicious(f *testing.F) {
	f.Add([]byte(`{"note":"hello"}`))
	f.Add([]byte(`{"a\\":"\"","b":"x`))
	f.Fuzz(func(t *testing.T, b []byte) {
		sanitize.Suspicious(b)
		v, err := rawjson.Parse(b)
		if err != nil {
			return
		}
		line := []byte(`{"a":` + string(v.Raw()) + `,"note":"by ` + planted + `"}`)
		if _, found := sanitize.Suspicious(line); !found {
			t.Fatal("the planted secret is not found")
		}
	})
}

// FuzzTemplateID: any bytes have a template, and the same one each time.
func FuzzTemplateID(f *testing.F) {
	f.Add([]byte(`open "C:\x": 'it's' http://[::1] 550e8400-e29b-41d4-a716-446655440000 \\h\s ~/ -1,2.3`))
	f.Add([]byte("\xe2\x80\x9c\xff“„«"))
	s := sanitize.New(sanitize.Salt{3})
	f.Fuzz(func(t *testing.T, b []byte) {
		id := s.TemplateID(b)
		if _, ok := sanitize.ParseTemplateID([]byte(id.String())); !ok || s.TemplateID(b) != id {
			t.Fatal("no stable template ID")
		}
	})
}
