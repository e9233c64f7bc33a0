package sanitize

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// ShapeFromLegacy is the shape stored by an earlier format, made to fit the
// grammar: names, leaves and arrays in their form stay when the screen passes
// them, any other key or string becomes the bucket of its length, and a JSON
// value that a shape does not have becomes the shape of itself. A shape of the
// grammar that the screen passes comes out as it went in.
func ShapeFromLegacy(stored rawjson.Value) Shape {
	if stored.IsZero() {
		return Shape{}
	}
	return (&shaper{stored: true}).shape(stored, nil)
}

// storedArray consumes the start of an array in its stored form, up to the value
// of items, and gives its count. It consumes nothing when the object that has
// just begun is none.
func (s *shaper) storedArray() (count int, ok bool) {
	before := s.walk
	if t := s.walk.Next(); t.Kind == rawjson.MemberKey && t.Key.Is("array") {
		n, isInt := s.walk.Next().Value.Int()
		if t := s.walk.Next(); isInt && n >= 0 && t.Kind == rawjson.MemberKey && t.Key.Is("items") {
			return int(min(n, maxCount)), true
		}
	}
	s.walk = before
	return 0, false
}

// arrayOfStored writes an array in its stored form from the value of its items on.
func (s *shaper) arrayOfStored(count, depth int) bool {
	inner := s.walk.Depth()
	countAt := s.beginArray()
	if count > 0 && !s.value(s.walk.Next(), nil, depth) {
		return false
	}
	s.leave(inner)
	return s.endArray(countAt, count, depth)
}

// isStoredLeaf accepts a leaf whose content the screen passes.
func isStoredLeaf(text []byte) bool {
	member, isEnum := bytes.CutPrefix(text, []byte("enum:"))
	return isLeaf(text) && (!isEnum || !Screen(member))
}

// LayerFromLegacy is LayerOf for a stored layer, which may already be a bucket.
func LayerFromLegacy(v rawjson.Value) Layer {
	if text, ok := storedText(v); ok {
		if l, ok := ParseLayer(text); ok {
			return l
		}
	}
	return LayerOf(v)
}

// BucketFromLegacy is BucketOf for a stored value, which may already be a bucket.
func BucketFromLegacy(v rawjson.Value) Bucket {
	if text, ok := storedText(v); ok {
		if b, ok := ParseBucket(text); ok {
			return b
		}
	}
	return BucketOf(v)
}

// CodeFromLegacy is CodeOf for a stored code, which may already be a bucket.
func CodeFromLegacy(v rawjson.Value) Code {
	if text, ok := storedText(v); ok && isCodeString(text) && !isIdent(text) {
		return Code{`"` + string(text) + `"`}
	}
	return CodeOf(v)
}

func storedText(v rawjson.Value) ([]byte, bool) {
	if v.Kind() != rawjson.String {
		return nil, false
	}
	var scratch []byte
	text, _ := decode(v.Raw(), &scratch)
	return text, true
}
