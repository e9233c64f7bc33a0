package sanitize

// maxIdent is the most bytes of an identifier code or an object key.
const maxIdent = 64

// Codes that recorders give.
var (
	ToolErrorCode = Code{`"tool-error"`} // a result with isError true
)

// ParseCode accepts the JSON text of a code: true, false, a canonical number, an
// identifier string or a bucket string.
func ParseCode(b []byte) (Code, bool) {
	if len(b) == 0 {
		return Code{}, false
	}
	if b[0] == '"' {
		if len(b) < 2 || b[len(b)-1] != '"' || !isCodeString(b[1:len(b)-1]) {
			return Code{}, false
		}
		return Code{string(b)}, true
	}
	if string(b) == "true" || string(b) == "false" || isNumber(b) {
		return Code{string(b)}, true
	}
	return Code{}, false
}

// isCodeString accepts the content of a string code.
func isCodeString(b []byte) bool {
	return isIdent(b) || string(b) == numLong || string(b) == strBuckets[len(strBuckets)-1]
}

// isIdent accepts [A-Za-z_][A-Za-z0-9_.-]{0,63}: an object key, an error code.
func isIdent(b []byte) bool {
	return all(b, 1, maxIdent, clsName) && isIdentStart(b[0])
}

func isIdentStart(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
