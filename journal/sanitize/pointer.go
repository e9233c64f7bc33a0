package sanitize

import (
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// resolve finds the target of a reference within the document: "#" or "#/a/b".
func (c *compiler) resolve(ref rawjson.Value) (rawjson.Value, bool) {
	text, _ := decode(ref.Raw(), &c.scratch)
	if ref.Kind() != rawjson.String || len(text) == 0 || text[0] != '#' {
		return rawjson.Value{}, false
	}
	fragment, ok := unescapePercent(string(text[1:]))
	if !ok {
		return rawjson.Value{}, false
	}
	if fragment == "" {
		return c.root, true
	}
	tokens := strings.Split(fragment, "/")
	if tokens[0] != "" || len(tokens) > maxPointerTokens {
		return rawjson.Value{}, false
	}
	v := c.root
	for _, token := range tokens[1:] {
		if !c.spend(v) {
			return rawjson.Value{}, false
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if v, ok = child(v, token); !ok {
			return rawjson.Value{}, false
		}
	}
	return v, true
}

// child is the member or the element that a token of a JSON pointer names.
func child(v rawjson.Value, token string) (rawjson.Value, bool) {
	if v.Kind() != rawjson.Array {
		return v.Get(token)
	}
	index := 0
	if token == "" || len(token) > 4 || len(token) > 1 && token[0] == '0' {
		return rawjson.Value{}, false
	}
	for _, c := range []byte(token) {
		if !isDigit(c) {
			return rawjson.Value{}, false
		}
		index = index*10 + int(c-'0')
	}
	for e := range v.Elements() {
		if index == 0 {
			return e, true
		}
		index--
	}
	return rawjson.Value{}, false
}

// unescapePercent decodes the %XX of a URI fragment.
func unescapePercent(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			return "", false
		}
		out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
		i += 2
	}
	return string(out), true
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return (c | 0x20 - 'a') + 10
}
