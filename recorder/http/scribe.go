package httpshim

import (
	"net/http"
	"net/url"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Lines that are owed to the user.
const (
	panicLine  = "mcpeval: recording stopped: internal error in the recorder; the server is not affected"
	legacyLine = "mcpeval: the server speaks the 2024-11-05 HTTP+SSE transport, which passes but is not recorded"
)

const maxLegacyPaths = 16

// scribe records what the queue brings, in one goroutine of its own.
type scribe struct {
	queue    *queue
	captures *captures
	scanner  *wire.Scanner
	report   func(string)
	now      func() time.Time

	held   held
	legacy map[string]struct{} // paths that clients of the 2024-11-05 transport post to
	told   bool                // that this transport is not recorded
	broken bool                // by a bug: nothing is recorded any more

	stop chan struct{} // closed when nothing more will be put
	done chan struct{} // closed when all is recorded and the captures have ended
}

func newScribe(q *queue, o *Options) *scribe {
	return &scribe{
		queue:    q,
		captures: newCaptures(o),
		scanner:  wire.NewScanner(nil),
		report:   o.Report,
		now:      o.Now,
		legacy:   make(map[string]struct{}),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
}

// run is the goroutine.
func (s *scribe) run() {
	defer close(s.done)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var spare []item
	for stopping := false; !stopping; {
		select {
		case <-s.queue.bell:
		case <-ticker.C:
			s.guarded(s.tick)
		case <-s.stop:
			stopping = true
		}
		spare = s.drain(spare)
	}
	s.guarded(func() { s.captures.endAll(s.now()) })
}

// drain records all that is in the queue.
func (s *scribe) drain(spare []item) []item {
	items, lost := s.queue.take(spare)
	for i := range items {
		s.guarded(func() { s.item(&items[i]) })
		s.queue.done(&items[i])
		items[i] = item{}
	}
	s.guarded(func() {
		now := s.now()
		for key, n := range lost {
			r := s.captures.of(key, now)
			r.used, r.dirty = true, true
			r.capture.Gap(now, n.outbound, n.inbound)
		}
		s.captures.flush(now)
	})
	return items
}

// guarded does something unless a bug has ended the recording, and lets one end
// only that.
func (s *scribe) guarded(do func()) {
	if s.broken {
		return
	}
	defer func() {
		if recover() != nil {
			s.broken = true
			s.report(panicLine)
		}
	}()
	do()
}

// tick does what time demands.
func (s *scribe) tick() {
	now := s.now()
	for x := s.held.oldest(); x != nil && now.Sub(x.thread.request.at) >= holdRequest; x = s.held.oldest() {
		s.release(x, x.session)
	}
	s.captures.tick(now)
}

func (s *scribe) item(it *item) {
	x := it.x
	switch it.kind {
	case begun:
		s.begun(x, it)
	case tooLarge:
		s.tooLarge(x, it)
	case leaving:
		for x := s.held.oldest(); x != nil; x = s.held.oldest() {
			s.release(x, x.session)
		}
		s.captures.leaving(it.at)
	case answered:
		s.answered(x, it)
	case chunk, whole:
		if !x.thread.ignored {
			s.body(x, it)
		}
	case ended:
		s.ended(x, it)
	}
}

func (s *scribe) begun(x *exchange, it *item) {
	t := &x.thread
	if _, ok := s.legacy[x.path]; ok && x.session == (sessionKey{}) {
		t.ignored = true
		return
	}
	t.modern = x.modern
	t.request = *it
	switch {
	case x.session != (sessionKey{}):
		s.release(x, x.session)
	case !x.standalone():
		t.held = true
		s.held.add(x)
	}
}

// release records a request that may have been held.
func (s *scribe) release(x *exchange, key sessionKey) {
	t := &x.thread
	it := t.request
	t.request = item{}
	if t.held {
		t.held = false
		s.held.remove(x)
	}
	body := it.data
	if x.coding == gzipped {
		if text, ok := inflateWhole(body); ok {
			body = text
		}
	}
	f := s.scanner.ScanBody(body)
	if !x.endpoint && f.Class != wire.RPC && key == (sessionKey{}) {
		t.ignored = true // such as what leads to an authorization
		return
	}
	t.note(f)
	s.bind(x, key, it.at)
	s.gap(x, it.at, it.lost, journal.Traffic{})
	s.frame(x, x.read(journal.Outbound, it.at, it.self), f)
}

// tooLarge records a request of which only the size is known.
func (s *scribe) tooLarge(x *exchange, it *item) {
	if !x.endpoint && x.session == (sessionKey{}) {
		x.thread.ignored = true
		return
	}
	s.bind(x, x.session, it.at)
	s.frame(x, x.read(journal.Outbound, it.at, 0), &wire.Frame{Class: wire.NotJSON, Bytes: it.end.bytes})
}

func (s *scribe) answered(x *exchange, it *item) {
	t := &x.thread
	t.head = it.head
	if x.method != http.MethodPost && !x.standalone() {
		t.head.form = opaque // no method of MCP's that has anything to tell
	}
	switch {
	case t.ignored:
	case t.held:
		s.release(x, t.head.session)
	case t.recording != nil:
	case t.head.form == stream:
		s.bind(x, t.head.session, it.at)
	default: // a page, perhaps
		t.ignored = true
	}
	if t.ignored {
		return
	}
	if t.head.form == stream && t.head.coding != unreadable {
		t.events = wire.NewEvents(nil)
		if t.head.coding == gzipped {
			t.gzip = newInflater()
		}
	}
}

func (s *scribe) ended(x *exchange, it *item) {
	t := &x.thread
	if t.held { // no head of a response came
		s.release(x, x.session)
	}
	if t.ignored || t.recording == nil {
		if t.gzip != nil {
			t.gzip.close()
		}
		return
	}
	if t.gzip != nil {
		read := x.read(journal.Inbound, it.at, 0)
		sound := t.gzip.finish(func(text []byte) { s.feed(x, read, text) })
		t.unread = t.unread || !sound && it.end.why == finished
		if t.ignored {
			return
		}
	}
	s.gap(x, it.at, journal.Traffic{}, it.lost)
	s.settle(x, it)
	r := t.recording
	s.unbind(x, it.at)
	if s.endsSession(x, it) && !r.over {
		r.left = true
		s.captures.retire(r, it.at)
	}
}

// settle records what becomes of the requests that the exchange brought and
// that were not answered in it. In a session they may be answered elsewhere.
func (s *scribe) settle(x *exchange, it *item) {
	t := &x.thread
	if t.requests == 0 || t.recording.over {
		return
	}
	capture, read := t.recording.capture, x.read(journal.Inbound, it.at, 0)
	status := t.head.status
	t.recording.dirty = true
	switch {
	case status != 0 && (status < 200 || status > 299):
		capture.FailExchange(read, status, it.end.bytes)
	case it.end.why == overBound, t.unread, t.head.coding == unreadable && (t.head.form == json || t.head.form == stream):
		capture.CloseExchange(read, recorder.Unread)
	case it.end.why == clientGone && t.modern:
		capture.CloseExchange(read, recorder.Withdrawn)
	case it.end.why == unreachable, t.modern, x.channel() != 0:
		capture.CloseExchange(read, recorder.Lost)
	}
}

// endsSession reports whether the session of an exchange is over: the client
// has deleted it, or the server does not know it any more. From 2026-07-28 on
// there are none, and 404 means something else.
func (s *scribe) endsSession(x *exchange, it *item) bool {
	status := x.thread.head.status
	if x.session == (sessionKey{}) || it.end.why != finished {
		return false
	}
	return status == http.StatusNotFound && !x.thread.modern || x.method == http.MethodDelete && status/100 == 2
}

// isLegacy notes that an exchange is the stream of a 2024-11-05 server, and
// where its client will post to.
func (s *scribe) isLegacy(x *exchange, e *wire.Event) {
	if !s.told {
		s.told = true
		s.report(legacyLine)
	}
	if to, err := url.Parse(string(e.Data)); err == nil && len(s.legacy) < maxLegacyPaths {
		s.legacy[(&url.URL{Path: x.path}).ResolveReference(to).Path] = struct{}{}
	}
	s.unbind(x, s.now())
	x.thread.ignored = true
}
