package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// ErrClosed is returned by a Writer after Close.
var ErrClosed = errors.New("journal writer is closed")

// Options are what a capture's writer needs. The injected functions may be nil.
type Options struct {
	Store    string // the store's folder
	Session  sanitize.Session
	Server   sanitize.Label
	Kind     Kind
	Recorder RecorderKind
	Version  sanitize.Label // of mcpeval
	SaltID   sanitize.SaltID

	// SyncAlways makes every Flush an fsync too: slow, and needed only where a
	// power loss may not take even the last second.
	SyncAlways bool

	Now   func() time.Time                        // default time.Now
	Rand  io.Reader                               // source of identities; default crypto/rand
	Write func(f *os.File, p []byte) (int, error) // default (*os.File).Write; a test's failing disk
}

// Writer appends the events of one capture to its own file. Add puts an event
// into memory; it is acknowledged when the Flush after it has returned nil: it
// then survives the death of any process. Add, Append, Flush, Sync and Close
// may be called concurrently; sequence and chain stay whole. After the first
// write error nothing more is appended, so that a torn line stays the last.
type Writer struct {
	o    Options
	id   uuid.UUID
	rel  string
	file *os.File

	mu    sync.Mutex // guards what follows
	rand  io.Reader
	ev    Event
	buf   []byte // whole lines not yet written
	line  []byte
	seq   int64
	acked int64
	lost  int64
	err   error

	syncMu sync.Mutex // guards synced; never held with mu wanted
	synced bool       // the folder entries are durable
}

// flushAt bounds the memory of events that wait for a Flush.
const flushAt = 256 << 10

// Create makes the log of a new capture, 0600 and exclusive, and writes its
// first event.
func Create(o *Options) (*Writer, error) {
	w := &Writer{o: *o}
	if w.o.Now == nil {
		w.o.Now = time.Now
	}
	if w.o.Write == nil {
		w.o.Write = (*os.File).Write
	}
	if w.o.Rand == nil {
		w.o.Rand = rand.Reader
	}
	w.rand = bufio.NewReaderSize(w.o.Rand, 1<<10)
	id, err := uuid.NewRandomFromReader(w.rand)
	if err != nil {
		return nil, err
	}
	now := w.o.Now()
	w.id, w.rel = id, CapturePath(now, id)
	name := filepath.Join(o.Store, filepath.FromSlash(w.rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	w.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	w.ev = Event{Capture: id, Session: o.Session, Server: o.Server, Kind: o.Kind}
	first := &CaptureStart{Recorder: o.Recorder, Version: o.Version, SaltID: o.SaltID}
	first.OS, _ = sanitize.ParseLabel([]byte(runtime.GOOS))
	first.Arch, _ = sanitize.ParseLabel([]byte(runtime.GOARCH))
	if _, err := w.Append(now, first); err != nil {
		if info, serr := w.file.Stat(); serr == nil && info.Size() == 0 {
			_ = os.Remove(name) // a full disk: nothing begins here
		}
		_ = w.file.Close()
		return nil, err
	}
	return w, nil
}

// Add encodes an event, chains it to the one before and keeps it for the next
// Flush. It returns the event's ID. An End gets its count of events here.
func (w *Writer) Add(ts time.Time, b Body) (uuid.UUID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(ts, b)
}

// add requires mu.
func (w *Writer) add(ts time.Time, b Body) (uuid.UUID, error) {
	if w.err != nil {
		w.lost++
		return uuid.Nil, w.err
	}
	id, err := newV7(ts, w.rand)
	if err != nil {
		w.err = err
		w.lost++
		return uuid.Nil, err
	}
	w.seq++
	if e, ok := b.(*End); ok {
		counted := *e
		counted.Events = w.seq
		b = &counted
	}
	w.ev.ID, w.ev.Seq, w.ev.TS, w.ev.Body = id, w.seq, ts, b
	w.line = AppendEvent(w.line[:0], &w.ev)
	if len(w.line) >= MaxLine { // sanitize bounds every part, so this is a bug in it
		w.seq--
		w.lost++
		return uuid.Nil, ErrTooLong
	}
	w.ev.Prev = LineDigest(w.line).Prev()
	w.buf = append(append(w.buf, w.line...), '\n')
	if len(w.buf) >= flushAt {
		return id, w.flush()
	}
	return id, nil
}

// newV7 makes a UUIDv7 of an event's own time.
func newV7(ts time.Time, random io.Reader) (id uuid.UUID, err error) {
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return uuid.Nil, err
	}
	ms := ts.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id, nil
}

// Flush writes what Add has kept, whole events in one write.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// flush requires mu.
func (w *Writer) flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	n, err := w.o.Write(w.file, w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.acked += int64(bytes.Count(w.buf[:n], []byte{'\n'}))
	w.lost += int64(bytes.Count(w.buf[n:], []byte{'\n'}))
	w.buf = w.buf[:0]
	w.err = err
	if err == nil && w.o.SyncAlways {
		w.err = w.sync()
	}
	return w.err
}

// Append is Add and Flush: the event is acknowledged when it returns nil.
func (w *Writer) Append(ts time.Time, b Body) (uuid.UUID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := w.add(ts, b)
	if err != nil {
		return id, err
	}
	return id, w.flush()
}

// Sync makes acknowledged events survive a power loss. It does not wait for
// mu while the disk works, so that recording goes on meanwhile.
func (w *Writer) Sync() error {
	w.mu.Lock()
	err := w.err
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.sync()
}

func (w *Writer) sync() error {
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.syncMu.Lock()
	defer w.syncMu.Unlock()
	if w.synced {
		return nil
	}
	day := filepath.Dir(w.file.Name())
	if err := errors.Join(syncDir(day), syncDir(filepath.Dir(day))); err != nil {
		return err
	}
	w.synced = true
	return nil
}

// syncDir makes a folder's entries durable where the system allows it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Close flushes, syncs and closes the file.
func (w *Writer) Close() (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, ErrClosed) {
		return nil
	}
	defer func() { // even when an injected Write panics
		err = errors.Join(err, w.file.Close())
		w.err = ErrClosed
	}()
	if err := w.flush(); err != nil {
		return err
	}
	return w.sync()
}

// CaptureID is the capture's identity.
func (w *Writer) CaptureID() uuid.UUID { return w.id }

// Path is the log's path relative to the store, with slashes.
func (w *Writer) Path() string { return w.rel }

// Events counts the acknowledged events.
func (w *Writer) Events() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked
}

// Lost counts the events that were given to the writer and not recorded.
func (w *Writer) Lost() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}
