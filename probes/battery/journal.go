package battery

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Journal takes what goes over the wire. A run has one, whatever the number of
// its connections. Methods are called concurrently.
type Journal interface {
	Frame(r recorder.Read, f *wire.Frame)
	CloseChannel(channel uint64, at time.Time, why recorder.Ending)
	// Idle is called between cases.
	Idle(now time.Time)
}

var _ Journal = (*recorder.Capture)(nil)

// tape turns the frames of one connection into those of a Journal, on a channel
// of their own: concurrent connections use the same ids.
type tape struct {
	journal Journal
	channel uint64
	scanner *wire.Scanner
}

func newTape(j Journal, channel uint64) *tape {
	return &tape{journal: j, channel: channel, scanner: wire.NewScanner(nil)}
}

// tap is a client.Options.Tap, which is called once at a time.
func (t *tape) tap(dir journal.Direction, frame []byte, at time.Time) {
	t.journal.Frame(recorder.Read{Channel: t.channel, Exchange: t.channel, Direction: dir, At: at}, t.scanner.ScanBody(frame))
}
