package stdio

import (
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// ErrUnsupportedTarget is returned by Run on targets other than Unix and Windows.
var ErrUnsupportedTarget = errors.New("unsupported target: the stdio shim runs on Unix and Windows")

// ErrConsumer is returned by Run, beside the child's Exit, when the Consumer
// panicked or did not finish in time. Everything was forwarded all the same.
var ErrConsumer = errors.New("recording failed: the capture is incomplete")

// Options says what Run wraps. Args and Consumer are needed.
type Options struct {
	// Args is the child's command and arguments.
	Args []string
	// Consumer is told what passes through.
	Consumer Consumer
	// Queue is the size of the recording queue in bytes, a power of two of at
	// least 256 KiB. 0 means 16 MiB. Smaller means gaps sooner.
	Queue int
	// Grace is the time between the steps that end a child: end of file, TERM,
	// KILL. 0 means 5 s.
	Grace time.Duration
	// Drain is how long the output of a child that has exited may pause before it
	// is given up (its own children may hold the pipe for ever). 0 means 1 s.
	Drain time.Duration
}

func (o Options) withDefaults() Options {
	if o.Queue == 0 {
		o.Queue = 16 << 20
	}
	if o.Grace == 0 {
		o.Grace = process.DefaultGrace
	}
	if o.Drain == 0 {
		o.Drain = time.Second
	}
	return o
}
