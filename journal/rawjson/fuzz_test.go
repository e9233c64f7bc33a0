package rawjson_test

import (
	"bytes"
	"encoding/json" // the oracle
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

func addSeeds(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, `-0.5e+10`, `"\ud83d\ude00\ud800 é"`, "\"\xe4\"",
		`{"a":[1,true,{"b":"c\\\""}],"a":null,"A":{}}`, `[[[[]]],{},""]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		`{"a":1,}`, `[1}`, `{"a"`, `"\u12`, strings.Repeat("[{\"a\":", 70), "\ufeff{}",
	} {
		f.Add([]byte(seed))
	}
}

func FuzzValid(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		want := json.Valid(in) && utf8.Valid(in)
		if got := rawjson.Valid(in); got != want {
			t.Fatalf("Valid is %v, want %v", got, want)
		}
		v, err := rawjson.Parse(in)
		if (err == nil) != want {
			t.Fatalf("Parse gave %v, want valid %v", err, want)
		}
		if want && !bytes.Equal(v.Raw(), bytes.Trim(in, " \t\r\n")) {
			t.Fatal("the value is not the input without white space")
		}
	})
}

// FuzzWalk puts every valid value together again from its tokens.
func FuzzWalk(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := rawjson.Parse(in)
		if err != nil {
			return
		}
		var got []byte
		var open []byte // '{' or '['; what encloses the next token
		comma := func() {
			if n := len(got); n > 0 && got[n-1] != '{' && got[n-1] != '[' && got[n-1] != ':' {
				got = append(got, ',')
			}
		}
		w := v.Walk()
		for tok := w.Next(); tok.Kind != rawjson.End; tok = w.Next() {
			switch tok.Kind {
			case rawjson.BeginObject, rawjson.BeginArray:
				comma()
				c := byte('{')
				if tok.Kind == rawjson.BeginArray {
					c = '['
				}
				got = append(got, c)
				open = append(open, c)
			case rawjson.EndObject, rawjson.EndArray:
				got = append(got, open[len(open)-1]+2)
				open = open[:len(open)-1]
			case rawjson.MemberKey:
				comma()
				got = append(append(got, tok.Key.Raw()...), ':')
			case rawjson.Scalar:
				comma()
				got = append(got, tok.Value.Raw()...)
			}
		}
		var want bytes.Buffer
		if err := json.Compact(&want, in); err != nil {
			t.Fatal("the oracle refuses what Parse accepts")
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("walked %q, want %q", got, want.Bytes())
		}
	})
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{``, `a`, `\u0041`, `\ud83d\ude00`, `\ud800`, `\udc00\ud800\n`, `é\\`, `\/`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		in := []byte(`"` + body + `"`)
		v, err := rawjson.Parse(in)
		if err != nil {
			return
		}
		var want string
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatal("the oracle refuses what Parse accepts")
		}
		if got, ok := v.Text(); !ok || got != want {
			t.Fatalf("Text is %q, want %q", got, want)
		}
		key := rawjson.TrustedKey(in)
		if !key.Is(want) || key.Is(want+"x") || want != "" && key.Is(want[1:]) {
			t.Fatalf("Is is wrong for %q", want)
		}
		if got := key.Text(); got != want {
			t.Fatalf("key text is %q, want %q", got, want)
		}
	})
}

// FuzzMembers compares members and elements with the oracle's.
func FuzzMembers(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := rawjson.Parse(in)
		if err != nil {
			return
		}
		switch v.Kind() {
		case rawjson.Object:
			var want map[string]json.RawMessage
			if err := json.Unmarshal(in, &want); err != nil {
				t.Fatal("the oracle refuses what Parse accepts")
			}
			for key, raw := range want {
				got, ok := v.Get(key)
				if !ok || !bytes.Equal(got.Raw(), raw) {
					t.Fatalf("Get %q: %q %v, want %q", key, got.Raw(), ok, raw)
				}
			}
			for key := range v.Members() {
				if _, ok := want[key.Text()]; !ok {
					t.Fatalf("member %q is none", key.Text())
				}
			}
		case rawjson.Array:
			var want []json.RawMessage
			if err := json.Unmarshal(in, &want); err != nil {
				t.Fatal("the oracle refuses what Parse accepts")
			}
			i := 0
			for got := range v.Elements() {
				if i >= len(want) || !bytes.Equal(got.Raw(), want[i]) {
					t.Fatalf("element %d is wrong", i)
				}
				i++
			}
			if i != len(want) {
				t.Fatalf("%d elements, want %d", i, len(want))
			}
		}
	})
}

// FuzzTrusted uses everything on bytes that nobody validated: all of it must
// end, without a panic.
func FuzzTrusted(f *testing.F) {
	addSeeds(f)
	for _, seed := range []string{`"`, `"\`, `{"`, `{"a`, `{"a":`, `{]`, `[,`, `{{`, `]`, `:`, `{"a":}`, `-`, `1e`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		exercise(rawjson.Trusted(in), 3)
		for _, skipAt := range []rawjson.TokenKind{rawjson.End, rawjson.BeginObject, rawjson.MemberKey, rawjson.BeginArray, rawjson.EndArray} {
			w := rawjson.Trusted(in).Walk()
			steps := 0
			for tok := w.Next(); tok.Kind != rawjson.End; tok = w.Next() {
				if steps++; steps > len(in) {
					t.Fatal("more tokens than bytes")
				}
				if tok.Kind == skipAt {
					w.Skip()
				}
			}
			w.Skip()
		}
	})
}

func exercise(v rawjson.Value, depth int) {
	v.Text()
	v.AppendText(nil)
	v.Bool()
	v.Int()
	v.AppendNumber(nil)
	v.Len()
	v.Get("a")
	if depth == 0 {
		return
	}
	for k, m := range v.Members() {
		k.Text()
		k.Is("method")
		k.Folds("method")
		exercise(m, depth-1)
	}
	for e := range v.Elements() {
		exercise(e, depth-1)
	}
}
