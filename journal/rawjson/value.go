package rawjson

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. The zero Value is Invalid.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value as the bytes it was received as, without surrounding
// white space, known to be valid. The zero Value means absent. It aliases the
// bytes it was made from.
type Value struct{ raw []byte }

// Trusted makes a Value of bytes that a validating scanner has already
// accepted as exactly one JSON value.
func Trusted(raw []byte) Value { return Value{raw} }

// Raw is the value's text.
func (v Value) Raw() []byte { return v.raw }

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return len(v.raw) == 0 }

// Kind tells what v is, by its first byte.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return Invalid
	}
	switch v.raw[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}

// Bool is the value of true and false; ok is false for any other value.
func (v Value) Bool() (value, ok bool) {
	switch string(v.raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// Text is the decoded text of a string; ok is false for any other value.
func (v Value) Text() (text string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	body := stringBody(v.raw)
	if plain(body) {
		return string(body), true
	}
	return string(appendDecoded(nil, body)), true
}

// AppendText appends the decoded text of a string to dst. Any other value
// appends nothing.
func (v Value) AppendText(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	return appendDecoded(dst, stringBody(v.raw))
}

// Len counts the members of an object, repeats included, or the elements of an
// array. It is 0 for any other value.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case Object:
		for range v.Members() {
			n++
		}
	case Array:
		for range v.Elements() {
			n++
		}
	}
	return n
}
