//go:build (unix || windows) && !unsupported

package stdio

import (
	"runtime"
	"sync/atomic"

	"github.com/mcpeval/mcpeval/journal"
)

// pumpBuffer is the most that is read at once. A queue of the least size takes
// one such chunk.
const pumpBuffer = 128 << 10

// pump forwards one direction.
type pump struct {
	dir      journal.Direction
	from, to port
	queue    *queue
	// What the end of file on from, and a broken pipe on to, are called.
	eof, broken EventKind

	lastRead atomic.Int64 // when the last chunk came, in ns since the queue's base
	writing  atomic.Bool  // a chunk is on its way
}

// run forwards until one end is closed, closes the other, and returns which it
// was. It keeps its thread, so that a read or write is one system call and not a
// round through the scheduler and the poller.
func (p *pump) run() EventKind {
	runtime.LockOSThread()
	buf := make([]byte, pumpBuffer)
	for {
		n := p.from.read(buf)
		if n == 0 {
			p.end(p.eof, p.to)
			return p.eof
		}
		readAt := p.queue.now()
		p.writing.Store(true)
		p.lastRead.Store(int64(readAt))
		p.queue.put(p.dir, buf[:n], readAt)
		ok := p.to.write(buf[:n])
		p.writing.Store(false)
		if !ok {
			p.end(p.broken, p.from)
			return p.broken
		}
		p.queue.nudge()
	}
}

// end notes an end before it passes it on: what follows from it is noted later.
func (p *pump) end(kind EventKind, other port) {
	p.queue.note(kind)
	other.retire()
	p.queue.wake()
}
