package rawjson_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

func parse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return v
}

func TestParse(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	const ok = -1
	for _, test := range []struct {
		name, in string
		bad      int // offset, or ok
	}{
		{"empty", "", 0},
		{"white space only", " \t\r\n", 4},
		{"surrounded", " \t\r\n1 \t\r\n", ok},
		{"form feed is no white space", "\f1", 0},
		{"byte order mark", "\ufeff1", 0},
		{"two values", "1 2", 2},
		{"true", "true", ok},
		{"cut word", "tru", 3},
		{"wrong word", "trUe", 2},
		{"word with tail", "truex", 4},
		{"upper case", "NULL", 0},
		{"NaN", "NaN", 0},
		{"zero", "0", ok},
		{"minus zero", "-0", ok},
		{"leading zero", "01", 1},
		{"minus alone", "-", 1},
		{"plus", "+1", 0},
		{"fraction without digits", "1.", 2},
		{"no integer part", ".5", 0},
		{"exponents", "[1e5,1E+5,1e-5,0.0e00]", ok},
		{"exponent without digits", "1e", 2},
		{"exponent sign only", "1e+", 3},
		{"hexadecimal", "0x1", 1},
		{"every escape", `"\"\\\/\b\f\n\r\t\u00aF"`, ok},
		{"unknown escape", `"\x"`, 2},
		{"short unicode escape", `"\u12"`, 5},
		{"cut escape", `"\`, 2},
		{"cut unicode escape", `"\u1`, 4},
		{"lone surrogates", `["\ud800","\udc00","\ud800\ud800"]`, ok},
		{"raw newline in a string", "\"a\nb\"", 2},
		{"nul in a string", "\"12345678\x00\"", 9},
		{"delete is allowed", "\"\x7f\"", ok},
		{"unclosed string", `"abc`, 4},
		{"two, three and four byte characters", `"é€😀"`, ok},
		{"latin 1", "\"Messger\xe4t\"", 8},
		{"cut character", "\"\xe2\x82\"", 1},
		{"overlong", "\"\xc0\xaf\"", 1},
		{"encoded surrogate", "\"\xed\xa0\x80\"", 1},
		{"past the last plane", "\"\xf4\x90\x80\x80\"", 1},
		{"invalid UTF-8 outside a string", "\xff", 0},
		{"empty containers", "[{},[], { } , [ ] ]", ok},
		{"object", `{"a":1, "b" : [true,null] ,"c":{"d":"e"}}`, ok},
		{"trailing comma in array", "[1,]", 3},
		{"trailing comma in object", `{"a":1,}`, 7},
		{"leading comma", "[,1]", 1},
		{"missing comma", "[1 2]", 3},
		{"missing colon", `{"a" 1}`, 5},
		{"missing value", `{"a":}`, 5},
		{"bare key", `{a:1}`, 1},
		{"single quotes", `{'a':1}`, 1},
		{"mismatched brackets", `[1}`, 2},
		{"mismatched braces", `{"a":1]`, 6},
		{"unclosed array", `[1`, 2},
		{"unclosed object", `{"a":1`, 6},
		{"closing first", `]`, 0},
		{"comment", `[1/*x*/]`, 2},
		{"deepest", deep(rawjson.MaxDepth), ok},
		{"too deep", deep(rawjson.MaxDepth + 1), rawjson.MaxDepth},
		{"far too deep", strings.Repeat("[", 5_000_000), rawjson.MaxDepth},
		{"mixed nesting past a word", strings.Repeat(`[{"a":`, 200) + "1" + strings.Repeat("}]", 200), ok},
		{"mixed nesting closed wrongly", strings.Repeat(`[{"a":`, 200) + "1" + strings.Repeat("]}", 200), 1201},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := []byte(test.in)
			got, err := rawjson.Parse(in)
			bad := ok
			if err != nil {
				var syntax *rawjson.SyntaxError
				if !errors.As(err, &syntax) {
					t.Fatalf("error is a %T", err)
				}
				bad = syntax.Offset
			}
			if bad != test.bad {
				t.Errorf("bad at %d, want %d", bad, test.bad)
			}
			if rawjson.Valid(in) != (test.bad == ok) {
				t.Errorf("Valid disagrees with Parse")
			}
			want := ""
			if test.bad == ok {
				want = strings.Trim(test.in, " \t\r\n")
			}
			if string(got.Raw()) != want {
				t.Errorf("value is %d bytes, want %d", len(got.Raw()), len(want))
			}
		})
	}
}

func TestSyntaxErrorTextHoldsNoInput(t *testing.T) {
	_, err := rawjson.Parse([]byte(`{"token":"canary" canary}`))
	if err == nil || err.Error() != "invalid JSON at byte 18" {
		t.Errorf("got %v", err)
	}
}

func TestKinds(t *testing.T) {
	for in, want := range map[string]rawjson.Kind{
		"null": rawjson.Null, "true": rawjson.Bool, "false": rawjson.Bool, "-1": rawjson.Number,
		"0": rawjson.Number, `""`: rawjson.String, "[]": rawjson.Array, "{}": rawjson.Object,
	} {
		if got := parse(t, in).Kind(); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
	var absent rawjson.Value
	if absent.Kind() != rawjson.Invalid || !absent.IsZero() {
		t.Error("the zero Value is not absent")
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		in, want string
		ok       bool
	}{
		{`""`, "", true},
		{`"plain"`, "plain", true},
		{`"<>&` + "\u2028" + `"`, "<>&\u2028", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"a\u00e9b\u20AC"`, "aéb€", true},
		{`"\ud83d\ude00!"`, "😀!", true},
		{`"\ud83d"`, "\ufffd", true},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", true},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀", true},
		{`"\ud83dx"`, "\ufffdx", true},
		{`"\ud83d\n"`, "\ufffd\n", true},
		{`"\u0000"`, "\x00", true},
		{`1`, "", false},
		{`["a"]`, "", false},
	} {
		v := parse(t, test.in)
		got, ok := v.Text()
		if got != test.want || ok != test.ok {
			t.Errorf("%s: got %q %v, want %q %v", test.in, got, ok, test.want, test.ok)
		}
		if got := string(v.AppendText([]byte("x"))); got != "x"+test.want {
			t.Errorf("%s: AppendText gave %q", test.in, got)
		}
	}
}

func TestBool(t *testing.T) {
	for in, want := range map[string][2]bool{
		"true": {true, true}, "false": {false, true}, `"true"`: {}, "1": {}, "null": {},
	} {
		v, ok := parse(t, in).Bool()
		if got := [2]bool{v, ok}; got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
}

func TestInt(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"-0", 0, true},
		{"-0.000e5", 0, true},
		{"0e99999999999999", 0, true},
		{"1", 1, true},
		{"1.0", 1, true},
		{"1e3", 1000, true},
		{"1E+3", 1000, true},
		{"-1200e-2", -12, true},
		{"0.0012e4", 12, true},
		{"120.50e1", 1205, true},
		{"1.5", 0, false},
		{"1e-1", 0, false},
		{"9007199254740993", 9007199254740993, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775808", 0, false},
		{"-9223372036854775808", math.MinInt64, true},
		{"-9223372036854775809", 0, false},
		{"9.223372036854775807e18", math.MaxInt64, true},
		{"9999999999999999999", 0, false},
		{"18446744073709551617", 0, false},
		{"1e19", 0, false},
		{"1e999999999999999", 0, false},
		{"1e99999999999999999999999", 0, false},
		{"-32601", -32601, true},
		{`"1"`, 0, false},
		{"true", 0, false},
		{"null", 0, false},
	} {
		got, ok := parse(t, test.in).Int()
		if got != test.want || ok != test.ok {
			t.Errorf("%s: got %d %v, want %d %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

func TestAppendNumberEqualNumbersHaveOneForm(t *testing.T) {
	classes := [][]string{
		{"0", "-0", "0.0", "0e5", "-0.00E-7", "0e99999999999999999999"[:10]},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1E+00", "0.0001e4", "100e-2"},
		{"-1", "-1.0", "-10e-1"},
		{"10", "1e1", "1.0e+1", "100e-1"},
		{"0.5", "5e-1", "0.50", "50e-2"},
		{"1.5", "15e-1"},
		{"9007199254740992"},
		{"9007199254740993", "9007199254740993.0", "90071992547409930e-1"},
		{"1e400", "10e399"},
		{"1e-400"},
		{"1e99999999999999999999"},
		{"1e99999999999999999998"},
	}
	seen := map[string]int{}
	for i, class := range classes {
		for _, in := range class {
			form := string(parse(t, in).AppendNumber(nil))
			if j, ok := seen[form]; ok && j != i {
				t.Errorf("%s has the form of %v", in, classes[j])
			} else if !ok && in != class[0] {
				t.Errorf("%s has another form than %s", in, class[0])
			}
			seen[form] = i
		}
	}
	if got := parse(t, `"1"`).AppendNumber(nil); len(got) != 0 {
		t.Errorf("a string has the number form %q", got)
	}
}

func TestMembers(t *testing.T) {
	type member struct{ Key, Value string }
	for _, test := range []struct {
		name, in string
		want     []member
	}{
		{"empty", "{ }", nil},
		{"all kinds", ` { "a" : 1.5e3 , "b":"x,}\"]", "c":[1,{"d":"]"}],"e":{"f":{}} , "g":true,"h":null } `, []member{
			{"a", "1.5e3"}, {"b", `"x,}\"]"`}, {"c", `[1,{"d":"]"}]`}, {"e", `{"f":{}}`}, {"g", "true"}, {"h", "null"},
		}},
		{"repeats stay", `{"a":1,"\u0061":2,"a":3}`, []member{{"a", "1"}, {"a", "2"}, {"a", "3"}}},
		{"backslashes before the end", `{"a\\":"b\\\\","c":"\\\""}`, []member{{`a\`, `"b\\\\"`}, {"c", `"\\\""`}}},
		{"array", `["a"]`, nil},
		{"string", `"{}"`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.in)
			var got []member
			for k, value := range v.Members() {
				got = append(got, member{k.Text(), string(value.Raw())})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			if v.Kind() == rawjson.Object && v.Len() != len(test.want) {
				t.Errorf("Len is %d", v.Len())
			}
		})
	}
}

func TestElements(t *testing.T) {
	v := parse(t, ` [ 1 , "a,b" ,[],[[2]], {"k":[3]} ,false ] `)
	var got []string
	for e := range v.Elements() {
		got = append(got, string(e.Raw()))
	}
	want := []string{"1", `"a,b"`, "[]", "[[2]]", `{"k":[3]}`, "false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if v.Len() != 6 || parse(t, "[]").Len() != 0 || parse(t, "12").Len() != 0 {
		t.Error("Len is wrong")
	}
	for range v.Elements() {
		break
	}
	for range parse(t, `{"a":1,"b":2}`).Members() {
		break
	}
}

func TestGet(t *testing.T) {
	v := parse(t, `{"name":"greet","Name":"other","na\u006de":"last","x":null}`)
	for _, test := range []struct {
		key, want string
		ok        bool
	}{
		{"name", `"last"`, true},
		{"Name", `"other"`, true},
		{"NAME", "", false},
		{"x", "null", true},
	} {
		got, ok := v.Get(test.key)
		if string(got.Raw()) != test.want || ok != test.ok {
			t.Errorf("%s: got %s %v", test.key, got.Raw(), ok)
		}
	}
	if _, ok := parse(t, "[1]").Get("a"); ok {
		t.Error("an array has members")
	}
}

func TestKeyIsAndFolds(t *testing.T) {
	for _, test := range []struct {
		key, text string
		is, folds bool
	}{
		{`"method"`, "method", true, true},
		{`"m\u0065thod"`, "method", true, true},
		{`"Method"`, "method", false, true},
		{`"METHOD"`, "method", false, true},
		{`"\u004dethod"`, "method", false, true},
		{`"methods"`, "method", false, false},
		{`"metho"`, "method", false, false},
		{`"metho\u0064s"`, "method", false, false},
		{`"\u006det"`, "method", false, false},
		{`"paramſ"`, "params", false, true},
		{`"param\u017f"`, "params", false, true},
		{`"toKen"`, "token", false, true},
		{`"token"`, "Token", false, true},
		{`"to` + "\u212a" + `en"`, "token", false, true},
		{`"to\u212aen"`, "token", false, true},
		{`"é\u00e9"`, "éé", true, false},
		{`"\ud83d\ude00"`, "😀", true, false},
		{`""`, "", true, true},
		{`"a"`, "", false, false},
		{`""`, "a", false, false},
		{`"_meta"`, "\u007fmeta", false, false},
	} {
		for key := range parse(t, "{"+test.key+":0}").Members() {
			if key.Is(test.text) != test.is || key.Folds(test.text) != test.folds {
				t.Errorf("%s, %q: Is %v, Folds %v", test.key, test.text, key.Is(test.text), key.Folds(test.text))
			}
			if test.is && key.Text() != test.text {
				t.Errorf("%s: Text is %q", test.key, key.Text())
			}
			if string(key.Raw()) != test.key {
				t.Errorf("Raw is %s", key.Raw())
			}
		}
	}
}
