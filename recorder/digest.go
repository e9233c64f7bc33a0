package recorder

import (
	"hash/maphash"
	"math/bits"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// digest hashes JSON values so that the order of members, white space and the
// way strings are escaped make no difference. The hashes are keyed afresh for
// each Correlator and mean nothing outside it. It is not safe for concurrent
// use.
type digest struct {
	seed   maphash.Seed
	walker rawjson.Walker
	open   []container
	text   []byte
}

// container is an array or object whose end has not come.
type container struct {
	sum   uint64
	key   uint64 // of the member whose value comes next
	array bool
}

func newDigest() digest { return digest{seed: maphash.MakeSeed()} }

func (d *digest) bytes(b []byte) uint64 { return maphash.Bytes(d.seed, b) }

func (d *digest) key(k rawjson.Key) uint64 {
	d.text = k.AppendText(d.text[:0])
	return d.bytes(d.text)
}

// value is the hash of v; 0 when there is none.
func (d *digest) value(v rawjson.Value) uint64 {
	if v.IsZero() {
		return 0
	}
	d.open = append(d.open[:0], container{array: true})
	d.walker.Reset(v)
	for {
		t := d.walker.Next()
		switch t.Kind {
		case rawjson.End:
			return max(1, d.open[0].sum)
		case rawjson.BeginObject, rawjson.BeginArray:
			d.open = append(d.open, container{array: t.Kind == rawjson.BeginArray})
		case rawjson.MemberKey:
			d.open[len(d.open)-1].key = d.key(t.Key)
		case rawjson.EndObject, rawjson.EndArray:
			last := d.open[len(d.open)-1]
			d.open = d.open[:len(d.open)-1]
			kind := uint64(1)
			if last.array {
				kind = 2
			}
			d.put(mix(last.sum, kind))
		case rawjson.Scalar:
			d.put(d.scalar(t.Value))
		}
	}
}

// put adds an element or member to the innermost container.
func (d *digest) put(h uint64) {
	in := &d.open[len(d.open)-1]
	if in.array {
		in.sum = mix(in.sum, h)
	} else {
		in.sum += mix(in.key, h) // in any order
	}
}

func (d *digest) scalar(v rawjson.Value) uint64 {
	if v.Kind() == rawjson.String {
		d.text = v.AppendText(append(d.text[:0], '"'))
		return d.bytes(d.text)
	}
	return d.bytes(v.Raw())
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return hi ^ lo
}
