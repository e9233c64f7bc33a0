package synth

import (
	"bytes"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// sampleText is a text without a format.
const sampleText = "example"

// samples are texts by format. None needs escaping.
var samples = map[string]string{
	"date-time":             "2025-01-01T00:00:00Z",
	"date":                  "2025-01-01",
	"time":                  "00:00:00Z",
	"duration":              "P1D",
	"email":                 "user@example.com",
	"idn-email":             "user@example.com",
	"hostname":              "example.com",
	"idn-hostname":          "example.com",
	"ipv4":                  "192.0.2.1",
	"ipv6":                  "2001:db8::1",
	"uri":                   "https://example.com/",
	"url":                   "https://example.com/",
	"uri-reference":         "https://example.com/",
	"iri":                   "https://example.com/",
	"iri-reference":         "https://example.com/",
	"uri-template":          "https://example.com/{id}",
	"uuid":                  "00000000-0000-4000-8000-000000000000",
	"json-pointer":          "/example",
	"relative-json-pointer": "0",
	"regex":                 ".*",
	"byte":                  "ZXhhbXBsZQ==",
}

// text is a sample of the format, padded and cut to the length that is asked for;
// nil when it would be too long.
func (b *builder) text(layers []rawjson.Value) []byte {
	text := sampleText
	if format, ok := get(layers, "format"); ok {
		name, _ := format.Text()
		if sample, ok := samples[name]; ok {
			text = sample
		}
	}
	if missing := count(layers, "minLength") - utf8.RuneCountInString(text); missing > 0 {
		if missing > maxBytes {
			return nil
		}
		text += strings.Repeat("x", missing)
	}
	if v, ok := get(layers, "maxLength"); ok {
		if n, isInt := v.Int(); isInt && n >= 0 && n < int64(len(text)) {
			text = text[:n]
		}
	}
	if !b.spend(len(text) + 2) {
		return nil
	}
	return []byte(`"` + text + `"`)
}

// number is the least number that the bounds allow, 1 without a lower one; nil
// when the bounds cannot be read.
func number(layers []rawjson.Value, whole bool) []byte {
	low, lowOpen, ok := bound(layers, "minimum", "exclusiveMinimum", 1)
	high, highOpen, ok2 := bound(layers, "maximum", "exclusiveMaximum", -1)
	if !ok || !ok2 {
		return nil
	}
	one := big.NewRat(1, 1)
	n := new(big.Rat).Set(one)
	if low != nil {
		n.Set(low)
		switch {
		case whole && !low.IsInt():
			n = ceil(low)
		case lowOpen:
			n.Add(n, one)
		}
	}
	if high != nil {
		if c := n.Cmp(high); c > 0 || c == 0 && highOpen {
			switch {
			case low != nil:
				n.Add(low, high).Mul(n, big.NewRat(1, 2))
			case highOpen:
				n.Sub(high, one)
			default:
				n.Set(high)
			}
			if whole {
				n = ceil(n)
			}
		}
	}
	if v, has := get(layers, "multipleOf"); has {
		step := rat(v)
		if step == nil || step.Sign() <= 0 {
			return nil
		}
		n = ceil(n.Quo(n, step))
		n.Mul(n, step)
	}
	return decimal(n)
}

// bound is the tighter of a bound and its exclusive form, whose sense sign gives;
// nil when there is neither.
func bound(layers []rawjson.Value, inclusive, exclusive string, sign int) (limit *big.Rat, open, ok bool) {
	if v, has := get(layers, inclusive); has {
		if limit = rat(v); limit == nil {
			return nil, false, false
		}
	}
	v, has := get(layers, exclusive)
	if !has {
		return limit, false, true
	}
	if b, isBool := v.Bool(); isBool { // of draft-04
		return limit, b && limit != nil, true
	}
	other := rat(v)
	if other == nil {
		return nil, false, false
	}
	if limit == nil || other.Cmp(limit)*sign >= 0 {
		return other, true, true
	}
	return limit, false, true
}

// rat is a number of the schema, nil when it is none or needs too many digits.
func rat(v rawjson.Value) *big.Rat {
	const most = 30 // digits, and the power of ten
	raw := string(v.Raw())
	if v.Kind() != rawjson.Number || len(raw) > most {
		return nil
	}
	if _, exponent, found := strings.Cut(strings.ToLower(raw), "e"); found && len(strings.TrimLeft(exponent, "+-0")) > 1 {
		return nil
	}
	r, ok := new(big.Rat).SetString(raw)
	if !ok {
		return nil
	}
	return r
}

// ceil is the least whole number that is no less.
func ceil(r *big.Rat) *big.Rat {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetInt(q)
}

// decimal writes a number out, nil when it has no end.
func decimal(r *big.Rat) []byte {
	const digits = 80 // behind the point, more than two bounds and a step give
	text := r.FloatString(digits)
	back, ok := new(big.Rat).SetString(text)
	if !ok || back.Cmp(r) != 0 {
		return nil
	}
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	return []byte(text)
}

// array is minItems copies of what the items are.
func (b *builder) array(layers []rawjson.Value, depth int) ([]byte, bool) {
	out := []byte{'['}
	for i := range count(layers, "minItems") {
		if !b.step(layers[0], depth) {
			return b.stop("minItems")
		}
		item, ok := b.value(itemSchemas(layers, i), depth+1)
		if !ok {
			return nil, false
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']'), b.spend(2)
}

// itemSchemas are the schemas of an element, one that allows anything when there
// are none.
func itemSchemas(layers []rawjson.Value, i int) []rawjson.Value {
	var list []rawjson.Value
	for _, s := range layers {
		items, _ := s.Get("items")
		prefix, _ := s.Get("prefixItems")
		rest := items
		if items.Kind() == rawjson.Array { // before 2020-12
			prefix = items
			rest, _ = s.Get("additionalItems")
		}
		if i < prefix.Len() {
			n := 0
			for e := range prefix.Elements() {
				if n == i {
					list = append(list, e)
				}
				n++
			}
		} else if !rest.IsZero() {
			list = append(list, rest)
		}
	}
	if list == nil {
		list = append(list, anything())
	}
	return list
}

func anything() rawjson.Value { return rawjson.Trusted([]byte("true")) }

// object is an object of what is required, in the order it is required in.
func (b *builder) object(layers []rawjson.Value, depth int) ([]byte, bool) {
	var out bytes.Buffer
	out.WriteByte('{')
	seen := make(map[string]bool)
	for _, s := range layers {
		required, _ := s.Get("required")
		for name := range required.Elements() {
			text, ok := name.Text()
			if !ok {
				return b.stop("required")
			}
			if seen[text] {
				continue
			}
			seen[text] = true
			schemas := propertySchemas(layers, text)
			if schemas == nil || !b.step(s, depth) {
				return b.stop("required")
			}
			value, ok := b.value(schemas, depth+1)
			if !ok || !b.spend(len(name.Raw())+2) {
				return nil, false
			}
			if out.Len() > 1 {
				out.WriteByte(',')
			}
			out.Write(name.Raw())
			out.WriteByte(':')
			out.Write(value)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), b.spend(2)
}

// propertySchemas are the schemas that declare a property; nil when none does.
func propertySchemas(layers []rawjson.Value, name string) []rawjson.Value {
	var list []rawjson.Value
	for _, s := range layers {
		properties, _ := s.Get("properties")
		if p, ok := properties.Get(name); ok {
			list = append(list, p)
		}
	}
	if list != nil {
		return list
	}
	for _, s := range layers {
		if other, _ := s.Get("additionalProperties"); other.Kind() == rawjson.Object {
			list = append(list, other)
		}
	}
	return list
}
