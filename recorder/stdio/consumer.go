package stdio

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// Consumer is told what passes through. All calls come from one goroutine, one
// at a time, none before the child runs and none after Done. Times carry both the
// wall clock and the monotonic clock. A Consumer may take its time: the pumps
// never wait for it, but what does not fit into the queue meanwhile is a gap.
type Consumer interface {
	// Chunk is what one read(2) returned, in the order of the queue. data is valid
	// during the call only. readAt is the return of the read, handedOn is just
	// before the write(2) that carries the bytes.
	Chunk(dir journal.Direction, data []byte, readAt, handedOn time.Time)

	// Gap says that bytes of this direction were forwarded but not recorded, after
	// the last Chunk of the direction and before its next one. frames counts the
	// newlines among them.
	Gap(dir journal.Direction, frames, bytes int64)

	// Event says that something else happened; see EventKind.
	Event(kind EventKind, at time.Time)

	// Idle is called when the queue has been emptied: when traffic pauses, about
	// every 100 ms while there is traffic, and about once a second otherwise. It is
	// the place for work that can wait.
	Idle(now time.Time)

	// Done is the last call: the child has ended and the queue is empty.
	Done(exit process.Exit, at time.Time)
}

// EventKind is a kind of Event. Each kind occurs at most once.
type EventKind uint8

// The kinds. The first four end a direction and come after its last Chunk and
// Gap; the others have no place among the chunks.
const (
	ClientEOF   EventKind = iota + 1 // the client closed its side: no more Outbound
	ServerEOF                        // the child closed its standard output: no more Inbound
	ServerDeaf                       // the child closed its standard input while the client still sent
	ClientGone                       // the client does not read any more (broken pipe)
	Signalled                        // INT, TERM or HUP arrived; sent on to the child
	ChildExited                      // the child itself ended; its output may go on
)
