//go:build (unix || windows) && !unsupported

package stdio

import (
	"runtime"
	"sync/atomic"

	"github.com/mcpeval/mcpeval/journal"
)

// pumpBuffer is the most that is read at once: what a pipe holds by default.
const pumpBuffer = 64 << 10

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
			p.to.retire()
			return p.eof
		}
		readAt := p.queue.now()
		p.writing.Store(true)
		p.lastRead.Store(int64(readAt))
		p.queue.put(p.dir, buf[:n], readAt)
		ok := p.to.write(buf[:n])
		p.writing.Store(false)
		if !ok {
			p.from.retire()
			return p.broken
		}
		p.queue.nudge()
	}
}
