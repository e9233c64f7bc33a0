package journal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/journaltest"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// errDiskFull stands for ENOSPC, which not every system has.
var errDiskFull = errors.New("no space left on device")

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

var day = time.Date(2026, 11, 30, 23, 59, 59, 999e6, time.UTC)

func options(store string) *journal.Options {
	return &journal.Options{
		Store: store, Session: journaltest.Must(sanitize.ParseSession, "session:"+string(bytes.Repeat([]byte("ab"), 32))), Server: journaltest.Must(sanitize.ParseLabel, "demo"),
		Kind: journal.Real, Recorder: journal.RecorderShim, Version: journaltest.Must(sanitize.ParseLabel, "1.2.3"), SaltID: journaltest.Must(sanitize.ParseSaltID, "01234567"),
		Now: func() time.Time { return day },
	}
}

func create(t testing.TB, o *journal.Options) *journal.Writer {
	t.Helper()
	w, err := journal.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// readLog decodes a capture's file and checks its chain.
func readLog(t testing.TB, store, rel string) (events []journal.Event, torn int64) {
	t.Helper()
	f, err := os.Open(filepath.Join(store, rel))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := journal.NewReader(f, journal.Place{Path: rel})
	d := journal.NewDecoder()
	var prev journal.Prev
	for r.Next() {
		var ev journal.Event
		if err := d.Decode(journal.KindOf(rel), r.Line(), &ev); err != nil {
			t.Fatalf("%v: %v", r.Place(), err)
		}
		if ev.Seq != int64(len(events))+1 || ev.Prev != prev {
			t.Fatalf("%v: seq %d, prev %x, want %d, %x", r.Place(), ev.Seq, ev.Prev, len(events)+1, prev)
		}
		prev = r.Digest().Prev()
		events = append(events, ev)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return events, r.Torn()
}

func TestWriter(t *testing.T) {
	store := t.TempDir()
	w := create(t, options(store))
	if want := "captures/2026-11-30/" + w.CaptureID().String() + ".jsonl"; w.Path() != want {
		t.Errorf("path %s, want %s", w.Path(), want)
	}
	id, err := w.Append(day, &journal.Notification{Origin: journal.FromServer, Method: journaltest.Must(sanitize.ParseMethod, "notifications/message")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(day, &journal.End{ExitCode: -1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	events, torn := readLog(t, store, w.Path())
	if len(events) != 3 || torn != 0 || events[1].ID != id || w.Events() != 3 || w.Lost() != 0 {
		t.Fatalf("%d events, %d torn bytes, %d acknowledged, %d lost", len(events), torn, w.Events(), w.Lost())
	}
	if e := events[2].Body.(*journal.End); e.Events != 3 {
		t.Errorf("end counts %d events, want 3", e.Events)
	}
	info, err := os.Stat(filepath.Join(store, w.Path()))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := w.Append(day, &journal.Gap{}); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

// An open log can be neither moved nor removed on Windows.
func TestCloseAfterAPanicOfWrite(t *testing.T) {
	o := options(t.TempDir())
	var file *os.File
	o.Write = func(f *os.File, p []byte) (int, error) {
		if file = f; bytes.Contains(p, []byte("gap")) {
			panic("bug")
		}
		return f.Write(p)
	}
	w := create(t, o)
	if _, err := w.Add(day, &journal.Gap{}); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = w.Close()
	}()
	if err := file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the log was left open: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestWriterConcurrent(t *testing.T) {
	store := t.TempDir()
	w := create(t, options(store))
	const writers, each = 8, 500
	ids := make([][]uuid.UUID, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				id, err := w.Add(day, &journal.Unparsed{Direction: journal.Inbound})
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = append(ids[i], id)
				if j%7 == 0 {
					if err := errors.Join(w.Flush(), w.Sync()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	events, _ := readLog(t, store, w.Path())
	seen := map[uuid.UUID]bool{}
	for _, ev := range events {
		seen[ev.ID] = true
	}
	if len(events) != writers*each+1 || len(seen) != len(events) {
		t.Fatalf("%d events with %d distinct IDs, want %d", len(events), len(seen), writers*each+1)
	}
	for _, list := range ids {
		for _, id := range list {
			if !seen[id] {
				t.Fatalf("event %v is missing", id)
			}
		}
	}
}

// TestWriterDiskFull lets the disk take some bytes and no more: what was
// acknowledged is whole, the torn line is the last, nothing is appended to it,
// and the writer knows what it lost.
func TestWriterDiskFull(t *testing.T) {
	for room := int64(0); room < 900; room += 37 {
		store := t.TempDir()
		o := options(store)
		left := int64(700) + room
		o.Write = func(f *os.File, p []byte) (int, error) {
			if int64(len(p)) <= left {
				left -= int64(len(p))
				return f.Write(p)
			}
			n, _ := f.Write(p[:left])
			left = 0
			return n, errDiskFull
		}
		w := create(t, o)
		const given = 7
		var failed error
		for range given {
			if _, err := w.Add(day, &journal.Unparsed{Direction: journal.Inbound}); err != nil {
				failed = err
			}
			if err := w.Flush(); err != nil {
				failed = err
			}
		}
		if !errors.Is(failed, errDiskFull) {
			t.Fatalf("room %d: got %v, want no space", room, failed)
		}
		before, err := os.ReadFile(filepath.Join(store, w.Path()))
		if err != nil {
			t.Fatal(err)
		}
		left = 1 << 20
		if _, err := w.Append(day, &journal.End{ExitCode: -1}); err == nil {
			t.Fatal("append after a failed write succeeded")
		}
		_ = w.Close()
		after, err := os.ReadFile(filepath.Join(store, w.Path()))
		if err != nil || !bytes.Equal(before, after) {
			t.Fatalf("room %d: something was appended after the failure: %v", room, err)
		}
		events, _ := readLog(t, store, w.Path())
		if int64(len(events)) != w.Events() || w.Events()+w.Lost() != given+2 {
			t.Errorf("room %d: %d events in the file, %d acknowledged, %d lost of %d", room, len(events), w.Events(), w.Lost(), given+2)
		}
	}
}

func TestCreateFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Create(options(file)); err == nil {
		t.Error("a store that is a file was accepted")
	}
	o := options(t.TempDir())
	o.Rand = bytes.NewReader(nil)
	if _, err := journal.Create(o); err == nil {
		t.Error("a capture without randomness was made")
	}
	// A disk that is full from the start is not left an empty log.
	o = options(t.TempDir())
	o.Write = func(*os.File, []byte) (int, error) { return 0, errDiskFull }
	if _, err := journal.Create(o); !errors.Is(err, errDiskFull) {
		t.Errorf("no room for the first event: %v", err)
	}
	if files, err := journal.Files(o.Store); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v %v", files, err)
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	line := goldenLines(b)[1]
	var ev journal.Event
	if err := journal.NewDecoder().Decode(journal.FileCapture, line, &ev); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	buf := make([]byte, 0, 4096)
	for b.Loop() {
		buf = journal.AppendEvent(buf[:0], &ev)
	}
}

func BenchmarkDecode(b *testing.B) {
	line := goldenLines(b)[1]
	d := journal.NewDecoder()
	var ev journal.Event
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Decode(journal.FileCapture, line, &ev); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriterAdd(b *testing.B) {
	w := create(b, options(b.TempDir()))
	var ev journal.Event
	if err := journal.NewDecoder().Decode(journal.FileCapture, goldenLines(b)[1], &ev); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Add(day, ev.Body); err != nil {
			b.Fatal(err)
		}
	}
}
