package recorder

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
)

// logSink adds to the capture's log. After a failure it goes on as if nothing
// had happened, so that it can be said how many events were lost.
type logSink struct{ c *Capture }

func (s logSink) Add(ts time.Time, b journal.Body) (uuid.UUID, error) {
	if s.c.failure != nil {
		s.c.lost++
		return uuid.Nil, nil
	}
	id, err := s.c.writer.Add(ts, b)
	s.c.fail(err)
	return id, nil
}

// fail keeps the first error; nil is none. A line that is too long is lost
// alone.
func (c *Capture) fail(err error) {
	if c.failure == nil && err != nil && !errors.Is(err, journal.ErrTooLong) {
		c.failure = err
	}
}

// report tells the user one line, whatever the names of files in it are like.
func (c *Capture) report(text string) {
	c.o.Report("mcpeval: " + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text))
}

// panicLine is all that is said about a bug in the recorder: what a panic says
// may quote traffic.
const panicLine = "recording stopped: internal error in the recorder; the server is not affected"

var errPanic = errors.New("internal error in the recorder")

// protect ends the recording when the recorder has a bug. It is to be deferred
// by everything that records, so that a panic never reaches the traffic.
func (c *Capture) protect() {
	if recover() != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.abort()
	}
}

// guard is protect for methods that hold mu.
func (c *Capture) guard() {
	if recover() != nil {
		c.abort()
	}
}

// abort closes the log as it is and requires mu.
func (c *Capture) abort() {
	wasRecording := c.state == recording
	c.state = ended
	if c.aborted {
		return
	}
	c.aborted = true
	c.report(panicLine)
	defer func() { _ = recover() }() // closing may meet the same bug
	if wasRecording {
		c.backlog.stop()
		_ = c.syncer.stop()
		_ = c.writer.Close()
	}
}

// over reports whether nothing will be recorded any more.
func (c *Capture) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == ended
}
