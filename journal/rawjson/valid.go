package rawjson

import "strconv"

// MaxDepth is how deep arrays and objects may nest. Deeper text counts as
// invalid.
const MaxDepth = 10_000

// SyntaxError says that bytes are not one JSON value.
type SyntaxError struct {
	// Offset is the position of the first byte that cannot belong to a JSON
	// value, or the length of the input when it ended too early.
	Offset int
}

// Error is a constant and the offset; it never holds any of the input.
func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset)
}

// Valid reports whether b is exactly one JSON value in valid UTF-8, white space
// around it allowed.
func Valid(b []byte) bool {
	_, _, bad := check(b)
	return bad < 0
}

// Parse makes a Value of b, which must be exactly one JSON value in valid UTF-8,
// white space around it allowed. The error is a *SyntaxError.
func Parse(b []byte) (Value, error) {
	start, end, bad := check(b)
	if bad >= 0 {
		return Value{}, &SyntaxError{Offset: bad}
	}
	return Value{b[start:end:end]}, nil
}

// check returns the bounds of the one value in b, and in bad the offset of the
// first wrong byte, or -1.
func check(b []byte) (start, end, bad int) {
	var open nesting
	i := skipSpace(b, 0)
	start = i
	for {
		var ok bool
		if i = skipSpace(b, i); i == len(b) {
			return 0, 0, i
		}
		switch c := b[i]; c {
		case '"':
			i, ok = checkString(b, i+1)
		case '{', '[':
			if open.depth == MaxDepth {
				return 0, 0, i
			}
			i = skipSpace(b, i+1)
			if i < len(b) && b[i] == c+2 { // '{'+2 is '}', '['+2 is ']'
				i, ok = i+1, true
				break
			}
			open.push(c == '{')
			if c == '{' {
				if i, ok = checkKey(b, i); !ok {
					return 0, 0, i
				}
			}
			continue
		case 't':
			i, ok = checkWord(b, i, "true")
		case 'f':
			i, ok = checkWord(b, i, "false")
		case 'n':
			i, ok = checkWord(b, i, "null")
		default:
			i, ok = checkNumber(b, i)
		}
		if !ok {
			return 0, 0, i
		}

		// A value has ended at i; close what ends with it.
		for {
			if open.depth == 0 {
				end = i
				if i = skipSpace(b, i); i < len(b) {
					return 0, 0, i
				}
				return start, end, -1
			}
			if i = skipSpace(b, i); i == len(b) {
				return 0, 0, i
			}
			object := open.inObject()
			if b[i] == ',' {
				i++
				if object {
					if i, ok = checkKey(b, skipSpace(b, i)); !ok {
						return 0, 0, i
					}
				}
				break
			}
			if object && b[i] != '}' || !object && b[i] != ']' {
				return 0, 0, i
			}
			open.pop()
			i++
		}
	}
}

// checkKey checks a key and its colon at i and returns the offset behind them,
// or of the first wrong byte.
func checkKey(b []byte, i int) (int, bool) {
	if i == len(b) || b[i] != '"' {
		return i, false
	}
	i, ok := checkString(b, i+1)
	if !ok {
		return i, false
	}
	i = skipSpace(b, i)
	if i == len(b) || b[i] != ':' {
		return i, false
	}
	return i + 1, true
}

func checkWord(b []byte, i int, word string) (int, bool) {
	for j := range len(word) {
		if i+j == len(b) || b[i+j] != word[j] {
			return i + j, false
		}
	}
	return i + len(word), true
}

func checkNumber(b []byte, i int) (int, bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		j := skipDigits(b, i)
		if j == i {
			return i, false
		}
		i = j
	}
	if i < len(b) && b[i] == '.' {
		j := skipDigits(b, i+1)
		if j == i+1 {
			return j, false
		}
		i = j
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		j := skipDigits(b, i)
		if j == i {
			return j, false
		}
		i = j
	}
	return i, true
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
