package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// digestOf digests a value in its canonical form; "" for nil.
func digestOf(v any) Digest {
	if v == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(canonical(v)))
	return Digest(hex.EncodeToString(sum[:16]))
}

// canonical writes a value with its members in order and its numbers by what
// they are worth.
func canonical(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, quote(key)+":"+canonical(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, canonical(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case set:
		var parts []string
		for _, item := range v {
			parts = append(parts, canonical(item))
		}
		slices.Sort(parts)
		return "<" + strings.Join(parts, ",") + ">"
	case json.Number:
		return number(v.String())
	case string:
		return quote(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return "null"
}

// set is a list whose order says nothing.
type set []any

// maxNumber is the longest number, as it is written, that is worth computing.
const maxNumber = 40

// number writes 1, 1.0 and 1e0 alike.
func number(text string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(mantissa) > maxNumber || len(exponent) > 3 {
		return text
	}
	if r, ok := new(big.Rat).SetString(text); ok {
		return r.RatString()
	}
	return text
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""` // a string always encodes
	}
	return string(text)
}

// maxName is the longest name that stands as it is.
const maxName = 128

// nameOf is a name as a lock holds it: as it is when it is plain, otherwise its
// digest. Dots and brackets are not plain in a path.
func nameOf(name, plain string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(plain, r))
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, odd) {
		return "sha256:" + string(digestOf(name))
	}
	return name
}
