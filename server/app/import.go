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

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// ImportOptions say what to take into the store.
type ImportOptions struct {
	Home *home.Home
	// Sources are envelopes, other folders with logs, or single logs.
	Sources []string

	Progress func(done, total int64) // bytes read; nil shows nothing

	// Hook, when set, is called with the name of each step as it is done: tests
	// end the process there.
	Hook func(step string)
}

// Imported says what an import added to the store.
type Imported struct {
	Added    []string `json:"added"`    // new files, relative to the store
	Extended []string `json:"extended"` // files that were the beginning of a longer one
	Present  int64    `json:"present"`  // files that were here already
	Events   int64    `json:"events"`   // lines of what was added or extended by
	Captures int64    `json:"captures"` // in the sources
	Bytes    int64    `json:"bytes"`    // in the sources

	// OtherSalts counts the salts among the captures that are not this home's:
	// their error groups have other IDs than those recorded here.
	OtherSalts int64 `json:"other_salts"`
}

// Import copies logs of another home into this one's store. It takes all or
// none: a line that cannot be read, that holds more than its format allows, or
// that breaks an identity rule against any other line, here or there, leaves
// the store as it was. Importing the same again adds nothing. The caller holds
// the index lock.
//
// A whole capture keeps its day and name. Of two logs where one begins with the
// other, the longer one stays. A kill in the middle can leave some of the logs
// in the store, each of them whole; the same import then adds the rest.
func Import(ctx context.Context, o *ImportOptions) (_ *Imported, err error) {
	i := &importing{ImportOptions: *o, store: o.Home.Store(), result: &Imported{Added: []string{}, Extended: []string{}}}
	if i.Hook == nil {
		i.Hook = func(string) {}
	}
	if err := i.gather(); err != nil {
		return nil, err
	}
	// Inside the store, which may be on another disk than the home: a rename
	// must do. Nothing reads what is in there, by its name.
	if err := sweepImports(i.store); err != nil {
		return nil, err
	}
	if i.temp, err = os.MkdirTemp(i.store, importPrefix+"*"); err != nil {
		return nil, fmt.Errorf("make import folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(i.temp)) }()
	for _, l := range i.logs {
		if err := i.stage(ctx, l); err != nil {
			return nil, err
		}
	}
	i.Hook("staged")
	if err := i.resolve(ctx); err != nil {
		return nil, err
	}
	i.Hook("checked")
	if err := i.salts(); err != nil {
		return nil, err
	}
	return i.result, i.publish()
}

// importPrefix starts the name of every import's folder in the store.
const importPrefix = ".import-"

// sweepImports removes what killed imports have left. The caller holds the
// index lock.
func sweepImports(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweep import folders: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), importPrefix) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("sweep import folders: %w", err)
			}
		}
	}
	return nil
}

// importing is one Import at work.
type importing struct {
	ImportOptions
	store, temp string
	logs        []*incoming
	result      *Imported
	total, done int64
}

// incoming is a log to import.
type incoming struct {
	logFacts
	source string // where it is; path is what messages call it
	rel    string // relative to its folder, with slashes
	staged string // its copy in the temporary folder

	to     string // where it goes, relative to the store; "" when it is here already
	from   string // the file it goes on from, relative to the store; "" for a new one
	fromN  int64  // bytes they have in common
	fromSz int64  // its size when it was read
	unread int64  // whole lines behind them
}

var errMoreThanAllowed = errors.New("the record holds more than its format allows")

// stage copies the whole lines of a log into the temporary folder and refuses
// one that cannot be read.
func (i *importing) stage(ctx context.Context, l *incoming) (err error) {
	file, err := openRegular(l.source)
	if err != nil {
		return fmt.Errorf("open %s: %w", journal.Shown(l.path), err)
	}
	defer file.Close()
	out, err := os.CreateTemp(i.temp, "*.part")
	if err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	l.staged = out.Name()
	err = readLog(ctx, file, &l.logFacts, out, func(line *logLine) error {
		bad := line.err
		switch {
		case errors.Is(bad, journal.ErrSkip):
			bad = nil
		case bad == nil && line.event.Legacy && !legacyClean(l.kind, line.text):
			bad = errMoreThanAllowed
		}
		if bad == nil {
			return nil
		}
		return &Problem{
			Err:  fmt.Errorf("nothing was imported: %w", journal.Corrupt(line.place, bad)),
			Next: "have it mended where it comes from: mcpeval journal repair, then mcpeval share",
		}
	})
	if err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	if i.done += l.size; i.Progress != nil {
		i.Progress(i.done, i.total)
	}
	i.result.Bytes += l.bytes
	return nil
}

// salts counts the captures' salts that are not the home's.
func (i *importing) salts() error {
	captures, salts := map[uuid.UUID]bool{}, map[sanitize.SaltID]bool{}
	for _, l := range i.logs {
		for id := range l.captures {
			captures[id] = true
		}
		for id := range l.salts {
			salts[id] = true
		}
	}
	i.result.Captures = int64(len(captures))
	if _, err := os.Stat(i.Home.SaltPath()); err == nil {
		salt, err := i.Home.Salt()
		if err != nil {
			return fmt.Errorf("read salt: %w", err)
		}
		delete(salts, sanitize.New(salt).SaltID())
	}
	i.result.OtherSalts = int64(len(salts))
	return nil
}

// publish moves the staged logs to their places. Each is whole at every moment;
// what can fail halfway is undone.
func (i *importing) publish() (err error) {
	var undo []func() error
	defer func() {
		if err != nil {
			for _, f := range slices.Backward(undo) {
				err = errors.Join(err, f())
			}
		}
	}()
	for _, l := range i.logs {
		if l.to == "" {
			continue
		}
		to := filepath.Join(i.store, filepath.FromSlash(l.to))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		if l.from == "" {
			// A rename would replace what came meanwhile.
			if err := os.Link(l.staged, to); errors.Is(err, fs.ErrExist) {
				return &Problem{Err: fmt.Errorf("%s came into the store meanwhile", journal.Shown(l.to)), Next: "import again"}
			} else if err != nil { // a file system without links
				if err := os.Rename(l.staged, to); err != nil {
					return fmt.Errorf("add log: %w", err)
				}
			}
			undo = append(undo, func() error { return os.Remove(to) })
			i.result.Added = append(i.result.Added, l.to)
		} else {
			from := filepath.Join(i.store, filepath.FromSlash(l.from))
			// What is recorded here at this moment would be lost.
			if info, err := os.Lstat(from); err != nil || info.Size() != l.fromSz {
				return &Problem{Err: fmt.Errorf("%s changed meanwhile", journal.Shown(l.from)), Next: "import again"}
			}
			kept := l.staged + ".before"
			if err := copyWhole(from, kept); err != nil {
				return err
			}
			if err := os.Rename(l.staged, from); err != nil {
				return fmt.Errorf("extend log: %w", err)
			}
			undo = append(undo, func() error { return os.Rename(kept, from) })
			if from != to {
				if err := os.Rename(from, to); err != nil {
					return fmt.Errorf("extend log: %w", err)
				}
				undo = append(undo, func() error { return os.Rename(to, from) })
			}
			i.result.Extended = append(i.result.Extended, l.to)
		}
		syncFolder(filepath.Dir(to))
		i.Hook("moved")
	}
	slices.Sort(i.result.Added)
	slices.Sort(i.result.Extended)
	return nil
}

// copyWhole copies a file to a new one.
func copyWhole(from, to string) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("copy log: %w", err)
	}
	return copyFile(from, to)
}
