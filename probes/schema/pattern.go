package schema

import (
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxPattern is the longest pattern that is compiled, in bytes.
const maxPattern = 4096

// reading says what patterns that cannot be evaluated are taken to do.
type reading struct {
	match bool
	asked bool // one was asked for
}

// engine makes the regular expressions of one schema.
type engine struct{ reading *reading }

func (e engine) compile(pattern string) (jsonschema.Regexp, error) {
	re, ok := evaluable(pattern)
	if !ok {
		return unread(e), nil
	}
	return re, nil
}

// evaluable compiles an ECMA-262 pattern, if RE2 gives it the same meaning.
func evaluable(pattern string) (*regexp.Regexp, bool) {
	if len(pattern) > maxPattern {
		return nil, false
	}
	translated, ok := translate(pattern)
	if !ok {
		return nil, false
	}
	re, err := regexp.Compile(translated)
	return re, err == nil
}

// translate turns what the two dialects write differently. It reports false for
// escapes that mean something else in RE2 than in ECMA-262.
func translate(pattern string) (string, bool) {
	if !strings.Contains(pattern, `\`) {
		return pattern, !strings.Contains(pattern, "(?i") && !strings.Contains(pattern, "[^]") && !strings.Contains(pattern, "[]")
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c != '\\' || i+1 == len(pattern) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c := pattern[i]; c {
		case 'u':
			digits := pattern[i+1:]
			if len(digits) < 4 || !isHex(digits[:4]) || isSurrogate(digits[:4]) {
				return "", false
			}
			b.WriteString(`\x{` + digits[:4] + `}`)
			i += 4
		case 'A', 'z', 'Q', 'E', 'a', 'C', 'p', 'P', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return "", false
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func isHex(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return false
		}
	}
	return true
}

func isSurrogate(hex string) bool {
	return (hex[0] == 'd' || hex[0] == 'D') && strings.ContainsRune("89abcdefABCDEF", rune(hex[1]))
}

// unread is a pattern that cannot be evaluated.
type unread struct{ reading *reading }

func (u unread) MatchString(string) bool {
	u.reading.asked = true
	return u.reading.match
}

func (unread) String() string { return "" }
