package manifest

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tag is what a field's jsonschema tag demands.
type tag struct {
	kind                 string // type
	enum                 []string
	pattern              *regexp.Regexp
	minimum, maximum     int64
	bounded              bool
	minLength, maxLength int
	minItems, maxItems   int
}

func parseTag(text string) tag {
	var t tag
	if text == "" {
		return t
	}
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, _ := strconv.Atoi(value) // of numbers only; the tags are our own
		switch name {
		case "type":
			t.kind = value
		case "enum":
			t.enum = append(t.enum, value)
		case "pattern":
			t.pattern = regexp.MustCompile(value)
		case "minimum":
			t.minimum, t.bounded = int64(n), true
		case "maximum":
			t.maximum, t.bounded = int64(n), true
		case "minLength":
			t.minLength = n
		case "maxLength":
			t.maxLength = n
		case "minItems":
			t.minItems = n
		case "maxItems":
			t.maxItems = n
		}
	}
	return t
}

// allows reports whether the enum and the pattern allow a text.
func (t tag) allows(s string) bool {
	return (t.enum == nil || slices.Contains(t.enum, s)) && (t.pattern == nil || t.pattern.MatchString(s))
}

// holds reports whether the enum and the bounds allow a number.
func (t tag) holds(n int64) bool {
	if t.enum != nil && !slices.Contains(t.enum, strconv.FormatInt(n, 10)) {
		return false
	}
	return !t.bounded || t.minimum <= n && n <= t.maximum
}

// field is a field of an object that is being read.
type field struct {
	name     string
	optional bool
	tag      tag
	value    reflect.Value
}

type fields []field

func (f fields) get(name string) (field, bool) {
	i := slices.IndexFunc(f, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return f[i], true
}

// fieldsOf lists the fields of a struct in their order, those of embedded
// structs among them.
func fieldsOf(v reflect.Value) fields {
	var list fields
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			list = append(list, fieldsOf(v.Field(i))...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		list = append(list, field{
			name:     name,
			optional: options == "omitempty",
			tag:      parseTag(f.Tag.Get("jsonschema")),
			value:    v.Field(i),
		})
	}
	return list
}

// isID reports whether a text is the id of a case or a sandbox.
func isID(s string) bool {
	if s == "" || len(s) > 64 || !letter(s[0]) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !letter(c) && !('0' <= c && c <= '9') && !strings.ContainsRune("_.:-", rune(c)) {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
