package httpshim

import (
	"net/http"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// thread is what the scribe knows about an exchange.
type thread struct {
	recording *recording
	ignored   bool // it is no traffic of the MCP endpoint

	// A request without a session waits for the head of the response, which may
	// give it one.
	held     bool
	request  item
	prev     *exchange // among those held
	next     *exchange
	requests int     // that it brought
	only     wire.ID // of the only one
	modern   bool    // of a revision without sessions

	head   head
	events *wire.Events
	gzip   *inflater
	cut    bool // events are missing before the next one
	unread bool // some of the response could not be read
}

// channel is the space of the exchange's ids: there is one in a session's
// recording, and one for each exchange where there is no session.
func (x *exchange) channel() uint64 {
	if r := x.thread.recording; r.key != (sessionKey{}) {
		return 0
	}
	return x.number
}

func (x *exchange) read(dir journal.Direction, at time.Time, self time.Duration) recorder.Read {
	return recorder.Read{Channel: x.channel(), Exchange: x.number, Direction: dir, At: at, Self: max(0, self)}
}

// standalone reports whether the exchange is a stream that no request opened.
func (x *exchange) standalone() bool { return x.method == http.MethodGet }

// bind gives an exchange its recording.
func (s *scribe) bind(x *exchange, key sessionKey, now time.Time) {
	r := s.captures.of(key, now)
	x.thread.recording = r
	if !x.standalone() {
		r.busy++
	}
}

// unbind ends that.
func (s *scribe) unbind(x *exchange, now time.Time) {
	r := x.thread.recording
	x.thread.recording = nil
	if r != nil && !r.over && !x.standalone() {
		s.captures.leave(r, now)
	}
}

// target is the recording for a message of a bound exchange, or nil when it
// belongs nowhere any more. A recording that ended because it was idle or one
// too many gets a successor.
func (s *scribe) target(x *exchange, now time.Time) *recording {
	r := x.thread.recording
	if r.over {
		if r.left {
			return nil
		}
		s.bind(x, r.key, now)
		r = x.thread.recording
	}
	r.last, r.used, r.dirty = now, true, true
	return r
}

// frame records one frame of an exchange.
func (s *scribe) frame(x *exchange, r recorder.Read, f *wire.Frame) {
	if f.Class == wire.Blank {
		return
	}
	if target := s.target(x, r.At); target != nil {
		r.Channel = x.channel()
		target.capture.Frame(r, f)
	}
}

// gap records that traffic of an exchange is missing.
func (s *scribe) gap(x *exchange, at time.Time, outbound, inbound journal.Traffic) {
	if outbound == (journal.Traffic{}) && inbound == (journal.Traffic{}) {
		return
	}
	if target := s.target(x, at); target != nil {
		target.capture.Gap(at, outbound, inbound)
	}
}

// note takes what matters later from the frame of a request.
func (t *thread) note(f *wire.Frame) {
	for i := range f.Messages {
		m := &f.Messages[i]
		if m.Kind != wire.Request {
			continue
		}
		t.requests++
		t.only = m.ID
		t.modern = t.modern || declaresModern(m.Params.Meta)
	}
}

func declaresModern(meta rawjson.Value) bool {
	for key, v := range meta.Members() {
		if key.Is("io.modelcontextprotocol/protocolVersion") {
			var buf [16]byte
			return isModern(string(v.AppendText(buf[:0])))
		}
	}
	return false
}

// address completes an error response that names no id: it came as the answer
// to the only request of its exchange.
func (t *thread) address(f *wire.Frame) {
	if t.requests != 1 || len(f.Messages) != 1 || f.Batch {
		return
	}
	if m := &f.Messages[0]; m.Kind == wire.Response && m.HasError && m.ID.IsZero() {
		m.ID = t.only
	}
}
