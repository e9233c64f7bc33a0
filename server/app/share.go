package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// ShareOptions say what goes into an envelope, and where.
type ShareOptions struct {
	Home *home.Home
	Dir  string // the folder to make
	// Notes takes the captures and files of annotations in.
	Notes bool
	// History takes what probes, scores and verifications recorded in.
	History bool
	// Force replaces a whole earlier envelope, and nothing else.
	Force bool

	Progress func(done, total int64) // bytes; nil shows nothing
	Now      func() time.Time        // nil is time.Now

	// Hook, when set, is called with the name of each step as it is done: tests
	// end the process there.
	Hook func(step string)
}

// Shared says what an envelope holds. With Findings nothing was published.
type Shared struct {
	Dir       string         `json:"dir"`
	Published bool           `json:"published"`
	Captures  int64          `json:"captures"`
	Events    int64          `json:"events"`
	Records   int64          `json:"records"` // of the earlier format, without identity
	Sessions  int64          `json:"sessions"`
	Servers   int64          `json:"servers"`
	Lines     int64          `json:"lines"`
	Bytes     int64          `json:"bytes"`
	Files     []EnvelopeFile `json:"files"` // by path
	LeftOut   LeftOut        `json:"left_out"`

	Findings    []journal.Place `json:"-"` // lines that may hold something private
	First, Last time.Time       `json:"-"` // of the events; zero when there are none
	Notes       bool            `json:"-"`
	History     bool            `json:"-"`
}

// LeftOut counts logs that were not asked for.
type LeftOut struct {
	Notes   int64 `json:"annotation_notes"`
	History int64 `json:"probe_history"`
}

// Share copies the journal into a new folder that another home can import. Each
// log is copied up to its last newline at the time it was looked at, so that
// recorders may go on; the bytes that are published are the bytes that were
// checked. A line that the redaction check flags publishes nothing. The envelope
// appears whole, by a rename, or not at all.
func Share(ctx context.Context, o *ShareOptions) (_ *Shared, err error) {
	s := &sharing{ShareOptions: *o, shared: &Shared{Notes: o.Notes, History: o.History, Files: []EnvelopeFile{}}}
	if s.Hook == nil {
		s.Hook = func(string) {}
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if err := s.target(); err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	if len(s.logs) == 0 {
		return nil, &InputError{Err: errNothingToShare, Next: "mcpeval journal ls"}
	}
	s.sweep()
	if s.temp, err = os.MkdirTemp(filepath.Dir(s.dir), tempPrefix+"*"+tempSuffix); err != nil {
		return nil, fmt.Errorf("make envelope: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.temp)) }()
	for _, l := range s.logs {
		if err := s.copy(ctx, l); err != nil {
			return nil, err
		}
	}
	s.count()
	if len(s.shared.Findings) > 0 {
		return s.shared, nil
	}
	return s.shared, s.publish()
}

var errNothingToShare = errors.New("there is nothing to share: no log, or none of those asked for")

// sharing is one Share at work.
type sharing struct {
	ShareOptions
	dir    string // absolute
	temp   string
	shared *Shared
	logs   []*logFacts // to copy; their paths are relative to the store

	done, total int64
	captures    map[uuid.UUID]bool
	sessions    map[sanitize.Session]bool
	servers     map[sanitize.Label]bool
}

// look finds out which logs are asked for. Whether a capture is, its first event
// says, which may stand in another file than a copy of its later ones.
func (s *sharing) look(ctx context.Context) error {
	if err := s.noLinks(); err != nil {
		return err
	}
	files, err := journal.Files(s.Home.Store())
	if err != nil {
		return fmt.Errorf("list journal: %w", err)
	}
	var all []*logFacts
	notes, history := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, f := range files {
		s.total += 2 * f.Size // each is read twice
	}
	for _, f := range files {
		l := &logFacts{path: f.Path, kind: f.Kind, size: f.Size}
		err := s.open(l, func(file *os.File) error { return readLog(ctx, file, l, nil, nil) })
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			return err
		}
		s.progress(l.size)
		switch l.kind {
		case journal.FileLegacyAnnotations:
			l.notes = true
		case journal.FileHistory:
			l.history = true
		}
		for id := range l.captures {
			notes[id] = notes[id] || l.notes
			history[id] = history[id] || l.history
		}
		all = append(all, l)
	}
	for _, l := range all {
		for id := range l.captures {
			l.notes, l.history = l.notes || notes[id], l.history || history[id]
		}
		switch {
		case l.notes && !s.Notes:
			s.shared.LeftOut.Notes++
		case l.history && !l.notes && !s.History:
			s.shared.LeftOut.History++
		case l.size > 0:
			s.logs = append(s.logs, l)
		}
	}
	// A capture's own log gets its name before a copy of it may.
	slices.SortStableFunc(s.logs, func(a, b *logFacts) int {
		own := func(l *logFacts) int {
			if strings.HasPrefix(l.path, "captures/") {
				return 0
			}
			return 1
		}
		return own(a) - own(b)
	})
	return nil
}

// noLinks refuses a store with a symbolic link in it: what it leads to is no
// part of the journal, and leaving it out in silence would look as if it were.
func (s *sharing) noLinks() error {
	link, err := firstLink(s.Home.Store())
	switch {
	case err != nil:
		return fmt.Errorf("look at store: %w", err)
	case link != "":
		return &Problem{Err: fmt.Errorf("%s in the store is a symbolic link, which is never shared", journal.Shown(link)), Next: "put there what it points to, or take it away"}
	}
	return nil
}

func (s *sharing) open(l *logFacts, use func(*os.File) error) error {
	file, err := openRegular(filepath.Join(s.Home.Store(), filepath.FromSlash(l.path)))
	switch {
	case errors.Is(err, errNotRegular):
		return &Problem{Err: fmt.Errorf("%s in the store: %w", journal.Shown(l.path), err), Next: "take it away"}
	case err != nil:
		return fmt.Errorf("open log: %w", err)
	}
	return errors.Join(use(file), file.Close())
}

func (s *sharing) progress(n int64) {
	if s.done += n; s.Progress != nil {
		s.Progress(s.done, s.total)
	}
}
