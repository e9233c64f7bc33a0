package sanitize

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Salt keys what stands for texts that somebody could guess. It never leaves
// the machine.
type Salt [32]byte

// Sanitizer makes the tokens that depend on the salt. It keeps no other state
// and may be used by many goroutines.
type Sanitizer struct {
	salt   Salt
	saltID SaltID
}

// New makes a Sanitizer that uses salt.
func New(salt Salt) *Sanitizer {
	h := sha256.New()
	h.Write([]byte("salt id"))
	h.Write(salt[:])
	return &Sanitizer{salt, SaltID{hex.EncodeToString(h.Sum(nil)[:4])}}
}

// SaltID tells apart what was made with different salts and says nothing about
// them.
func (s *Sanitizer) SaltID() SaltID { return s.saltID }

// maxSkeletonInput bounds how much of an error text is looked at.
const maxSkeletonInput = 64 << 10

// TemplateID stands for the texts that differ from this one only in names and
// numbers: the salted digest of the text's skeleton. Only the first 64 KiB count.
func (s *Sanitizer) TemplateID(text []byte) TemplateID {
	h := sha256.New()
	h.Write(s.salt[:])
	h.Write([]byte{0})
	h.Write(appendSkeleton(nil, text[:min(len(text), maxSkeletonInput)]))
	var sum [sha256.Size]byte
	return TemplateID{hex.EncodeToString(h.Sum(sum[:0])[:8])}
}

// Digest stands for something a person chose. Digests of different labels, or
// of the same bytes divided differently, have nothing in common.
func (s *Sanitizer) Digest(label string, data ...[]byte) Digest {
	h := hmac.New(sha256.New, s.salt[:])
	part := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	part([]byte(label))
	for _, b := range data {
		part(b)
	}
	return Digest{hex.EncodeToString(h.Sum(nil)[:16])}
}
