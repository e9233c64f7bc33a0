package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
)

// CaptureState says how a capture's log ends.
type CaptureState string

// The states of a capture.
const (
	StateEnded  CaptureState = "ended"  // with an end event
	StateOpen   CaptureState = "open"   // its recorder still runs, or was killed
	StateTorn   CaptureState = "torn"   // the last line has no newline: being written, or cut
	StateEmpty  CaptureState = "empty"  // without a whole line: its recorder was killed at once, or the disk was full
	StateBroken CaptureState = "broken" // the first or last line cannot be read
)

// Capture is what the first and last line of a log say about it.
type Capture struct {
	ID       uuid.UUID // uuid.Nil when neither the log nor its name tells
	Path     string    // relative to the store, with slashes
	Bytes    int64
	State    CaptureState
	Started  time.Time // zero when empty or broken, as are all fields below
	Last     time.Time // of the last whole event
	Server   string
	Session  string
	Kind     journal.Kind
	Recorder journal.RecorderKind
	Events   int64 // the last whole event's sequence number
}

// Captures lists the captures below store, newest first. It reads the two ends
// of each log, so that it costs little however long they are.
func Captures(ctx context.Context, store string) ([]Capture, error) {
	files, err := journal.Files(store)
	if err != nil {
		return nil, fmt.Errorf("list journal: %w", err)
	}
	var captures []Capture
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Kind != journal.FileCapture {
			continue
		}
		c, err := readCapture(store, f)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
			continue
		case err != nil:
			return nil, fmt.Errorf("read journal: %w", err)
		}
		captures = append(captures, c)
	}
	slices.SortStableFunc(captures, func(a, b Capture) int { return b.Started.Compare(a.Started) })
	return captures, nil
}

func readCapture(store string, f journal.File) (Capture, error) {
	c := Capture{Path: f.Path, Bytes: f.Size, State: StateBroken}
	if id, err := uuid.Parse(strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")); err == nil {
		c.ID = id
	}
	file, err := os.Open(filepath.Join(store, filepath.FromSlash(f.Path)))
	if err != nil {
		return c, err
	}
	defer file.Close()
	r := journal.NewReader(io.LimitReader(file, journal.MaxLine), journal.Place{Path: f.Path})
	var first, last journal.Event
	decoder := journal.NewDecoder()
	if !r.Next() {
		if r.Torn() < journal.MaxLine {
			c.State = StateEmpty
		}
		return c, r.Err()
	}
	if decoder.Decode(f.Kind, r.Line(), &first) != nil {
		return c, nil
	}
	line, torn, err := lastLine(file, f.Size)
	if err != nil {
		return c, err
	}
	if decoder.Decode(f.Kind, line, &last) != nil {
		return c, nil
	}
	c.ID, c.Started, c.Last, c.Events = first.Capture, first.TS, last.TS, last.Seq
	c.Server, c.Session, c.Kind = first.Server.String(), first.Session.String(), first.Kind
	if start, ok := first.Body.(*journal.CaptureStart); ok {
		c.Recorder = start.Recorder
	}
	switch {
	case torn:
		c.State = StateTorn
	case last.Body.Type() == journal.TypeEnd:
		c.State = StateEnded
	default:
		c.State = StateOpen
	}
	return c, nil
}

// lastLine is the last complete line of a log of that size, and whether bytes
// follow it.
func lastLine(file io.ReaderAt, size int64) (line []byte, torn bool, err error) {
	// Two lines of the greatest length hold the last newline and the one before.
	tail := make([]byte, min(size, 2*journal.MaxLine))
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	end := bytes.LastIndexByte(tail, '\n')
	if end < 0 {
		return nil, true, nil
	}
	return tail[bytes.LastIndexByte(tail[:end], '\n')+1 : end], end != len(tail)-1, nil
}

// ErrNoCapture is returned when no capture, or more than one, answers to what
// was asked for.
var ErrNoCapture = errors.New("no capture has an ID that starts so")

// FindCapture returns the capture whose ID is, or alone starts with, prefix.
func FindCapture(ctx context.Context, store, prefix string) (Capture, error) {
	captures, err := Captures(ctx, store)
	if err != nil {
		return Capture{}, err
	}
	var found []Capture
	for _, c := range captures {
		if c.ID != uuid.Nil && strings.HasPrefix(c.ID.String(), strings.ToLower(prefix)) {
			found = append(found, c)
		}
	}
	switch {
	case prefix == "" || len(found) == 0:
		return Capture{}, &Problem{Err: ErrNoCapture, Next: "mcpeval journal ls"}
	case len(found) > 1 && found[0].ID != found[1].ID:
		return Capture{}, &Problem{Err: errors.New("several captures have an ID that starts so"), Next: "mcpeval journal ls, and more of the ID"}
	}
	return found[0], nil
}
