package app

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// Removal says what Quarantine or Repair did to a log.
type Removal struct {
	Path       string // of the log, relative to the store
	Quarantine string // where the whole log is now, as a path of this system; "" when nothing was done
	Good       []Range
	Bad        []Range // lines that cannot be read
	Torn       int64   // bytes after the last newline

	captures map[uuid.UUID]bool // of the good lines
}

// Range is lines From to To, counted from 1, both included.
type Range struct{ From, To int64 }

func (r Range) String() string {
	if r.From == r.To {
		return strconv.FormatInt(r.From, 10)
	}
	return strconv.FormatInt(r.From, 10) + "-" + strconv.FormatInt(r.To, 10)
}

// Quarantine moves the log at rel out of the store into the quarantine, so that
// the rest can be indexed, and notes in the witness that this was on purpose.
// The caller holds the index lock. The next index finds the log gone and
// rebuilds.
func Quarantine(h *home.Home, rel string) (*Removal, error) {
	removal, err := inspect(h.Store(), rel, nil)
	if err != nil {
		return nil, err
	}
	to, err := reserve(h.QuarantineDir(), rel)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(filepath.Join(h.Store(), filepath.FromSlash(rel)), to); err != nil {
		return nil, errors.Join(fmt.Errorf("move log: %w", err), os.Remove(to))
	}
	removal.Quarantine = to
	captures := slices.Collect(maps.Keys(removal.captures))
	return removal, noteRemoved(h.LedgerPath(), captures, ledger.Quarantined)
}

// Repair puts the whole log at rel into the quarantine and leaves a copy without
// the lines that cannot be read, nor a torn tail, in its place. A log without
// such lines stays as it is. The caller holds the index lock, and the log's
// recorder must have ended: it would go on writing to the old file.
func Repair(h *home.Home, rel string) (*Removal, error) {
	store := h.Store()
	name := filepath.Join(store, filepath.FromSlash(rel))
	// A name that is no journal file, in the same folder: a rename is atomic.
	draft, err := os.CreateTemp(filepath.Dir(name), "repair-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("create repaired log: %w", err)
	}
	defer os.Remove(draft.Name())
	buffered := bufio.NewWriterSize(draft, 256<<10)
	removal, err := inspect(store, rel, buffered)
	err = errors.Join(err, buffered.Flush(), draft.Sync(), draft.Close())
	if err != nil {
		return nil, err
	}
	if len(removal.Bad) == 0 && removal.Torn == 0 {
		return removal, nil
	}
	to, err := reserve(h.QuarantineDir(), rel)
	if err != nil {
		return nil, err
	}
	if err := copyFile(name, to); err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	removal.Quarantine = to
	if err := os.Rename(draft.Name(), name); err != nil {
		return nil, fmt.Errorf("replace log: %w", err)
	}
	return removal, nil
}

// inspect reads the log at rel to its end, sorts its lines into good and bad
// ones, and writes the good ones to keep, if that is not nil.
func inspect(store, rel string, keep *bufio.Writer) (*Removal, error) {
	file, err := os.Open(filepath.Join(store, filepath.FromSlash(rel)))
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer file.Close()
	removal := &Removal{Path: rel, captures: map[uuid.UUID]bool{}}
	var event journal.Event
	decoder := journal.NewDecoder()
	kind := journal.KindOf(rel)
	at := journal.Place{Path: rel, Line: 1}
	for {
		r := journal.NewReader(file, at)
		for r.Next() {
			line := r.Place().Line
			if err := decoder.Decode(kind, r.Line(), &event); err != nil && !errors.Is(err, journal.ErrSkip) {
				removal.Bad = extend(removal.Bad, line)
				continue
			}
			removal.Good = extend(removal.Good, line)
			if event.Capture != uuid.Nil {
				removal.captures[event.Capture] = true
			}
			if keep != nil {
				_, _ = keep.Write(r.Line()) // it keeps the first error for Flush
				_, _ = keep.Write([]byte{'\n'})
			}
		}
		var corrupt *journal.CorruptionError
		switch {
		case r.Err() == nil:
			removal.Torn = r.Torn()
			return removal, nil
		case !errors.As(r.Err(), &corrupt):
			return nil, fmt.Errorf("read log: %w", r.Err())
		}
		// A line over the bound stops the reader: go on behind it.
		removal.Bad = extend(removal.Bad, corrupt.Line)
		next, ok, err := lineAfter(file, corrupt.Offset)
		if err != nil {
			return nil, fmt.Errorf("read log: %w", err)
		}
		if !ok {
			return removal, nil
		}
		at = journal.Place{Path: rel, Line: corrupt.Line + 1, Offset: next}
	}
}

// lineAfter moves file behind the line that begins at offset and tells where
// that is; ok is false when the line has no end.
func lineAfter(file *os.File, offset int64) (next int64, ok bool, err error) {
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return 0, false, err
	}
	part := make([]byte, 64<<10)
	for {
		n, err := file.Read(part)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			next = offset + int64(i) + 1
			_, err := file.Seek(next, io.SeekStart)
			return next, true, err
		}
		offset += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			return 0, false, nil
		case err != nil:
			return 0, false, err
		}
	}
}

// extend adds a line, greater than all there are, to ranges.
func extend(ranges []Range, line int64) []Range {
	if n := len(ranges); n > 0 && ranges[n-1].To == line-1 {
		ranges[n-1].To = line
		return ranges
	}
	return append(ranges, Range{line, line})
}

// reserve creates an empty file for the log at rel below the folder quarantine
// and returns its name. A log of the same path that is there already keeps it.
func reserve(quarantine, rel string) (string, error) {
	name := filepath.Join(quarantine, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("create quarantine: %w", err)
	}
	for n := 1; ; n++ {
		to := name
		if n > 1 {
			to = fmt.Sprintf("%s.%d", name, n)
		}
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return to, f.Close()
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("create quarantine: %w", err)
		}
	}
}

// copyFile copies from over to, which exists, and makes it durable.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open copy: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	if err := out.Sync(); err != nil {
		return fmt.Errorf("sync copy: %w", err)
	}
	return nil
}
