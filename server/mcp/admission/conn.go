package admission

import (
	"net"
	"slices"
	"strconv"
	"time"
)

// state is what a connection does.
type state uint8

const (
	resting  state = iota // between requests
	standing              // it came when too many waited, and has not spoken
	reading               // a request is being read
	queued                // it was read and has no worker
	serving               // it has a worker
	gone
)

// Conn is an admitted connection. Its read deadline is its own: http.Server can
// only break off a read and take that back.
type Conn struct {
	net.Conn
	hall *Hall

	// What follows is guarded by hall.mu.
	state   state
	heard   bool // of the request that is being read
	early   bool // bytes of the next request came while this one was served
	expired bool // the time to read was up
	timer   *time.Timer
}

// tooLate is the answer to a request that did not come in time.
var tooLate = func(body string) []byte {
	return []byte("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request did not come within five seconds"}}`)

// turn changes the state and the counts of the hall. It requires hall.mu.
func (c *Conn) turn(to state) {
	h := c.hall
	switch c.state {
	case resting:
		h.resting--
	case standing:
		h.standing--
	case reading, queued:
		h.waiting--
		h.silent = slices.DeleteFunc(h.silent, func(other *Conn) bool { return other == c })
	case serving:
		<-h.workers
	}
	switch to {
	case resting:
		h.resting++
	case standing:
		h.standing++
	case reading, queued:
		h.waiting++
	}
	c.state = to
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	switch to {
	case standing:
		c.after(StandTime)
	case reading:
		c.after(RequestTime)
	case resting:
		c.after(RestTime)
	}
}

// after closes the connection when it is still in this state after d. It
// requires hall.mu.
func (c *Conn) after(d time.Duration) {
	var timer *time.Timer
	timer = time.AfterFunc(d, func() { c.expire(&timer) })
	c.timer = timer
}

// expire is what a timer does, unless another has taken its place.
func (c *Conn) expire(timer **time.Timer) {
	h := c.hall
	h.mu.Lock()
	if c.timer == nil || c.timer != *timer {
		h.mu.Unlock()
		return
	}
	if c.state == standing && h.waiting < Waiting {
		c.listen()
		h.mu.Unlock()
		return
	}
	c.expired = true
	answer := c.state == reading && c.heard
	h.mu.Unlock()
	if answer {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Conn.Write(tooLate) // as far as that goes
	}
	_ = c.Conn.Close()
}

// read turns a connection at rest to reading; heard tells whether bytes have come.
// It reports whether there was room. Where there is none, one that has not spoken
// stands for a moment; one that reads or has a request stays what it is.
func (c *Conn) read(heard bool) bool {
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case c.state == gone:
		return false
	case c.state == queued, c.state == serving:
		c.early = c.early || heard
		return true
	case c.expired && c.state != reading:
		return false
	case c.state == resting && !heard && h.waiting >= Waiting:
		if h.standing >= Waiting {
			return false
		}
		c.turn(standing)
	case c.state == resting, c.state == standing && heard:
		if !h.room() {
			return false
		}
		c.listen()
	}
	if heard && !c.heard {
		c.heard = true
		h.silent = slices.DeleteFunc(h.silent, func(other *Conn) bool { return other == c })
	}
	return true
}

// listen gives a connection its place among those that wait. It requires hall.mu.
func (c *Conn) listen() {
	c.turn(reading)
	c.heard = false
	c.hall.silent = append(c.hall.silent, c)
}

// queue says that all of the request was read.
func (c *Conn) queue() bool {
	if !c.read(true) { // the whole of it may have come with the one before
		return false
	}
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.expired || c.state != reading {
		return false
	}
	c.turn(queued)
	return true
}

// serve says that a worker was taken.
func (c *Conn) serve() bool {
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.state != queued {
		return false
	}
	c.turn(serving)
	return true
}

// rest says that the response was written.
func (c *Conn) rest() {
	h := c.hall
	h.mu.Lock()
	if c.state != gone {
		c.turn(resting)
	}
	early := c.early
	c.early = false
	h.mu.Unlock()
	if early && !c.read(true) {
		_ = c.Conn.Close() // it is refused
	}
}

// leave says that the connection is closed.
func (c *Conn) leave() {
	c.hall.mu.Lock()
	defer c.hall.mu.Unlock()
	if c.state != gone {
		c.turn(gone)
	}
}

// Read notes the first byte of a request. Where too many wait already, the
// connection ends there.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.read(true) {
		_ = c.Conn.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

// Write gives the client WriteTime to take some of the response.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(WriteTime)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// SetReadDeadline lets a read be broken off, by a time that has passed, and that
// be taken back. How long reading may take is not the server's to say.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if t.After(time.Now()) {
		t = time.Time{}
	}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline does nothing: Write sets it.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline is SetReadDeadline.
func (c *Conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }
