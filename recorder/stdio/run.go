//go:build (unix || windows) && !unsupported

package stdio

import (
	"os"
	"runtime"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// shim is one run. Its fields are used by the goroutine of Run only.
type shim struct {
	o        Options
	queue    *queue
	ports    *ports
	child    *process.Process
	out, in  *pump // client to child, child to client
	deadline *time.Timer

	exited   bool
	exit     process.Exit
	exitedAt time.Duration // since the queue's base
	outDone  bool          // the child's output is at its end, or nobody wants it
	termed   bool          // TERM was sent
	forced   bool          // a signal of our own was sent, and not one passed on
}

// Run starts the child and forwards between this process's standard input and
// output and the child's until the child has ended; its standard error is this
// process's own. A child that cannot be started gives a *process.StartError, and
// the Consumer is not called. Otherwise the Exit is the child's, with
// ErrConsumer beside it when the recording is incomplete.
//
// Run takes over signals and descriptors 0 and 1 for good, and leaves goroutines
// behind: afterwards the process has to end, with the child's exit code or by
// process.ReRaise.
func Run(o Options) (process.Exit, error) {
	o = o.withDefaults()
	// A pump that comes back from a system call must find a free processor,
	// however few there are and whatever the Consumer does.
	runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0)))
	signals := listen()
	ports, err := openPorts()
	if err != nil {
		return process.Exit{}, err
	}
	child, err := process.Start(process.Command{
		Args: o.Args, Stdin: ports.childFiles[0], Stdout: ports.childFiles[1], Stderr: os.Stderr,
		Guard: true, Grace: o.Grace,
	})
	ports.closeChildFiles()
	if err != nil {
		return process.Exit{}, err
	}
	s := newShim(o, ports, child)
	consumer := newDrainer(s.queue, o.Consumer)
	go consumer.run()
	err = s.supervise(signals)
	child.Release()
	s.ports.clientOut.retire() // the client need not wait for the recording
	consumer.stop <- s.exit
	select {
	case consumerErr := <-consumer.finished:
		if err == nil {
			err = consumerErr
		}
	case <-time.After(o.Grace):
		err = ErrConsumer
	}
	return s.exit, err
}

func newShim(o Options, ports *ports, child *process.Process) *shim {
	q := newQueue(o.Queue, time.Now())
	return &shim{
		o: o, queue: q, ports: ports, child: child, deadline: stoppedTimer(),
		out: &pump{dir: journal.Outbound, from: ports.clientIn, to: ports.childIn, queue: q, eof: ClientEOF, broken: ServerDeaf},
		in:  &pump{dir: journal.Inbound, from: ports.childOut, to: ports.clientOut, queue: q, eof: ServerEOF, broken: ClientGone},
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// supervise starts the pumps and returns when the child has exited and its
// output has ended.
func (s *shim) supervise(signals <-chan os.Signal) error {
	ends := make(chan EventKind, 2)
	for _, p := range []*pump{s.out, s.in} {
		go func() { ends <- p.run() }()
	}
	var waitErr error
	exited := make(chan process.Exit, 1)
	go func() {
		exit, err := s.child.Wait()
		waitErr = err // read after the exit was received
		exited <- exit
	}()
	for !s.exited || !s.outDone {
		select {
		case sig := <-signals:
			s.signalled(sig)
		case kind := <-ends:
			s.ended(kind)
		case s.exit = <-exited:
			s.exit.Killed = s.forced
			s.queue.note(ChildExited)
			s.queue.wake()
			s.exited = true
			s.exitedAt = s.queue.now()
			s.deadline.Reset(s.o.Drain)
		case <-s.deadline.C:
			s.late()
		}
	}
	return waitErr
}

// signalled passes a signal on. Only TERM sets a deadline: a server that lives
// through INT or HUP does so without the shim too.
func (s *shim) signalled(sig os.Signal) {
	if s.jobControl(sig) {
		return
	}
	s.queue.note(Signalled)
	s.queue.wake()
	switch {
	case s.exited:
		s.outDone = true // only output that nobody fetches keeps us
	case isTerm(sig) && s.termed:
		s.forced = true
		_ = s.child.Kill()
	default:
		_ = s.child.Forward(sig)
		if isTerm(sig) {
			s.termed = true
			s.deadline.Reset(s.o.Grace)
		}
	}
}

// ended handles the end of a pump, which has noted it and closed the other side.
func (s *shim) ended(kind EventKind) {
	switch kind {
	case ServerEOF:
		s.outDone = true
	case ClientGone:
		s.outDone = true
		s.ports.childIn.retire()
		if !s.termed && !s.exited {
			s.deadline.Reset(s.o.Grace)
		}
	}
}

// late takes the next step when a deadline has passed.
func (s *shim) late() {
	switch {
	case s.exited:
		// A child of the child may hold the pipe. A chunk that the client does not
		// take is not our silence.
		silence := s.queue.now() - max(s.exitedAt, time.Duration(s.in.lastRead.Load()))
		switch {
		case s.in.writing.Load():
			s.deadline.Reset(s.o.Drain)
		case silence < s.o.Drain:
			s.deadline.Reset(s.o.Drain - silence)
		default:
			s.outDone = true
		}
	case !s.termed:
		s.termed, s.forced = true, true
		_ = s.child.Terminate()
		s.deadline.Reset(s.o.Grace)
	default:
		s.forced = true
		_ = s.child.Kill()
	}
}
