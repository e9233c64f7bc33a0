package httpshim

import (
	"time"

	"github.com/mcpeval/mcpeval/recorder"
)

// recording is one recorder instance.
type recording struct {
	capture *recorder.Capture
	key     sessionKey
	used    bool      // something was recorded, so that there is a log to end
	dirty   bool      // something was recorded that is not acknowledged
	busy    int       // open exchanges, standalone streams left out
	last    time.Time // of the last message or request
	retired bool      // takes no new exchanges, and ends with the last of its own
	over    bool      // has ended
	left    bool      // because its session has; nothing may bring it back
}

// captures are the open recordings: one for each session, and under the zero
// key the one of all exchanges without. It belongs to the scribe.
type captures struct {
	options recorder.CaptureOptions
	idle    time.Duration
	byKey   map[sessionKey]*recording
	open    map[*recording]struct{} // retired ones included
}

func newCaptures(o *Options) *captures {
	options := o.Capture
	options.Now = o.Now
	said := ""
	options.Report = func(line string) { // a store that cannot be used is so for every capture
		if line != said {
			said = line
			o.Report(line)
		}
	}
	return &captures{
		options: options,
		idle:    o.Idle,
		byKey:   make(map[sessionKey]*recording),
		open:    make(map[*recording]struct{}),
	}
}

// of is the recording of a session, a new one when there is none that is still
// in use.
func (c *captures) of(key sessionKey, now time.Time) *recording {
	if r := c.byKey[key]; r != nil {
		if !c.isIdle(r, now) {
			return r
		}
		c.retire(r, now)
	}
	if len(c.open) >= maxCaptures {
		c.end(c.idlest(), now)
	}
	r := &recording{capture: recorder.NewCapture(&c.options), key: key, last: now}
	c.byKey[key] = r
	c.open[r] = struct{}{}
	return r
}

// isIdle reports whether a recording is to take nothing more. A session waits
// for its open exchanges, however long a call takes; what has no session does
// not, or one subscription would keep it open for ever.
func (c *captures) isIdle(r *recording, now time.Time) bool {
	return now.Sub(r.last) >= c.idle && (r.busy == 0 || r.key == sessionKey{})
}

func (c *captures) idlest() (r *recording) {
	for other := range c.open {
		if r == nil || (other.busy == 0 && r.busy > 0) || (other.busy == 0) == (r.busy == 0) && other.last.Before(r.last) {
			r = other
		}
	}
	return r
}

// retire makes a recording end with the last of its open exchanges.
func (c *captures) retire(r *recording, now time.Time) {
	if c.byKey[r.key] == r {
		delete(c.byKey, r.key)
	}
	r.retired = true
	if r.busy == 0 {
		c.end(r, now)
	}
}

// leave takes an exchange from a recording.
func (c *captures) leave(r *recording, now time.Time) {
	if r.busy--; r.busy == 0 && r.retired {
		c.end(r, now)
	}
}

func (c *captures) end(r *recording, now time.Time) {
	if r.over {
		return
	}
	if c.byKey[r.key] == r {
		delete(c.byKey, r.key)
	}
	delete(c.open, r)
	r.over = true
	if r.used {
		r.capture.End(now, recorder.NoExit)
	}
}

// flush acknowledges what was recorded since the last time.
func (c *captures) flush(now time.Time) {
	for r := range c.open {
		if r.dirty {
			r.dirty = false
			r.capture.Idle(now)
		}
	}
}

// tick ends what has been idle for long, and keeps evidence of requests that
// have waited long.
func (c *captures) tick(now time.Time) {
	for r := range c.open {
		if !r.retired && c.isIdle(r, now) {
			c.retire(r, now)
		}
		if !r.over {
			r.capture.Idle(now)
		}
	}
}

// leaving keeps evidence of what is open: the next thing may be a SIGKILL.
func (c *captures) leaving(now time.Time) {
	for r := range c.open {
		r.capture.ClientGone(now)
	}
}

func (c *captures) endAll(now time.Time) {
	for r := range c.open {
		c.end(r, now)
	}
}
