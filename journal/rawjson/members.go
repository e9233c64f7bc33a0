package rawjson

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// Members goes through the members of an object in the order they came, repeats
// included. Any other value has none.
func (v Value) Members() iter.Seq2[Key, Value] {
	return func(yield func(Key, Value) bool) {
		if v.Kind() != Object {
			return
		}
		b := v.raw
		for i := skipSpace(b, 1); i < len(b) && b[i] == '"'; {
			end := skipString(b, i)
			key := Key{b[i:end:end]}
			i = skipSpace(b, end)
			if i == len(b) || b[i] != ':' {
				return
			}
			i = skipSpace(b, i+1)
			end = skipValue(b, i)
			if end == i || !yield(key, Value{b[i:end:end]}) {
				return
			}
			i = skipSpace(b, end)
			if i == len(b) || b[i] != ',' {
				return
			}
			i = skipSpace(b, i+1)
		}
	}
}

// Elements goes through the elements of an array. Any other value has none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		b := v.raw
		for i := skipSpace(b, 1); i < len(b); {
			end := skipValue(b, i)
			if end == i || !yield(Value{b[i:end:end]}) {
				return
			}
			i = skipSpace(b, end)
			if i == len(b) || b[i] != ',' {
				return
			}
			i = skipSpace(b, i+1)
		}
	}
}

// Get is the member of an object with exactly that decoded key, the last one
// when it is repeated.
func (v Value) Get(key string) (member Value, ok bool) {
	for k, value := range v.Members() {
		if k.Is(key) {
			member, ok = value, true
		}
	}
	return member, ok
}

// skipValue returns the offset behind the value at i, or i when none begins
// there. In bytes that are no valid JSON it may be any later offset.
func skipValue(b []byte, i int) int {
	if i == len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipContainer(b, i)
	case ',', ':', '}', ']':
		return i
	}
	for i < len(b) && !endsScalar(b[i]) {
		i++
	}
	return i
}

func endsScalar(c byte) bool {
	switch c {
	case ',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// skipContainer returns the offset behind the array or object at i.
func skipContainer(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

// skipString returns the offset behind the string at i, or the end of b when it
// is not closed.
func skipString(b []byte, i int) int {
	for i++; ; {
		for ; i+8 <= len(b); i += 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			quote := w ^ '"'*lows
			slash := w ^ '\\'*lows
			// As in PlainLen, the lowest marked byte is exact.
			special := ((quote-lows)&^quote | (slash-lows)&^slash) & highs
			if special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' {
			i++
		}
		switch {
		case i >= len(b):
			return len(b)
		case b[i] == '"':
			return i + 1
		}
		i += 2
	}
}
