package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

func idOf(t *testing.T, text string) wire.ID {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return wire.IDOf(v)
}

func TestIDEquality(t *testing.T) {
	long := strings.Repeat("x", 65)
	classes := [][]string{
		{"1", "1.0", "1e0", "10e-1", "0.1E+1"},
		{`"1"`, `"\u0031"`},
		{`"1.0"`},
		{"0", "-0", "0.0e7"},
		{`"0"`},
		{`""`, ` "" `},
		{"-1"},
		{"1000", "1e3", "1000.0"},
		{"100000000000000000", "1e17"},
		{"1000000000000000000", "1e18"},
		{"1.5", "15e-1"},
		{"9007199254740992"},
		{"9007199254740993", "9007199254740993.000"},
		{"1915883588174806058"},
		{"1" + strings.Repeat("0", 100), "1e100"},
		{strings.Repeat("7", 65), strings.Repeat("7", 65) + ".0"},
		{strings.Repeat("7", 66)},
		{`"` + strings.Repeat("7", 65) + `"`},
		{`"req-abc"`, `"req\u002dabc"`},
		{`"` + long[:64] + `"`},
		{`"` + long + `"`, `"` + strings.Repeat(`\u0078`, 65) + `"`},
		{`"` + long + `x"`},
		{`"` + strings.Repeat(`\u0078`, 64) + `y"`},
		{`"é"`, `"\u00e9"`},
		{`"e"`},
		{`"\u0000"`},
		{`"\u0000\u0000"`},
		{`"\u2028"`},
	}
	byID := map[wire.ID]int{}
	byKey := map[string]int{}
	for i, class := range classes {
		for _, text := range class {
			id := idOf(t, text)
			if id.IsZero() {
				t.Errorf("%.20s has no id", text)
			}
			if got, want := id.IsString(), strings.Contains(text, `"`); got != want {
				t.Errorf("%.20s: IsString is %v", text, got)
			}
			key := string(id.AppendKey(nil))
			if other, ok := byID[id]; ok != (text != class[0]) || ok && other != i {
				t.Errorf("%.20s: id seen %v, in %v", text, ok, classes[other])
			}
			if other, ok := byKey[key]; ok != (text != class[0]) || ok && other != i {
				t.Errorf("%.20s: key seen %v, in %v", text, ok, classes[other])
			}
			byID[id], byKey[key] = i, i
		}
	}
}

func TestIDOfOtherValues(t *testing.T) {
	for _, text := range []string{"null", "true", "{}", "[1]"} {
		if id := idOf(t, text); !id.IsZero() {
			t.Errorf("%s has an id", text)
		}
	}
	if !wire.IDOf(rawjson.Value{}).IsZero() {
		t.Error("an absent value has an id")
	}
}

func TestIDKeysTellTypes(t *testing.T) {
	for text, want := range map[string]string{"1.0": "n:1", `"1.0"`: "s:1.0", "42": "n:42", `"req-abc"`: "s:req-abc"} {
		if got := string(idOf(t, text).AppendKey(nil)); got != want {
			t.Errorf("%s: key %q, want %q", text, got, want)
		}
	}
}

func TestIDDoesNotAllocate(t *testing.T) {
	for _, text := range []string{"12345", `"7f3c1a9e-4a51-4a53-8a2e-0d1f8e0f7c11"`, `"\u0031"`} {
		v := rawjson.Trusted([]byte(text))
		var id wire.ID
		if n := testing.AllocsPerRun(100, func() { id = wire.IDOf(v) }); n != 0 || id.IsZero() {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

func ExampleIDOf() {
	one, _ := rawjson.Parse([]byte("1"))
	alsoOne, _ := rawjson.Parse([]byte("1.0"))
	text, _ := rawjson.Parse([]byte(`"1"`))
	fmt.Println(wire.IDOf(one) == wire.IDOf(alsoOne), wire.IDOf(one) == wire.IDOf(text))
	// Output: true false
}
