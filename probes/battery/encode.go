package battery

import "github.com/mcpeval/mcpeval/journal/rawjson"

// appendCompact appends a value as it is measured: keys in the order received,
// no white space, no escapes but those that JSON demands, UTF-8, numbers as
// received.
func appendCompact(dst []byte, v rawjson.Value) []byte {
	w := v.Walk()
	comma := false // whether a value or key that comes now needs one before it
	for {
		t := w.Next()
		switch t.Kind {
		case rawjson.End:
			return dst
		case rawjson.EndObject, rawjson.EndArray:
			end := byte('}')
			if t.Kind == rawjson.EndArray {
				end = ']'
			}
			dst, comma = append(dst, end), true
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		switch t.Kind {
		case rawjson.BeginObject:
			dst, comma = append(dst, '{'), false
		case rawjson.BeginArray:
			dst, comma = append(dst, '['), false
		case rawjson.MemberKey:
			dst, comma = append(appendText(dst, t.Key.Text()), ':'), false
		case rawjson.Scalar:
			if text, ok := t.Value.Text(); ok {
				dst = appendText(dst, text)
			} else {
				dst = append(dst, t.Value.Raw()...)
			}
			comma = true
		}
	}
}

// appendText appends a string, which is valid UTF-8, as JSON.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
