package sanitize

import (
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// maxIdent is the most bytes of an identifier code, an object key or an
// enumeration member.
const maxIdent = 64

// ToolErrorCode is the code of a result with isError true.
var ToolErrorCode = Code{`"tool-error"`}

// HTTPCode is the code of an exchange that failed with an HTTP status.
func HTTPCode(status int) Code {
	return Code{`"http-` + strconv.Itoa(min(max(status, 0), 999)) + `"`}
}

// CodeOf keeps booleans, numbers within the bounds of a shape's, and identifiers
// that pass the screen; anything else becomes a bucket, null included. The zero
// Value has no code.
func CodeOf(v rawjson.Value) Code {
	switch v.Kind() {
	case rawjson.Invalid:
		return Code{}
	case rawjson.Bool:
		return Code{string(v.Raw())}
	case rawjson.Number:
		var buf [maxNumber]byte
		if n, ok := appendNumber(buf[:0], v.Raw()); ok {
			return Code{string(n)}
		}
		return Code{`"` + numLong + `"`}
	case rawjson.String:
		var scratch []byte
		text, n := decode(v.Raw(), &scratch)
		if isIdent(text) && !Screen(text) {
			return Code{`"` + string(text) + `"`}
		}
		return Code{`"` + strBucket(n) + `"`}
	default:
		return Code{`"` + BucketOf(v).s + `"`}
	}
}

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

// isCodeString accepts the content of a string code. All buckets but two are
// identifiers.
func isCodeString(b []byte) bool {
	return isIdent(b) || string(b) == numLong || string(b) == strBuckets[len(strBuckets)-1]
}

// isIdent accepts [A-Za-z_][A-Za-z0-9_.-]{0,63}: an object key, an error code.
func isIdent(b []byte) bool {
	return all(b, 1, maxIdent, clsName) && (b[0] == '_' || isLetter(b[0]))
}
