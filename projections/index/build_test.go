package index_test

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

var time0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newID(r *rand.Rand) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], r.Uint64())
	binary.BigEndian.PutUint64(id[8:], r.Uint64())
	return id
}

func label(s string) sanitize.Label {
	l, _ := sanitize.NewLabel(s)
	return l
}
