package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// maxMessage is the longest message that is read, in bytes.
const maxMessage = 64 << 20

// ErrExited is returned when an aspect made the server end in the middle of a
// call. The process should then exit with a status that is not 0.
var ErrExited = errors.New("the server ended in the middle of a call, as asked")

// Options are what Serve works with.
type Options struct {
	// In and Out are the server's stdin and stdout.
	In  io.Reader
	Out io.Writer
	// Aspect is the way in which the server is broken; the zero value is clean.
	Aspect Aspect
	// After waits for the delay of the aspect slow; nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Serve answers messages from In until its end, then waits for slow calls that
// are still running. It returns nil at the end of In, ErrExited, an error of
// In or Out, or the cause of ctx, which is looked at between messages only.
func Serve(ctx context.Context, o *Options) error {
	s := &server{
		session: session{aspect: o.Aspect, revision: revision2025c},
		out:     o.Out,
		after:   o.After,
		running: make(map[string]context.CancelFunc),
	}
	if s.after == nil {
		s.after = time.After
	}
	err := s.serve(ctx, bufio.NewReaderSize(o.In, 64<<10))
	s.slow.Wait()
	return errors.Join(err, s.failed())
}

type server struct {
	session
	after func(time.Duration) <-chan time.Time
	slow  sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	out     io.Writer
	err     error // the first error of out
	running map[string]context.CancelFunc
}

func (s *server) serve(ctx context.Context, in *bufio.Reader) error {
	s.write([]byte(s.aspect.banner))
	for {
		line, tooLong, err := readLine(in)
		if tooLong {
			s.send(refuse(nil, codeInvalidRequest, "the message is too long"), "")
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			if s.line(ctx, line) {
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
		case s.failed() != nil:
			return nil
		}
	}
}

// line handles one message or batch; true ends the server.
func (s *server) line(ctx context.Context, line []byte) bool {
	if !json.Valid(line) {
		s.send(refuse(nil, codeParse, "Parse error"), "")
		return false
	}
	if line[0] != '[' {
		return s.message(ctx, line, func(r *response, noise string) { s.send(r, noise) })
	}
	return s.batch(ctx, line)
}

// batch answers an array of messages, which 2025-03-26 allows.
func (s *server) batch(ctx context.Context, line []byte) bool {
	var messages []json.RawMessage
	if s.revision > revision2025a || json.Unmarshal(line, &messages) != nil || len(messages) == 0 {
		s.send(refuse(nil, codeInvalidRequest, "batches are not part of this revision"), "")
		return false
	}
	var answers []*response
	for _, m := range messages {
		exit := s.message(ctx, m, func(r *response, noise string) {
			s.write([]byte(noise))
			answers = append(answers, r)
		})
		if exit {
			return true
		}
	}
	if len(answers) > 0 {
		s.sendAny(answers, "")
	}
	return false
}

// message handles one message and hands what to answer to send; true ends the
// server.
func (s *server) message(ctx context.Context, raw json.RawMessage, send func(*response, string)) bool {
	r, wrong, err := decodeRequest(raw)
	if err != nil {
		return false
	}
	if wrong != nil {
		send(wrong, "")
		return false
	}
	if r.method == "notifications/cancelled" {
		s.cancel(string(r.params["requestId"]))
	}
	out := s.handle(r)
	switch {
	case out.exit:
		return true
	case out.response == nil:
	case out.slow:
		s.later(ctx, string(r.id), out)
	default:
		send(out.response, out.noise)
	}
	return false
}

// later answers after the aspect's delay, unless the call is cancelled first.
func (s *server) later(ctx context.Context, id string, out reply) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.running[id] = cancel
	s.mu.Unlock()
	s.slow.Go(func() {
		defer cancel()
		select {
		case <-ctx.Done():
		case <-s.after(s.aspect.delay):
			s.send(out.response, out.noise)
		}
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
	})
}

func (s *server) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
}

func (s *server) send(r *response, noise string) { s.sendAny(r, noise) }

// sendAny writes noise and v in one write, so that messages never mix.
func (s *server) sendAny(v any, noise string) {
	b := bytes.NewBufferString(noise)
	if err := encode(b, v); err != nil {
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		s.mu.Unlock()
		return
	}
	s.write(b.Bytes())
}

func (s *server) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && len(b) > 0 {
		_, s.err = s.out.Write(b)
	}
}

func (s *server) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// readLine reads up to a newline or the end. A line over maxMessage is read to
// its end and dropped.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > maxMessage {
			line, tooLong = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}
