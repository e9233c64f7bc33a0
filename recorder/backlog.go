package recorder

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// maxBacklog is how much may wait for the disk before recording waits too. At
// ten thousand calls a second it bridges about three seconds.
const maxBacklog = 16 << 20

// backlog stands between a journal.Writer and its file. While an fsync runs,
// a write(2) to the same file may block for as long; measured on a busy disk,
// that is long enough to fill the recording queue. So writes have their own
// goroutine, which takes all that waits in one write(2). Between start and stop
// a nil error of write only means that the bytes are in order in memory;
// outside they go straight to the file.
type backlog struct {
	to    func(f *os.File, p []byte) (int, error)
	wrote func() // after each write; set by start

	mu      sync.Mutex // guards what follows
	changed sync.Cond  // on mu: anything of it
	file    *os.File
	waiting []byte
	spare   []byte
	running bool // between start and stop
	busy    bool // a write(2) runs
	failure error
	lost    int64 // lines that a write took and the disk did not
	done    chan struct{}
}

// newBacklog returns a backlog that writes with to, by default to the file.
func newBacklog(to func(*os.File, []byte) (int, error)) *backlog {
	if to == nil {
		to = (*os.File).Write
	}
	b := &backlog{to: to, done: make(chan struct{})}
	b.changed.L = &b.mu
	return b
}

// write is a journal.Options.Write.
func (b *backlog) write(f *os.File, p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running {
		if b.failure != nil {
			return 0, b.failure
		}
		return b.to(f, p)
	}
	for b.failure == nil && len(b.waiting) > 0 && len(b.waiting)+len(p) > maxBacklog {
		b.changed.Wait()
	}
	if b.failure != nil {
		return 0, b.failure
	}
	b.file = f
	b.waiting = append(b.waiting, p...)
	b.changed.Broadcast()
	return len(p), nil
}

// start begins to write on a goroutine, which calls wrote after each write. It
// has to be stopped.
func (b *backlog) start(wrote func()) {
	b.running, b.wrote = true, wrote
	go b.run()
}

func (b *backlog) run() {
	defer close(b.done)
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.waiting) == 0 {
			if !b.running {
				return
			}
			b.changed.Wait()
		}
		p, f := b.waiting, b.file
		b.waiting, b.spare = b.spare[:0], nil
		b.busy = true
		b.mu.Unlock()
		n, err := b.put(f, p)
		b.wrote()
		b.mu.Lock()
		b.busy = false
		if cap(p) <= maxSpare {
			b.spare = p
		}
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		if err != nil {
			b.failure = err
			b.lost += lines(p[max(n, 0):]) + lines(b.waiting)
			b.waiting = nil
		}
		b.changed.Broadcast()
	}
}

// maxSpare is the largest buffer that is kept for the next round.
const maxSpare = 1 << 20

func lines(p []byte) int64 { return int64(bytes.Count(p, []byte{'\n'})) }

// put turns a panic of the injected function into an error, for nobody could
// recover it on this goroutine.
func (b *backlog) put(f *os.File, p []byte) (n int, err error) {
	defer func() {
		if recover() != nil {
			n, err = 0, errPanic
		}
	}()
	return b.to(f, p)
}

// settle waits until nothing waits any more.
func (b *backlog) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.running && b.failure == nil && (b.busy || len(b.waiting) > 0) {
		b.changed.Wait()
	}
}

// stop settles and ends the goroutine.
func (b *backlog) stop() {
	b.mu.Lock()
	started := b.running
	b.running = false
	b.changed.Broadcast()
	b.mu.Unlock()
	if started {
		<-b.done
	}
}

// state is how many lines were lost, and the error that ended writing, if any.
func (b *backlog) state() (lost int64, failure error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost, b.failure
}
