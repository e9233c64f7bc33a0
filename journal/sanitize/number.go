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
