package sanitize

import "bytes"

// Bounds of a shape. One that would pass them holds "deep" in place of the
// innermost object or array that does not fit.
const (
	maxDepth = 32       // nested objects and arrays
	maxNodes = 500      // objects, arrays and leaves
	maxShape = 32 << 10 // bytes
	maxCount = 999_999_999
)

// ParseShape accepts the JSON text of a shape in its canonical form:
//
//	value  = object | array | leaf
//	object = { "key":value , ... }            keys distinct, in the order received
//	array  = { "array":n , "items":value }    "items":"empty" when n is 0
//	leaf   = "null" "bool:true" "bool:false" "num:N" "num+" "enum:MEMBER" "uuid"
//	         "url" "str8" ... "str4096+" "deep"
//	key    = a name, or key8 ... key4096+; the second of one bucket in an object
//	         is key8#2, the third key8#3
//
// No name looks like a key bucket, and n is the only number: nothing is
// ambiguous and nothing needs escaping.
func ParseShape(b []byte) (Shape, bool) {
	if len(b) > maxShape {
		return Shape{}, false
	}
	p := shapeParser{b: b}
	if !p.value(0) || p.i != len(b) {
		return Shape{}, false
	}
	return Shape{string(b)}, true
}

type shapeParser struct {
	b     []byte
	i     int
	nodes int
}

// str reads a string without escapes and gives its content.
func (p *shapeParser) str() ([]byte, bool) {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return nil, false
	}
	start := p.i + 1
	n := bytes.IndexByte(p.b[start:], '"')
	if n < 0 {
		return nil, false
	}
	p.i = start + n + 1
	return p.b[start : start+n], true
}

func (p *shapeParser) take(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

// value reads a value inside depth objects and arrays.
func (p *shapeParser) value(depth int) bool {
	if p.nodes++; p.nodes > maxNodes {
		return false
	}
	if !p.take('{') {
		s, ok := p.str()
		return ok && isLeaf(s)
	}
	if depth++; depth > maxDepth {
		return false
	}
	if p.take('}') {
		return true
	}
	if rest, ok := bytes.CutPrefix(p.b[p.i:], []byte(arrayIntro)); ok && len(rest) > 0 && rest[0] != '"' && rest[0] != '{' {
		return p.array(depth)
	}
	var seen keySet
	for {
		key, ok := p.str()
		if !ok || !seen.acceptToken(key) || !p.take(':') || !p.value(depth) {
			return false
		}
		if p.take('}') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
}

const (
	arrayIntro = `"array":`
	itemsIntro = `,"items":`
	emptyItems = `"empty"`
)

// array reads an array behind its brace.
func (p *shapeParser) array(depth int) bool {
	p.i += len(arrayIntro)
	start, n := p.i, 0
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' && n <= maxCount {
		n = n*10 + int(p.b[p.i]-'0')
		p.i++
	}
	digits := p.i - start
	if digits == 0 || n > maxCount || digits > 1 && p.b[start] == '0' {
		return false
	}
	if !bytes.HasPrefix(p.b[p.i:], []byte(itemsIntro)) {
		return false
	}
	p.i += len(itemsIntro)
	if n == 0 {
		if !bytes.HasPrefix(p.b[p.i:], []byte(emptyItems)) {
			return false
		}
		p.i += len(emptyItems)
	} else if !p.value(depth) {
		return false
	}
	return p.take('}')
}

// isLeaf accepts the content of a leaf.
func isLeaf(s []byte) bool {
	if len(s) < 3 {
		return false
	}
	switch s[0] {
	case 's':
		return indexOf(strBuckets[:], s) >= 0
	case 'n':
		if len(s) > 4 && string(s[:4]) == "num:" {
			return isNumber(s[4:])
		}
		return string(s) == "null" || string(s) == numLong
	case 'e':
		return len(s) > 5 && string(s[:5]) == "enum:" && isMember(s[5:])
	case 'b':
		return string(s) == "bool:true" || string(s) == "bool:false"
	}
	return string(s) == "uuid" || string(s) == "url" || string(s) == deep
}

const deep = "deep"

// isMember accepts [A-Za-z0-9_+./:-]{1,64}.
func isMember(b []byte) bool {
	return all(b, 1, maxIdent, clsLabel|clsSlash|clsPlus)
}
