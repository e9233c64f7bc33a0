package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// FindingID names an issue: the same on every machine with the same salt, which
// is in the template. Each part goes into the hash behind its length, 8 bytes
// big-endian.
func FindingID(server, tool, template string) string {
	var b []byte
	for _, part := range []string{server, tool, template} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	sum := sha256.Sum256(b)
	return "finding-" + hex.EncodeToString(sum[:8])
}
