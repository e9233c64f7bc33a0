package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// replyQueue is how many replies may wait to be written; more are dropped.
const replyQueue = 64

// stdio is a server's process and the three goroutines at its pipes.
type stdio struct {
	conn   *Conn
	proc   *process.Process
	stdin  *os.File
	stdout *os.File
	stderr *os.File

	queue   chan outgoing
	stop    chan struct{} // ends the writer
	eof     chan struct{} // closed when stdout has ended
	drained chan struct{} // closed when stderr has ended
	exited  chan struct{} // closed when the process has ended; exit is set then
	exit    process.Exit
	stderrN atomic.Int64
	pumps   sync.WaitGroup
}

// outgoing is a line to be written.
type outgoing struct {
	frame []byte
	call  *call         // of a request
	done  chan struct{} // closed when written or failed; nil for replies
	err   error         // read after done
}

// startStdio starts the command and makes it the connection's transport.
func startStdio(c *Conn) *Fault {
	t := &stdio{
		conn:    c,
		queue:   make(chan outgoing, replyQueue),
		stop:    make(chan struct{}),
		eof:     make(chan struct{}),
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return fault(ServerNotStarted, CommandFailed)
	}
	stdout, childOut, err := os.Pipe()
	if err != nil {
		closeAll(childIn, stdin)
		return fault(ServerNotStarted, CommandFailed)
	}
	stderr, childErr, err := os.Pipe()
	if err != nil {
		closeAll(childIn, stdin, stdout, childOut)
		return fault(ServerNotStarted, CommandFailed)
	}
	for _, f := range []*os.File{childIn, childOut, childErr} {
		f.Fd() // makes it blocking, which is what programs expect
	}
	t.proc, err = process.Start(process.Command{
		Args: c.target.Command, Dir: c.target.Dir, Env: c.target.Env,
		Stdin: childIn, Stdout: childOut, Stderr: childErr,
		Guard: runtime.GOOS != "windows", // there one guarded child at a time is all there can be
		Grace: c.o.Grace,
	})
	closeAll(childIn, childOut, childErr)
	if err != nil {
		closeAll(stdin, stdout, stderr)
		f := fault(ServerNotStarted, CommandFailed)
		errors.As(err, &f.Start)
		return f
	}
	if t.proc.GuardErr != nil {
		c.note(NoteGuard)
	}
	t.stdin, t.stdout, t.stderr = stdin, stdout, stderr
	c.setTransport(t) // before anything can be read that wants a reply
	t.pumps.Go(t.write)
	t.pumps.Go(t.read)
	t.pumps.Go(t.drain)
	t.pumps.Go(t.wait)
	if c.o.Stop != nil {
		t.pumps.Go(t.hasten)
	}
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

func (t *stdio) write() {
	for {
		select {
		case <-t.stop:
			return
		case o := <-t.queue:
			t.conn.tap(journal.Outbound, o.frame, t.conn.o.Clock.Now())
			_, o.err = t.stdin.Write(append(bytes.Clone(o.frame), '\n'))
			if o.call != nil && o.err == nil {
				t.conn.markWritten(o.call)
			}
			if o.done != nil {
				close(o.done)
			}
		}
	}
}

// drain reads stderr from the start, so that the server never waits for it.
func (t *stdio) drain() {
	defer close(t.drained)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.stderr.Read(buf)
		t.stderrN.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// wait waits for the process. Its children may hold stdout for ever, so the
// reading ends soon after it.
func (t *stdio) wait() {
	t.exit, _ = t.proc.Wait()
	close(t.exited)
	if !await(t.conn.o.Clock, t.eof, t.conn.o.Grace) {
		_ = t.stdout.Close()
	}
}

func (t *stdio) read() {
	r := bufio.NewReaderSize(t.stdout, 64<<10)
	for {
		line, tooLong, err := readLine(r)
		at := t.conn.o.Clock.Now()
		switch {
		case tooLong:
			t.conn.count(func(n *Counts) { n.Oversized++ })
			t.conn.failAll(fault(TransportError, TooLarge))
		case len(line) > 0:
			t.line(line, at)
		}
		if err != nil {
			close(t.eof)
			t.conn.failAll(t.ended())
			return
		}
	}
}

func (t *stdio) line(line []byte, at time.Time) {
	if rest, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		line = rest
	}
	if rest, ok := bytes.CutSuffix(line, []byte("\r")); ok {
		line = rest
		t.conn.count(func(n *Counts) { n.CRLF++ })
	}
	if rest, ok := bytes.CutPrefix(line, []byte("\xef\xbb\xbf")); ok {
		line = rest
		t.conn.count(func(n *Counts) { n.ByteOrderMark++ })
	}
	if len(bytes.TrimSpace(line)) == 0 {
		t.conn.count(func(n *Counts) { n.BlankLines++ })
		return
	}
	t.conn.inbound(line, at, nil)
}

// readLine reads a line with its ending, or what is left at the end. A line
// beyond MaxLine is passed over.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			if len(bytes.TrimRight(line, "\r\n")) > MaxLine {
				tooLong, line = true, nil
			}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, tooLong, err
	}
}

// ended is the fault of calls that the end of stdout leaves open.
func (t *stdio) ended() *Fault {
	f := fault(TransportClosed, ServerClosed)
	const settle = time.Second // an exit that closes stdout is seen soon after
	if await(t.conn.o.Clock, t.exited, settle) {
		f.Detail, f.Exit = ServerExited, &t.exit
		await(t.conn.o.Clock, t.drained, settle) // so that all is counted
	}
	f.StderrBytes = t.stderrN.Load()
	return f
}

func (t *stdio) roundTrip(ctx context.Context, k *call, frame []byte) *Fault {
	o := outgoing{frame: frame, call: k, done: make(chan struct{})}
	select {
	case t.queue <- o:
	case <-t.eof:
		return t.ended()
	case <-ctx.Done():
		return faultOf(ctx)
	}
	select {
	case <-k.settled:
		return nil
	case <-t.eof:
		// What came before the end has been taken.
		select {
		case <-k.settled:
			return nil
		default:
			return t.ended()
		}
	case <-ctx.Done():
		return faultOf(ctx)
	}
}

func (t *stdio) send(ctx context.Context, frame []byte, _ string) *Fault {
	done := make(chan struct{})
	select {
	case t.queue <- outgoing{frame: frame, done: done}:
	case <-t.eof:
		return t.ended()
	case <-ctx.Done():
		return faultOf(ctx)
	}
	select {
	case <-done:
		return nil // a failure shows as the end of stdout
	case <-t.eof:
		return t.ended()
	case <-ctx.Done():
		return faultOf(ctx)
	}
}

func (t *stdio) reply(frame []byte) {
	select {
	case t.queue <- outgoing{frame: frame}:
	default:
		t.conn.count(func(n *Counts) { n.Unanswered++ })
	}
}

// hasten walks the ladder of close at once when the run is stopped. It sends
// nothing any more once the process was released.
func (t *stdio) hasten() {
	select {
	case <-t.conn.o.Stop:
	case <-t.stop:
		return
	}
	_ = t.stdin.Close()
	_ = t.proc.Terminate()
	if !await(t.conn.o.Clock, t.exited, StopGrace) {
		_ = t.proc.Kill()
	}
}

// stopped reports whether Options.Stop is closed.
func (t *stdio) stopped() bool {
	select {
	case <-t.conn.o.Stop:
		return true
	default:
		return false
	}
}

// close walks the ladder: end of stdin, TERM, KILL, a grace between them. What
// is left of the group afterwards is ended too.
func (t *stdio) close() {
	clock, grace := t.conn.o.Clock, t.conn.o.Grace
	_ = t.stdin.Close()
	if !await(clock, t.exited, grace) {
		note := NoteNeededTerm
		_ = t.proc.Terminate()
		if !await(clock, t.exited, grace) {
			note = NoteNeededKill
			_ = t.proc.Kill()
			<-t.exited
		}
		t.conn.note(note)
	}
	if !await(clock, t.eof, min(grace, time.Second)) {
		_ = t.proc.Terminate()
		if !t.stopped() && !await(clock, t.eof, grace) {
			_ = t.proc.Kill()
		}
	}
	_ = t.proc.Kill() // whoever of the group has let go of the pipes
	t.proc.Release()
	_ = t.stdout.Close()
	_ = t.stderr.Close()
	close(t.stop)
	t.pumps.Wait()
}
