package projections_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
)

// epoch is when the tests' captures start.
var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newHome makes an empty home.
func newHome(t testing.TB) *home.Home {
	t.Helper()
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// refresh runs a cycle that must succeed.
func refresh(t testing.TB, h *home.Home) *projections.Result {
	t.Helper()
	res, err := projections.Refresh(context.Background(), h, nil)
	if err != nil {
		t.Fatalf("refresh: %v", err)
	}
	return res
}

// rebuilt is the digest that a full rebuild of a home's store gives, made in
// another home.
func rebuilt(t testing.TB, h *home.Home) string {
	t.Helper()
	other := newHome(t)
	copyStore(t, h, other)
	refresh(t, other)
	return digest(t, other)
}

func digest(t testing.TB, h *home.Home) string {
	t.Helper()
	d, err := projections.Digest(context.Background(), h)
	if err != nil {
		t.Fatalf("digest: %v", err)
	}
	return d
}

// sameAsRebuilt is the epilogue of most tests.
func sameAsRebuilt(t testing.TB, h *home.Home) {
	t.Helper()
	if got, want := digest(t, h), rebuilt(t, h); got != want {
		t.Errorf("digest %.12s, a full rebuild gives %.12s", got, want)
	}
}

func copyStore(t testing.TB, from, to *home.Home) {
	t.Helper()
	if err := os.RemoveAll(to.Store()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to.Store(), os.DirFS(from.Store())); err != nil {
		t.Fatal(err)
	}
}

// capture writes the lines of one capture by hand, so that tests can bend
// every field.
type capture struct {
	id   uuid.UUID
	ev   journal.Event
	text []byte // all lines so far
	last []byte // the last one
	path string
}

// ids makes event and capture IDs that do not depend on chance.
type ids struct{ n uint64 }

func (g *ids) uuid(version byte) (id uuid.UUID) {
	g.n++
	// The first bytes vary as those of time-ordered IDs of several captures do.
	binary.BigEndian.PutUint64(id[:8], g.n*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(id[8:], g.n)
	id[6] = id[6]&0x0f | version<<4
	id[8] = id[8]&0x3f | 0x80
	return id
}

func (g *ids) capture(session, server string) *capture {
	c := &capture{id: g.uuid(4)}
	c.ev = journal.Event{
		Capture: c.id, TS: epoch, Session: sanitize.SessionOf(session), Server: label(server), Kind: journal.Real,
	}
	c.path = journal.CapturePath(epoch, c.id)
	c.add(g, &journal.CaptureStart{
		Recorder: journal.RecorderShim, Version: label("1.0.0"), OS: label("linux"), Arch: label("amd64"), SaltID: saltID(),
	})
	return c
}

// add appends an event a second after the one before and returns its ID.
func (c *capture) add(g *ids, b journal.Body) uuid.UUID {
	c.ev.Seq++
	c.ev.TS = c.ev.TS.Add(time.Second)
	c.ev.ID = g.uuid(7)
	c.ev.Body = b
	c.line()
	return c.ev.ID
}

// line appends c.ev as it is and chains the next one to it.
func (c *capture) line() {
	c.last = journal.AppendEvent(nil, &c.ev)
	c.text = append(append(c.text, c.last...), '\n')
	c.ev.Prev = journal.LineDigest(c.last).Prev()
}

func (c *capture) write(t testing.TB, h *home.Home) { put(t, h, c.path, c.text) }

// put writes a file of the store.
func put(t testing.TB, h *home.Home, rel string, text []byte) {
	t.Helper()
	name := filepath.Join(h.Store(), filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func label(s string) sanitize.Label {
	l, err := sanitize.NewLabel(s)
	if err != nil {
		return sanitize.Label{}
	}
	return l
}

func saltID() sanitize.SaltID {
	id, _ := sanitize.ParseSaltID([]byte("0123abcd"))
	return id
}

func shape(s string) sanitize.Shape {
	v, _ := sanitize.ParseShape([]byte(s))
	return v
}

// call is a tools/call with an outcome.
func call(tool string, o journal.Outcome) *journal.Call {
	c := &journal.Call{
		Origin: journal.FromClient, Method: sanitize.MethodOf([]byte("tools/call")), Tool: sanitize.ToolOf([]byte(tool), true),
		Args: shape(`{"path":"str32"}`), LatencyUS: 1234, RequestBytes: 100, ResponseBytes: 200, Outcome: o, ShimSelfUS: 5,
	}
	switch o {
	case journal.OutcomeError:
		code, _ := sanitize.ParseCode([]byte(`"tool-error"`))
		id, _ := sanitize.ParseTemplateID([]byte("00112233445566aa"))
		c.Error = &journal.CallError{Code: code, Retryable: journal.True, TemplateID: id}
	case journal.OutcomeUnanswered, journal.OutcomeCancelled:
		c.LatencyUS, c.ResponseBytes = -1, -1
	}
	return c
}

func pending(tool string) *journal.Pending {
	c := call(tool, journal.OutcomeOK)
	return &journal.Pending{Origin: c.Origin, Method: c.Method, Tool: c.Tool, Args: c.Args, RequestBytes: c.RequestBytes}
}

// refreshFull runs a full rebuild in place.
func refreshFull(t testing.TB, h *home.Home) *projections.Result {
	t.Helper()
	res, err := projections.Refresh(context.Background(), h, &projections.Options{Rebuild: true})
	if err != nil {
		t.Fatalf("rebuild: %v", err)
	}
	return res
}

func method(name string) sanitize.Method { return sanitize.MethodOf([]byte(name)) }
