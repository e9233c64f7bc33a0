package rawjson_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// tokens spells a walk; skip names the tokens after which Skip is called.
func tokens(v rawjson.Value, skip string) []string {
	var got []string
	for w := v.Walk(); ; {
		t := w.Next()
		var text string
		switch t.Kind {
		case rawjson.End:
			return got
		case rawjson.BeginObject:
			text = "{"
		case rawjson.EndObject:
			text = "}"
		case rawjson.BeginArray:
			text = "["
		case rawjson.EndArray:
			text = "]"
		case rawjson.MemberKey:
			text = t.Key.Text() + ":"
		case rawjson.Scalar:
			text = string(t.Value.Raw())
		}
		got = append(got, text)
		if skip != "" && text == skip {
			w.Skip()
		}
	}
}

func TestWalker(t *testing.T) {
	const sample = ` { "a" : [ 1 , "x]" , { } ] , "b" : { "c" : null , "d": "e" } , "f": true } `
	for _, test := range []struct {
		name, in, skip string
		want           string
	}{
		{"scalar", " 1 ", "", "1"},
		{"empty object", "{}", "", "{ }"},
		{"all", sample, "", `{ a: [ 1 "x]" { } ] b: { c: null d: "e" } f: true }`},
		{"skip a member's array", sample, "a:", `{ a: b: { c: null d: "e" } f: true }`},
		{"skip a member's object", sample, "b:", `{ a: [ 1 "x]" { } ] b: f: true }`},
		{"skip a member's scalar", sample, "c:", `{ a: [ 1 "x]" { } ] b: { c: d: "e" } f: true }`},
		{"skip an array", sample, "[", `{ a: [ b: { c: null d: "e" } f: true }`},
		{"skip everything", sample, "{", `{`},
		{"skip after a scalar", sample, "1", `{ a: [ 1 "x]" { } ] b: { c: null d: "e" } f: true }`},
		{"skip after an end", sample, "]", `{ a: [ 1 "x]" { } ] b: { c: null d: "e" } f: true }`},
		{"skip an element", `[1,{"a":[2]},[3,[4]],5]`, "{", `[ 1 { [ 3 [ 4 ] ] 5 ]`},
		{"strings as elements are no keys", `{"a":["b","c"],"d":"e"}`, "", `{ a: [ "b" "c" ] d: "e" }`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(tokens(parse(t, test.in), test.skip), " ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWalkerDepthAndReset(t *testing.T) {
	const levels = 300
	v := parse(t, strings.Repeat(`[{"a":`, levels)+"1"+strings.Repeat("}]", levels))
	var w rawjson.Walker
	for range 2 {
		w.Reset(v)
		deepest := 0
		for w.Next().Kind != rawjson.End {
			deepest = max(deepest, w.Depth())
		}
		if deepest != 2*levels || w.Depth() != 0 {
			t.Errorf("deepest %d, at the end %d", deepest, w.Depth())
		}
	}
	if got := w.Next(); got.Kind != rawjson.End {
		t.Errorf("after the end: %v", got.Kind)
	}
}

func TestWalkerDoesNotAllocate(t *testing.T) {
	v := parse(t, `{"a":[1,"x",{"b":null}],"c":{"d":"e"}}`)
	var w rawjson.Walker
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(v)
		for w.Next().Kind != rawjson.End {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
