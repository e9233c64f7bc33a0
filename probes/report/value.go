package report

import "strconv"

// Verdict is a case's pass state. The zero value, null in JSON, is that of a case
// that did not apply or was not run.
type Verdict uint8

// The verdicts.
const (
	Unjudged Verdict = iota
	Pass
	Fail
)

// MarshalJSON writes true, false or null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	switch v {
	case Pass:
		return []byte("true"), nil
	case Fail:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}

// Value is an integer or a boolean. The zero value is neither and is null in
// JSON.
type Value struct {
	kind uint8
	n    int64
}

const (
	integer uint8 = iota + 1
	boolean
)

// Int is an integer value.
func Int(n int64) Value { return Value{integer, n} }

// Bool is a boolean value.
func Bool(b bool) Value {
	if b {
		return Value{boolean, 1}
	}
	return Value{boolean, 0}
}

// IsZero reports whether v is neither an integer nor a boolean.
func (v Value) IsZero() bool { return v.kind == 0 }

// Int is the integer; ok is false when v is none.
func (v Value) Int() (n int64, ok bool) { return v.n, v.kind == integer }

// Bool is the boolean; ok is false when v is none.
func (v Value) Bool() (b, ok bool) { return v.n != 0, v.kind == boolean }

func (v Value) String() string {
	switch v.kind {
	case integer:
		return decimal(v.n)
	case boolean:
		return strconv.FormatBool(v.n != 0)
	}
	return "null"
}

// MarshalJSON writes the integer exactly, true, false or null.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v.String()), nil }

// Score is a number of points in hundredths, 0 to 10000.
type Score int64

// String is the score in points, without trailing zeros: 87.5.
func (s Score) String() string {
	whole, part := decimal(int64(s)/100), int64(s)%100
	switch {
	case part == 0:
		return whole
	case part%10 == 0:
		return whole + "." + decimal(part/10)
	case part < 10:
		return whole + ".0" + decimal(part)
	}
	return whole + "." + decimal(part)
}

// MarshalJSON writes the points as an exact decimal number.
func (s Score) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

const maxScore Score = 10000

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// grouped is n with a comma before every three digits.
func grouped(n int64) string {
	s := decimal(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
