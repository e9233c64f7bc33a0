package rawjson

import (
	"bytes"
	"math"
	"strconv"
)

// maxExponentDigits bounds the exponents that decimal understands, so that its
// sums cannot overflow. No number that fits anything has a longer one.
const maxExponentDigits = 15

// decimal is a number as sign, digits and power of ten. The digits are lead
// followed by tail, with neither leading nor trailing zeros; zero has none.
type decimal struct {
	negative   bool
	lead, tail []byte
	exponent   int64
}

// parseDecimal takes a JSON number apart. It reports false for anything else
// and for exponents of more than maxExponentDigits digits.
func parseDecimal(raw []byte) (d decimal, ok bool) {
	if end, ok := checkNumber(raw, 0); !ok || end != len(raw) {
		return decimal{}, false
	}
	if raw[0] == '-' {
		d.negative = true
		raw = raw[1:]
	}
	end := skipDigits(raw, 0)
	d.lead, raw = raw[:end], raw[end:]
	if len(raw) > 0 && raw[0] == '.' {
		end = skipDigits(raw, 1)
		d.tail, raw = raw[1:end], raw[end:]
	}
	if len(raw) > 0 {
		negative := raw[1] == '-'
		digits := bytes.TrimLeft(raw[1:], "+-0")
		if len(digits) > maxExponentDigits {
			return decimal{}, false
		}
		for _, c := range digits {
			d.exponent = d.exponent*10 + int64(c-'0')
		}
		if negative {
			d.exponent = -d.exponent
		}
	}

	d.exponent -= int64(len(d.tail))
	d.lead = bytes.TrimLeft(d.lead, "0")
	if len(d.lead) == 0 {
		d.tail = bytes.TrimLeft(d.tail, "0")
	}
	cut := bytes.TrimRight(d.tail, "0")
	d.exponent += int64(len(d.tail) - len(cut))
	d.tail = cut
	if len(d.tail) == 0 {
		cut = bytes.TrimRight(d.lead, "0")
		d.exponent += int64(len(d.lead) - len(cut))
		d.lead = cut
	}
	if len(d.lead)+len(d.tail) == 0 {
		return decimal{}, true
	}
	return d, true
}

// Int is the value of a number that is an integer, whatever its form (1, 1.0
// and 10e-1 are the same); ok is false for fractions, for integers outside
// int64, and for values that are no numbers.
func (v Value) Int() (n int64, ok bool) {
	d, ok := parseDecimal(v.raw)
	if !ok || d.exponent < 0 {
		return 0, false
	}
	const maxDigits = 19 // of the largest int64
	if int64(len(d.lead)+len(d.tail))+d.exponent > maxDigits {
		return 0, false
	}
	// Nineteen digits always fit a uint64.
	var u uint64
	for _, digits := range [...][]byte{d.lead, d.tail} {
		for _, c := range digits {
			u = u*10 + uint64(c-'0')
		}
	}
	for range d.exponent {
		u *= 10
	}
	switch {
	case d.negative && u <= -math.MinInt64:
		return -int64(u), true
	case !d.negative && u <= math.MaxInt64:
		return int64(u), true
	}
	return 0, false
}

// AppendNumber appends a number's normal form: equal numbers have equal forms,
// whatever their size and notation, and different numbers different ones. The
// form is for comparing, not for showing. A value that is no number appends
// nothing.
func (v Value) AppendNumber(dst []byte) []byte {
	d, ok := parseDecimal(v.raw)
	if !ok {
		if v.Kind() == Number {
			return append(dst, v.raw...) // an exponent past all use: as written
		}
		return dst
	}
	if d.negative {
		dst = append(dst, '-')
	}
	if len(d.lead)+len(d.tail) == 0 {
		return append(dst, '0')
	}
	dst = append(dst, d.lead...)
	dst = append(dst, d.tail...)
	const plainZeros = 20 // integers this short are written out
	switch {
	case d.exponent == 0:
		return dst
	case 0 < d.exponent && d.exponent <= plainZeros:
		return append(dst, "00000000000000000000"[:d.exponent]...)
	}
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, d.exponent, 10)
}
