package recorder

import (
	"bytes"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/stdio"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Lines records the two byte streams of the stdio transport into a Capture.
type Lines struct {
	capture           *Capture
	outbound, inbound stream
}

var _ stdio.Consumer = (*Lines)(nil)

// NewLines returns a Lines that records into c.
func NewLines(c *Capture) *Lines {
	l := &Lines{capture: c}
	l.outbound.begin(c, journal.Outbound)
	l.inbound.begin(c, journal.Inbound)
	return l
}

// Chunk records the frames that data completes.
func (l *Lines) Chunk(dir journal.Direction, data []byte, readAt, handedOn time.Time) {
	defer l.capture.protect()
	if !l.capture.over() {
		l.of(dir).feed(data, readAt, handedOn)
	}
}

// Gap records that bytes are missing here. The line that they cut short counts
// among them.
func (l *Lines) Gap(dir journal.Direction, frames, byteCount int64) {
	defer l.capture.protect()
	l.of(dir).gap(journal.Traffic{Frames: frames, Bytes: byteCount})
}

// Event ends a stream, or keeps the evidence of what is open when the client
// goes.
func (l *Lines) Event(kind stdio.EventKind, at time.Time) {
	defer l.capture.protect()
	switch kind {
	case stdio.ClientEOF:
		l.outbound.finish(at)
		l.capture.ClientGone(at)
	case stdio.ClientGone, stdio.Signalled:
		l.capture.ClientGone(at)
	case stdio.ServerEOF:
		l.inbound.finish(at)
	}
}

// Idle acknowledges what was recorded.
func (l *Lines) Idle(now time.Time) {
	l.capture.Idle(now)
}

// Done ends the capture.
func (l *Lines) Done(exit process.Exit, at time.Time) {
	defer l.capture.protect()
	l.outbound.finish(at)
	l.inbound.finish(at)
	l.capture.End(at, exitOf(exit))
}

func (l *Lines) of(dir journal.Direction) *stream {
	if dir == journal.Outbound {
		return &l.outbound
	}
	return &l.inbound
}

// exitOf is how the child ended, for the end event.
func exitOf(e process.Exit) Exit {
	if e.Signal == nil {
		return Exit{Code: e.Code, Killed: e.Killed}
	}
	return Exit{Code: -1, Signal: signalNumber(e.Signal), Killed: e.Killed}
}

// stream is one direction.
type stream struct {
	capture *Capture
	scanner *wire.Scanner
	emit    func(*wire.Frame)
	read    Read
	open    int64 // bytes of the line that has no end yet
	cut     bool  // bytes are missing before the next line
	ended   bool
}

func (s *stream) begin(c *Capture, dir journal.Direction) {
	s.capture, s.scanner, s.read = c, wire.NewScanner(nil), Read{Direction: dir}
	s.emit = s.take
}

func (s *stream) feed(data []byte, readAt, handedOn time.Time) {
	s.read.At, s.read.Self = readAt, max(0, handedOn.Sub(readAt))
	s.scanner.Feed(data, s.emit)
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		s.open = int64(len(data) - i - 1)
	} else {
		s.open += int64(len(data))
	}
}

func (s *stream) finish(at time.Time) {
	if s.ended {
		return
	}
	s.ended = true
	if s.read.At.IsZero() {
		s.read.At = at
	}
	s.scanner.Finish(s.emit)
}

// gap records lost traffic. It drops the line that has begun; its newline is
// among the lost ones, or still to come.
func (s *stream) gap(lost journal.Traffic) {
	s.scanner.Reset()
	lost.Bytes += s.open
	s.open, s.cut = 0, true
	s.record(lost)
}

// take records a frame. After a gap the first one may be the rest of a line
// that began in it: only when it is a whole message by itself is it taken.
func (s *stream) take(f *wire.Frame) {
	if s.cut {
		s.cut = false
		if f.Class != wire.RPC {
			s.record(journal.Traffic{Frames: 1, Bytes: f.Bytes})
			return
		}
	}
	s.capture.Frame(s.read, f)
}

func (s *stream) record(lost journal.Traffic) {
	now := s.capture.o.Now()
	if s.read.Direction == journal.Outbound {
		s.capture.Gap(now, lost, journal.Traffic{})
	} else {
		s.capture.Gap(now, journal.Traffic{}, lost)
	}
}
