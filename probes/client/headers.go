package client

import (
	"encoding/base64"
	"iter"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// header is what a stateless request repeats of itself in HTTP headers.
type header struct {
	version string
	method  string
	name    string // encoded; hasName tells an empty one from none
	hasName bool
	params  []member // Mcp-Param-*, values encoded
}

// mirror is an argument that a tool wants in a header.
type mirror struct {
	name string
	path []string
}

const maxMirrors = 100

// headerOf is the header of a request.
func headerOf(method string, params rawjson.Value, version string, mirrored map[string][]mirror) header {
	h := header{version: version, method: method}
	var from string
	switch method {
	case "tools/call", "prompts/get":
		from = "name"
	case "resources/read":
		from = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		from = "taskId"
	default:
		return h
	}
	v, _ := params.Get(from)
	name, ok := v.Text()
	if !ok {
		return h
	}
	h.name, h.hasName = encodeHeader(name), true
	if method == "tools/call" {
		arguments, _ := params.Get("arguments")
		for _, m := range mirrored[name] {
			if text, ok := at(arguments, m.path); ok {
				h.params = append(h.params, member{"Mcp-Param-" + m.name, []byte(encodeHeader(text))})
			}
		}
	}
	return h
}

// at is the text of a string, integer or boolean below v.
func at(v rawjson.Value, path []string) (string, bool) {
	for _, name := range path {
		next, ok := v.Get(name)
		if !ok {
			return "", false
		}
		v = next
	}
	switch v.Kind() {
	case rawjson.String:
		return v.Text()
	case rawjson.Number, rawjson.Bool:
		return string(v.Raw()), true
	}
	return "", false
}

// encodeHeader is the value as the specification writes it in a header: as it is
// when that is safe, else in base64 with markers.
func encodeHeader(s string) string {
	const open, end = "=?base64?", "?="
	safe := strings.TrimSpace(s) == s && !(strings.HasPrefix(s, open) && strings.HasSuffix(s, end))
	for i := range len(s) {
		safe = safe && ' ' <= s[i] && s[i] <= '~'
	}
	if safe {
		return s
	}
	return open + base64.StdEncoding.EncodeToString([]byte(s)) + end
}

// Learn notes which arguments the tools of a catalog want in headers. Page does
// so too; a connection that reads no catalog has to be told.
func (c *Conn) Learn(tools []rawjson.Value) { c.learn(slices.Values(tools)) }

// learn is Learn of a page.
func (c *Conn) learn(tools iter.Seq[rawjson.Value]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for tool := range tools {
		v, _ := tool.Get("name")
		name, ok := v.Text()
		if !ok {
			continue
		}
		schema, _ := tool.Get("inputSchema")
		if found := mirrors(schema, nil, nil); len(found) > 0 {
			if c.mirrored == nil {
				c.mirrored = make(map[string][]mirror)
			}
			c.mirrored[name] = found
		}
	}
}

// mirrors finds x-mcp-header annotations that are reached through properties
// alone.
func mirrors(schema rawjson.Value, path []string, found []mirror) []mirror {
	const deepest = 16
	if len(path) == deepest {
		return found
	}
	properties, _ := schema.Get("properties")
	for key, property := range properties.Members() {
		below := append(append([]string(nil), path...), key.Text())
		if v, ok := property.Get("x-mcp-header"); ok && len(found) < maxMirrors {
			if name, ok := v.Text(); ok && isToken(name) {
				found = append(found, mirror{name, below})
			}
		}
		found = mirrors(property, below, found)
	}
	return found
}

// isToken reports whether s may be part of a header's name.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// validHeaderValue reports whether a value may be sent at all.
func validHeaderValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return strings.TrimSpace(s) != ""
}
