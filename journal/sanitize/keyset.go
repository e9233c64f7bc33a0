package sanitize

import (
	"bytes"
	"strconv"
)

// keySet keeps the keys of one object of a shape distinct. It keeps slices of
// the caller's bytes. The zero value is empty.
type keySet struct {
	first   [8][]byte // most objects need no more
	n       int       // names in first
	more    [][]byte
	bloom   uint64
	buckets [len(keyBuckets)]int
}

// addName adds a name and reports whether it is new.
func (s *keySet) addName(key []byte) bool {
	// Objects are small and their keys differ in length or an end byte nearly
	// always, so that the list is hardly ever searched.
	bit := uint64(1) << ((uint(len(key))*7 ^ uint(key[0])*3 ^ uint(key[len(key)-1])) & 63)
	if s.bloom&bit != 0 && (hasName(s.first[:s.n], key) || hasName(s.more, key)) {
		return false
	}
	s.bloom |= bit
	if s.n < len(s.first) {
		s.first[s.n] = key
		s.n++
	} else {
		s.more = append(s.more, key)
	}
	return true
}

func hasName(names [][]byte, key []byte) bool {
	for _, k := range names {
		if bytes.Equal(k, key) {
			return true
		}
	}
	return false
}

// appendBucket appends the next token of bucket i.
func (s *keySet) appendBucket(out []byte, i int) []byte {
	out = append(out, keyBuckets[i]...)
	if s.buckets[i]++; s.buckets[i] > 1 {
		out = append(out, '#')
		out = strconv.AppendInt(out, int64(s.buckets[i]), 10)
	}
	return out
}

// acceptToken accepts a key of a stored shape: a new name, or exactly the token
// that appendBucket would give.
func (s *keySet) acceptToken(key []byte) bool {
	if i := bucketOfToken(key); i >= 0 {
		var buf [24]byte
		return bytes.Equal(s.appendBucket(buf[:0], i), key)
	}
	return isIdent(key) && s.addName(key)
}

// bucketOfToken is the index of the key bucket that key names, with or without
// an ordinal, or -1.
func bucketOfToken(key []byte) int {
	if len(key) < 4 || string(key[:3]) != "key" {
		return -1
	}
	if i := bytes.IndexByte(key, '#'); i >= 0 {
		key = key[:i]
	}
	return indexOf(keyBuckets[:], key)
}
