package sanitize

import (
	"slices"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// ShapeOf is the shape of the arguments of a call. schema decides which names
// and enumeration members are kept; without one, names of the topmost object are
// kept when they pass the screen, and nothing below. The zero Value has no shape.
//
// One pass, in the order received. A key that comes again in one object becomes
// a bucket like a key that is not kept. Where a bound is passed, the innermost
// object or array that does not fit becomes "deep" and what surrounds it goes on.
func ShapeOf(args rawjson.Value, schema *Schema) Shape {
	if args.IsZero() {
		return Shape{}
	}
	if schema == nil {
		return (&shaper{open: true}).shape(args, nil)
	}
	return new(shaper).shape(args, schema.root)
}

type shaper struct {
	walk    rawjson.Walker
	out     []byte
	nodes   int
	scratch []byte
	open    bool // no schema: keep screened names at the top
	stored  bool // the input is a stored shape: keep what already is one
}

func (s *shaper) shape(v rawjson.Value, root *node) Shape {
	var buf [512]byte
	s.out = buf[:0]
	s.walk.Reset(v)
	s.value(s.walk.Next(), root, 0)
	return Shape{string(s.out)}
}

// value writes the value that t begins, which stands inside depth objects and
// arrays. It reports false when a bound is passed: then the object or array
// around it must become "deep". The whole value is consumed in either case.
func (s *shaper) value(t rawjson.Token, n *node, depth int) bool {
	s.nodes++
	if t.Kind == rawjson.Scalar {
		s.scalar(t.Value, n)
		return s.fits(depth)
	}
	if s.nodes > maxNodes || depth == maxDepth {
		s.walk.Skip()
		s.leaf(deep)
		return s.fits(depth)
	}
	start, nodes, inner := len(s.out), s.nodes, s.walk.Depth()
	ok := false
	if t.Kind == rawjson.BeginObject {
		ok = s.object(n, depth+1)
	} else {
		ok = s.array(n, depth+1)
	}
	if !ok {
		s.leave(inner)
		s.out, s.nodes = s.out[:start], nodes
		s.leaf(deep)
	}
	return s.fits(depth)
}

// fits reports whether the bounds hold, the braces of depth objects and arrays
// that are still to close included.
func (s *shaper) fits(depth int) bool {
	return s.nodes <= maxNodes && len(s.out)+depth <= maxShape
}

// leave consumes the rest of the object or array that is open as the inner-th.
func (s *shaper) leave(inner int) {
	for s.walk.Depth() >= inner {
		if s.walk.Next().Kind == rawjson.End {
			return
		}
		s.walk.Skip()
	}
}

func (s *shaper) object(n *node, depth int) bool {
	if s.stored {
		if count, ok := s.storedArray(); ok {
			return s.arrayOfStored(count, depth)
		}
	}
	var seen keySet
	s.out = append(s.out, '{')
	for first := true; ; first = false {
		t := s.walk.Next()
		if t.Kind != rawjson.MemberKey {
			s.out = append(s.out, '}')
			return true
		}
		if !first {
			s.out = append(s.out, ',')
		}
		below := s.key(t.Key, n, depth, &seen)
		if !s.value(s.walk.Next(), below, depth) {
			return false
		}
	}
}

// key writes a key and its colon, and gives the node of its value.
func (s *shaper) key(key rawjson.Key, n *node, depth int, seen *keySet) *node {
	text, size := decode(key.Raw(), &s.scratch)
	below, kept := n.child(text)
	if s.stored || s.open && depth == 1 {
		kept = isIdent(text) && bucketOfToken(text) < 0 && !Screen(text)
	}
	s.out = append(s.out, '"')
	start := len(s.out)
	if kept {
		s.out = append(s.out, text...)
		kept = seen.addName(s.out[start:len(s.out):len(s.out)])
	}
	if i := bucketOfToken(text); s.stored && i >= 0 {
		s.out = seen.appendBucket(s.out, i)
	} else if !kept {
		s.out = seen.appendBucket(s.out[:start], sizeIndex(size))
	}
	s.out = append(s.out, `":`...)
	return below
}

// child is the node of a member, and whether its name is declared.
func (n *node) child(name []byte) (*node, bool) {
	if n == nil {
		return nil, false
	}
	if below, ok := n.props[string(name)]; ok {
		return below, true
	}
	return n.rest, false
}

func (s *shaper) array(n *node, depth int) bool {
	countAt := s.beginArray()
	var below *node
	if n != nil {
		below = n.items
	}
	count := 0
	for {
		t := s.walk.Next()
		if t.Kind == rawjson.EndArray || t.Kind == rawjson.End {
			break
		}
		if count++; count > 1 {
			s.walk.Skip()
		} else if !s.value(t, below, depth) {
			return false
		}
	}
	return s.endArray(countAt, count, depth)
}

// beginArray writes an array up to its first item and gives the place of its
// count.
func (s *shaper) beginArray() (countAt int) {
	s.out = append(s.out, '{')
	s.out = append(s.out, arrayIntro...)
	countAt = len(s.out)
	s.out = append(s.out, itemsIntro...)
	return countAt
}

func (s *shaper) endArray(countAt, count, depth int) bool {
	if count == 0 {
		s.out = append(s.out, emptyItems...)
	}
	var digits [12]byte
	s.out = slices.Insert(s.out, countAt, strconv.AppendInt(digits[:0], int64(min(count, maxCount)), 10)...)
	s.out = append(s.out, '}')
	return s.fits(depth - 1)
}

// leaf writes a leaf.
func (s *shaper) leaf(token string) {
	s.out = append(s.out, '"')
	s.out = append(s.out, token...)
	s.out = append(s.out, '"')
}

func (s *shaper) scalar(v rawjson.Value, n *node) {
	switch v.Kind() {
	case rawjson.Null:
		s.leaf("null")
	case rawjson.Bool:
		if b, _ := v.Bool(); b {
			s.leaf("bool:true")
		} else {
			s.leaf("bool:false")
		}
	case rawjson.Number:
		var buf [maxNumber]byte
		number, ok := appendNumber(buf[:0], v.Raw())
		if !ok {
			s.leaf(numLong)
			return
		}
		s.out = append(s.out, `"num:`...)
		s.out = append(s.out, number...)
		s.out = append(s.out, '"')
	case rawjson.String:
		text, size := decode(v.Raw(), &s.scratch)
		if n != nil && len(text) <= maxIdent {
			if _, ok := n.enum[string(text)]; ok {
				s.out = append(s.out, `"enum:`...)
				s.out = append(s.out, text...)
				s.out = append(s.out, '"')
				return
			}
		}
		switch {
		case s.stored && isStoredLeaf(text):
			s.leaf(string(text))
		case isUUID(text):
			s.leaf("uuid")
		case isURL(text):
			s.leaf("url")
		default:
			s.leaf(strBucket(size))
		}
	}
}
