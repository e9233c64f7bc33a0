package app

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// logFacts is what the whole lines of a log say about it as a file.
type logFacts struct {
	path     string // as messages name it
	kind     journal.FileKind
	size     int64 // at stat time
	lines    int64
	records  int64 // lines without identity
	captures map[uuid.UUID]bool
	sessions map[sanitize.Session]bool
	servers  map[sanitize.Label]bool
	salts    map[sanitize.SaltID]bool
	notes    bool // an annotation is among the lines
	history  bool // what a probe or an evaluation wrote is among the lines

	first, last time.Time
	start       journal.Event // the first line's; its Seq is 1 in a whole capture
	bytes       int64         // up to the last newline
	digest      journal.Digest
}

// logLine is one whole line of a log.
type logLine struct {
	place journal.Place
	text  []byte         // valid during the call
	event *journal.Event // zero when err is not nil
	err   error          // of the decoder; journal.ErrSkip for a line that is only counted
}

// readLog reads the lines of a log, up to the last newline before f.size, and
// writes exactly them to dst, unless that is nil. each, if not nil, sees every
// line; its error ends the reading. A line over the bound is seen with its
// error, and nothing behind it is.
func readLog(ctx context.Context, src io.Reader, f *logFacts, dst io.Writer, each func(*logLine) error) error {
	sum := sha256.New()
	out := io.Writer(sum)
	if dst != nil {
		out = io.MultiWriter(dst, sum)
	}
	w := bufio.NewWriterSize(out, 256<<10)
	decoder := journal.NewDecoder()
	r := journal.NewReader(io.LimitReader(src, f.size), journal.Place{Path: f.path})
	f.captures, f.salts = map[uuid.UUID]bool{}, map[sanitize.SaltID]bool{}
	f.sessions, f.servers = map[sanitize.Session]bool{}, map[sanitize.Label]bool{}
	var event journal.Event
	var line logLine
	for r.Next() {
		if f.lines%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		event = journal.Event{}
		line = logLine{place: r.Place(), text: r.Line(), event: &event}
		if line.err = decoder.Decode(f.kind, line.text, &event); line.err == nil {
			f.add(&event)
		}
		f.lines++
		f.bytes += int64(len(line.text)) + 1
		if each != nil {
			if err := each(&line); err != nil {
				return err
			}
		}
		_, _ = w.Write(line.text) // it keeps the first error for Flush
		_ = w.WriteByte('\n')
	}
	var corrupt *journal.CorruptionError
	switch {
	case errors.As(r.Err(), &corrupt):
		if each != nil {
			place := journal.Place{Path: corrupt.Path, Line: corrupt.Line, Offset: corrupt.Offset}
			if err := each(&logLine{place: place, event: &journal.Event{}, err: corrupt.Err}); err != nil {
				return err
			}
		}
	case r.Err() != nil:
		return fmt.Errorf("read log: %w", r.Err())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	f.digest = journal.Digest(sum.Sum(nil))
	return nil
}

func (f *logFacts) add(e *journal.Event) {
	if f.lines == 0 {
		f.start = *e
	}
	if f.first.IsZero() || e.TS.Before(f.first) {
		f.first = e.TS
	}
	if e.TS.After(f.last) {
		f.last = e.TS
	}
	f.sessions[e.Session] = true
	if e.Server != (sanitize.Label{}) {
		f.servers[e.Server] = true
	}
	if e.Capture == uuid.Nil || e.ID == uuid.Nil {
		f.records++
	} else {
		f.captures[e.Capture] = true
	}
	f.history = f.history || !e.Legacy && e.Kind == journal.Synthetic
	switch b := e.Body.(type) {
	case *journal.Annotation:
		f.notes = true
	case *journal.Verification, *journal.Readiness:
		f.history = true
	case *journal.CaptureStart:
		f.salts[b.SaltID] = true
		switch b.Recorder {
		case journal.RecorderAnnotate:
			f.notes = true
		case journal.RecorderProbe, journal.RecorderScore, journal.RecorderVerify:
			f.history = true
		}
	}
}

// whole tells whether the log is one capture from its first event on.
func (f *logFacts) whole() bool {
	return f.kind == journal.FileCapture && len(f.captures) == 1 && f.records == 0 && f.start.Seq == 1
}

// canonicalPath is where a log of these bytes belongs in an envelope or, when it
// was imported, in a store: a whole capture by day and capture ID, anything else
// by the digest of its bytes. rel is where it was found. No name that a person
// chose stays.
func (f *logFacts) canonicalPath(rel string) string {
	switch f.kind {
	case journal.FileLegacyCalls:
		return "legacy/calls-" + f.digest.String() + ".jsonl"
	case journal.FileLegacyAnnotations:
		return "legacy/annotations-" + f.digest.String() + ".jsonl"
	case journal.FileHistory:
		return "legacy/" + f.digest.String() + "/probes/history.jsonl"
	}
	if !f.whole() {
		return f.copyPath()
	}
	// The day of a recorder's own name is that of its clock when it started, which
	// may be another one than the first event's.
	day := path.Base(path.Dir(rel))
	if _, err := time.Parse(time.DateOnly, day); err == nil && path.Base(rel) == f.start.Capture.String()+".jsonl" {
		return "captures/" + day + "/" + path.Base(rel)
	}
	return journal.CapturePath(f.start.TS, f.start.Capture)
}

// copyPath is where events go that are no whole capture.
func (f *logFacts) copyPath() string { return "copies/" + f.digest.String() + ".jsonl" }

// openRegular opens a file that must be no link, pipe or folder.
func openRegular(name string) (*os.File, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = errNotRegular // it was replaced meanwhile
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

var errNotRegular = errors.New("it is a link, or no file")

// syncFolders makes new names below dir survive a power loss, where that can be
// asked for.
func syncFolders(dir string) {
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			syncFolder(name)
		}
		return nil // not every system can sync a folder
	})
}

func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
