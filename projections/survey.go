package projections

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// settle is how old a modification time must be before a later change is sure
// to show in it: file systems count in steps of up to two seconds.
const settle = 2 * time.Second

// tailSize is how much of a source before its offset is digested.
const tailSize = 64 << 10

// survey is what a store looked like at one moment.
type survey struct {
	files   []journal.File    // in path order
	folders map[string]folder // those that were listed
	skipped map[string]bool   // sealed folders that have not changed
}

type folder struct {
	mtime int64 // nanoseconds
	leaf  bool  // it holds no folder, so that its mtime tells of every new or lost file
}

// look lists the journal files of a store. Folders that are sealed and have
// not changed since are not read. Symbolic links are left out; the store itself
// may be one.
func look(store string, sealed map[string]int64) (*survey, error) {
	s := &survey{folders: map[string]folder{}, skipped: map[string]bool{}}
	err := fs.WalkDir(os.DirFS(store), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (!d.Type().IsRegular() || journal.KindOf(p) == journal.FileOther) {
			return nil
		}
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) { // the store, or what went away meanwhile
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at store: %w", err)
		}
		mtime := info.ModTime().UnixNano()
		if !d.IsDir() {
			s.files = append(s.files, journal.File{Path: p, Kind: journal.KindOf(p), Size: info.Size(), ModTime: info.ModTime()})
			return nil
		}
		if was, ok := sealed[p]; ok && was == mtime {
			s.skipped[p] = true
			return fs.SkipDir
		}
		s.folders[p] = folder{mtime: mtime, leaf: true}
		if parent, ok := s.folders[path.Dir(p)]; ok && p != "." {
			parent.leaf = false
			s.folders[path.Dir(p)] = parent
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(s.files, func(a, b journal.File) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// sealable reports whether a folder may be sealed once its content allows it.
func (s *survey) sealable(name string, now time.Time) bool {
	f, ok := s.folders[name]
	return ok && f.leaf && path.Dir(name) == "captures" && f.mtime < now.Add(-settle).UnixNano()
}

// settled is a file's modification time in nanoseconds, or 0 while it is too
// young to be trusted.
func settled(f journal.File, now time.Time) int64 {
	if f.ModTime.After(now.Add(-settle)) {
		return 0
	}
	return f.ModTime.UnixNano()
}

// tail digests the up to 64 KiB before offset.
func tail(f io.ReaderAt, offset int64) (sum [32]byte, err error) {
	start := max(0, offset-tailSize)
	h := sha256.New()
	n, err := io.Copy(h, io.NewSectionReader(f, start, offset-start))
	if err == nil && n < offset-start {
		err = io.ErrUnexpectedEOF
	}
	return [32]byte(h.Sum(nil)), err
}

// tailOf is tail for a file by name; false when it is shorter or cannot be read.
func tailOf(store, rel string, offset int64) (sum [32]byte, ok bool) {
	f, err := os.Open(filepath.Join(store, filepath.FromSlash(rel)))
	if err != nil {
		return sum, false
	}
	defer f.Close()
	sum, err = tail(f, offset)
	return sum, err == nil
}

// hasLine reports whether a newline stands between two offsets of a file. More
// than a line may be long is taken to hold one.
func hasLine(store, rel string, from, to int64) bool {
	if to-from > journal.MaxLine {
		return true
	}
	f, err := os.Open(filepath.Join(store, filepath.FromSlash(rel)))
	if err != nil {
		return true // reading it will say why
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, from, to-from))
	return err != nil || slices.Contains(b, '\n')
}
