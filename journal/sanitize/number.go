package sanitize

// A number is kept when its plain decimal form has at most maxSignificant
// significant digits and maxNumber characters. Longer ones are identifiers,
// dates, amounts.
const (
	maxSignificant = 6
	maxNumber      = 12
	numLong        = "num+"
)

// isNumber accepts the canonical form: plain decimal, no exponent, no leading or
// (behind the point) trailing zeros, no negative zero, within the bounds above.
func isNumber(b []byte) bool {
	if len(b) == 0 || len(b) > maxNumber {
		return false
	}
	if b[0] == '-' {
		if b = b[1:]; len(b) == 1 && b[0] == '0' {
			return false
		}
	}
	point, first, last, digits := -1, -1, -1, 0
	for i, c := range b {
		switch {
		case c == '.' && point < 0 && i > 0:
			point = i
		case c >= '0' && c <= '9':
			if c != '0' {
				if first < 0 {
					first = digits
				}
				last = digits
			}
			digits++
		default:
			return false
		}
	}
	whole := point
	if point < 0 {
		whole = len(b)
	}
	if whole == 0 || whole > 1 && b[0] == '0' {
		return false
	}
	if point >= 0 && (point == len(b)-1 || b[len(b)-1] == '0') {
		return false
	}
	return first < 0 || last-first < maxSignificant
}

// maxExponent bounds exponents: no number with a larger one is kept, but zero.
const maxExponent = 1000

// appendNumber appends the canonical form of a JSON number, and reports false,
// appending nothing, when that passes the bounds.
func appendNumber(dst, raw []byte) ([]byte, bool) {
	i, negative := 0, false
	if i < len(raw) && raw[i] == '-' {
		negative = true
		i++
	}

	// The value is 0.d1d2d3... times ten to the power of point, d1 not zero.
	var digits [maxSignificant]byte
	n, point, behind := 0, 0, false
	for ; i < len(raw) && raw[i]|0x20 != 'e'; i++ {
		switch c := raw[i]; {
		case c == '.':
			behind = true
		case n == 0 && c == '0':
			if behind {
				point--
			}
		default:
			if n < maxSignificant {
				digits[n] = c
			} else if c != '0' {
				return dst, false
			}
			n++
			if !behind {
				point++
			}
		}
	}
	if n == 0 {
		return append(dst, '0'), true
	}
	if i < len(raw) {
		exponent, ok := parseExponent(raw[i+1:])
		if !ok {
			return dst, false
		}
		point += exponent
	}

	n = min(n, maxSignificant)
	for digits[n-1] == '0' {
		n--
	}
	size := max(point, n) // all digits before the point
	switch {
	case point <= 0:
		size = 2 - point + n
	case point < n:
		size = n + 1
	}
	if negative {
		size++
	}
	if size > maxNumber {
		return dst, false
	}

	if negative {
		dst = append(dst, '-')
	}
	const zeros = "000000000000" // maxNumber of them
	switch {
	case point <= 0:
		dst = append(dst, "0."...)
		dst = append(dst, zeros[:-point]...)
		return append(dst, digits[:n]...), true
	case point < n:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:n]...), true
	}
	dst = append(dst, digits[:n]...)
	return append(dst, zeros[:point-n]...), true
}

// parseExponent reads what stands behind the e of a JSON number.
func parseExponent(b []byte) (int, bool) {
	negative := len(b) > 0 && b[0] == '-'
	n := 0
	for _, c := range b {
		if c == '-' || c == '+' {
			continue
		}
		if n = n*10 + int(c-'0'); n > maxExponent {
			return 0, false
		}
	}
	if negative {
		return -n, true
	}
	return n, true
}
