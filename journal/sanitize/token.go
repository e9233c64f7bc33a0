package sanitize

import "github.com/mcpeval/mcpeval/journal/rawjson"

// sizes are the upper bounds, in bytes, of the length buckets; anything longer
// falls into the bucket named by the last bound and "+".
var sizes = [...]int{8, 32, 128, 512, 4096}

// Names of the length buckets of strings and of object keys, by sizeIndex.
var (
	strBuckets = [...]string{"str8", "str32", "str128", "str512", "str4096", "str4096+"}
	keyBuckets = [...]string{"key8", "key32", "key128", "key512", "key4096", "key4096+"}
)

// otherBuckets name the values that are no strings.
var otherBuckets = [...]string{"null", "bool", "num", "array", "object"}

func sizeIndex(n int) int {
	for i, s := range sizes {
		if n <= s {
			return i
		}
	}
	return len(sizes)
}

func strBucket(n int) string { return strBuckets[sizeIndex(n)] }

// indexOf is the index of b in names, or -1.
func indexOf(names []string, b []byte) int {
	for i, s := range names {
		if s == string(b) {
			return i
		}
	}
	return -1
}

// ParseBucket accepts a length bucket, or the name of a JSON kind.
func ParseBucket(b []byte) (Bucket, bool) {
	if i := indexOf(strBuckets[:], b); i >= 0 {
		return Bucket{strBuckets[i]}, true
	}
	if i := indexOf(otherBuckets[:], b); i >= 0 {
		return Bucket{otherBuckets[i]}, true
	}
	return Bucket{}, false
}

// The layers a failure can come from.
var (
	LayerTransport = Layer{"transport"} // the connection or the HTTP exchange failed
	LayerTool      = Layer{"tool"}      // the tool said that it failed
	LayerProtocol  = Layer{"protocol"}  // a JSON-RPC error
)

// ParseLayer accepts a layer or what ParseBucket accepts.
func ParseLayer(b []byte) (Layer, bool) {
	for _, l := range [...]Layer{LayerTransport, LayerTool, LayerProtocol} {
		if l.s == string(b) {
			return l, true
		}
	}
	v, ok := ParseBucket(b)
	return Layer(v), ok
}

// LayerOf keeps the three layers; anything else becomes its bucket. The zero
// Value has no layer.
func LayerOf(v rawjson.Value) Layer {
	if v.Kind() == rawjson.String {
		var scratch []byte
		text, _ := decode(v.Raw(), &scratch)
		for _, l := range [...]Layer{LayerTransport, LayerTool, LayerProtocol} {
			if l.s == string(text) {
				return l
			}
		}
	}
	return Layer(BucketOf(v))
}

// BucketOf is the length bucket of a string and the kind of any other value. The
// zero Value has no bucket.
func BucketOf(v rawjson.Value) Bucket {
	switch v.Kind() {
	case rawjson.Null:
		return Bucket{"null"}
	case rawjson.Bool:
		return Bucket{"bool"}
	case rawjson.Number:
		return Bucket{"num"}
	case rawjson.Array:
		return Bucket{"array"}
	case rawjson.Object:
		return Bucket{"object"}
	case rawjson.String:
		var scratch []byte
		_, n := decode(v.Raw(), &scratch)
		return Bucket{strBucket(n)}
	default:
		return Bucket{}
	}
}
