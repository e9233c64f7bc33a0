package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// connection is one client over stdio.
type connection struct {
	server  *Server
	session *session
	running sync.WaitGroup // what is answered later
	dead    bool           // nothing is answered any more

	mu  sync.Mutex // guards the fields below
	out io.Writer
	err error // the first error of out
}

// ServeStdio serves one client until the end of in, then waits for slow calls
// that are still running. It returns nil at the end of in, ErrExited,
// ErrNotStarted, an error of in or out, or the cause of ctx, which is looked at
// between messages only. Several calls serve several clients of one server.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &connection{server: s, session: s.newSession(), out: out}
	defer s.endSession(c.session)
	switch s.aspect.start {
	case startExits:
		return ErrNotStarted
	case startSilent:
		c.dead = true
	}
	c.session.deliver = c.write
	err := c.serve(ctx, bufio.NewReaderSize(in, 64<<10))
	c.session.end() // no answer of the client can come any more
	c.running.Wait()
	return errors.Join(err, c.failed())
}

func (c *connection) serve(ctx context.Context, in *bufio.Reader) error {
	c.write([]byte(c.server.aspect.banner))
	for {
		text, tooLong, err := readLine(in)
		text = bytes.TrimSpace(text)
		switch {
		case c.dead:
		case tooLong:
			c.write(line(refuse(nil, codeInvalidRequest, "the message is too long")))
		case len(text) > 0:
			if c.line(ctx, text) {
				return ErrExited
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.failed() != nil:
			return nil
		}
	}
}

// line handles one message or batch; true ends the server.
func (c *connection) line(ctx context.Context, text []byte) bool {
	if !json.Valid(text) {
		c.server.see(Received{Verb: "stdio", Method: "invalid", Session: c.session.number}, nil)
		c.write(line(refuse(nil, codeParse, "Parse error")))
		return false
	}
	if text[0] == '[' {
		return c.batch(ctx, text)
	}
	answer, later, exit := c.message(ctx, text)
	if exit {
		return true
	}
	c.write(answer)
	if later != nil {
		c.running.Go(func() { c.write(later()) })
	}
	return false
}

// batch answers an array of messages, which 2025-03-26 allows.
func (c *connection) batch(ctx context.Context, text []byte) bool {
	var messages []json.RawMessage
	revision, _ := c.session.settled()
	if revision > revision2025a || json.Unmarshal(text, &messages) != nil || len(messages) == 0 {
		c.server.see(Received{Verb: "stdio", Method: "invalid", Session: c.session.number}, nil)
		c.write(line(refuse(nil, codeInvalidRequest, "batches are not part of this revision")))
		return false
	}
	var answers []func() []byte
	slow := false
	for _, m := range messages {
		answer, later, exit := c.message(ctx, m)
		if exit {
			return true
		}
		slow = slow || later != nil
		if later == nil {
			later = func() []byte { return answer }
		}
		answers = append(answers, later)
	}
	finish := func() {
		var all [][]byte
		for _, answer := range answers {
			if a := bytes.TrimSuffix(answer(), []byte("\n")); len(a) > 0 {
				all = append(all, a)
			}
		}
		if len(all) > 0 {
			c.write(append(append([]byte{'['}, bytes.Join(all, []byte{','})...), "]\n"...))
		}
	}
	if slow {
		c.running.Go(finish)
	} else {
		finish()
	}
	return false
}

// message begins to answer one message. The answer is empty when there is none;
// later makes it when it takes time; exit ends the server.
func (c *connection) message(ctx context.Context, raw []byte) (answer []byte, later func() []byte, exit bool) {
	s := c.server
	seen := Received{Verb: "stdio", Session: c.session.number}
	m := decode(raw)
	if m.request == nil {
		if m.wrong != nil {
			seen.Method = "invalid"
			answer = line(m.wrong)
		}
		s.see(seen, nil)
		if m.answer != nil {
			c.session.take(m.answer)
		}
		return answer, nil, false
	}
	x := &exchange{server: s, session: c.session, request: m.request, send: c.write}
	wrong := s.settle(x)
	seen.Revision = x.revision
	s.see(seen, m.request)
	if m.request.id == nil {
		switch x.note() {
		case startExits:
			return nil, nil, true
		case startSilent:
			c.dead = true
		}
		return nil, nil, false
	}
	r := reply{}
	if wrong != nil {
		r = *wrong
	} else {
		r = x.open()
	}
	if r.later == nil {
		return c.bytes(x, &r), nil, r.exit
	}
	running, done := c.session.begin(ctx, string(m.request.id))
	return nil, func() []byte {
		defer done()
		last := r.later(running)
		return c.bytes(x, &last)
	}, false
}

// bytes is what goes out for a reply; nothing for silence.
func (c *connection) bytes(x *exchange, r *reply) []byte {
	if r.silent || r.exit {
		return nil
	}
	out := x.bytes(r)
	if noise := c.server.aspect.noise; noise != nil && x.call > 0 {
		out = append([]byte(noise(x.call)), out...)
	}
	return out
}

// write writes in one piece, so that messages never mix.
func (c *connection) write(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && len(b) > 0 {
		_, c.err = c.out.Write(b)
	}
}

func (c *connection) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// readLine reads up to a newline or the end. A line over maxMessage is read to
// its end and dropped.
func readLine(in *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !tooLong {
			text = append(text, part...)
		}
		if len(text) > maxMessage {
			text, tooLong = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, tooLong, err
		}
	}
}
