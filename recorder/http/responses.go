package httpshim

import (
	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// body records what a response body, or a piece of one, holds.
func (s *scribe) body(x *exchange, it *item) {
	t := &x.thread
	if it.lost != (journal.Traffic{}) {
		s.gap(x, it.at, journal.Traffic{}, it.lost)
		s.resume(t)
	}
	read := x.read(journal.Inbound, it.at, it.self)
	switch {
	case t.head.form == opaque:
	case it.kind == whole:
		s.whole(x, read, it.data)
	case t.gzip != nil:
		sound := t.gzip.feed(it.data, func(text []byte) { s.feed(x, read, text) })
		t.unread = t.unread || !sound
	case t.events != nil:
		s.feed(x, read, it.data)
	}
}

// resume goes on behind a hole in a stream. What a decompressor reads there
// means nothing.
func (s *scribe) resume(t *thread) {
	t.cut = true
	if t.events != nil {
		t.events = wire.NewEvents(nil)
	}
	if t.gzip != nil {
		t.gzip.close()
		t.gzip, t.events, t.unread = nil, nil, true
	}
}

// whole records a body of one JSON text.
func (s *scribe) whole(x *exchange, read recorder.Read, body []byte) {
	t := &x.thread
	if t.head.coding == gzipped {
		text, ok := inflateWhole(body)
		if !ok {
			t.unread = true
			return
		}
		body = text
	}
	f := s.scanner.ScanBody(body)
	if f.Class != wire.RPC && (t.head.status/100 != 2 || !x.endpoint) {
		return // what HTTP has to say, such as why there is no access
	}
	t.address(f)
	s.frame(x, read, f)
}

// feed records the events of a piece of a stream.
func (s *scribe) feed(x *exchange, read recorder.Read, p []byte) {
	t := &x.thread
	t.events.Feed(p, func(e *wire.Event) {
		switch {
		case t.ignored:
		case e.Truncated && e.Data == nil:
			t.unread = true
		case string(e.Name) == "endpoint" && x.standalone() && x.session == (sessionKey{}):
			s.isLegacy(x, e)
		case e.IsMessage():
			s.event(x, read, e.Data)
		}
	})
}

func (s *scribe) event(x *exchange, read recorder.Read, data []byte) {
	t := &x.thread
	f := s.scanner.ScanBody(data)
	if t.cut {
		// The first event behind a hole may be the rest of one: only when it is a
		// message by itself is it taken.
		t.cut = false
		if f.Class != wire.RPC {
			s.gap(x, read.At, journal.Traffic{}, journal.Traffic{Frames: 1, Bytes: f.Bytes})
			return
		}
	}
	t.address(f)
	s.frame(x, read, f)
}
