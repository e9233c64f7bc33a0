package journal

import (
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"
)

// FileKind says what the lines of a file may be.
type FileKind uint8

// The kinds of files below a store.
const (
	FileOther             FileKind = iota // not part of the journal
	FileCapture                           // version 1 events only
	FileLegacyCalls                       // legacy call records, and version 1 events copied there
	FileLegacyAnnotations                 // legacy annotation records
	FileHistory                           // legacy probe history: counted and skipped
)

// KindOf tells the kind of a file by its path relative to the store, with
// slashes. Below captures/ every .jsonl file is a capture log; elsewhere the
// legacy names are known, and any other .jsonl file must hold version 1 events
// (a log that somebody copied).
func KindOf(rel string) FileKind {
	base := path.Base(rel)
	switch {
	case path.Ext(base) != ".jsonl":
		return FileOther
	case strings.HasPrefix(rel, "captures/"):
		return FileCapture
	case strings.HasPrefix(base, "calls-"):
		return FileLegacyCalls
	case strings.HasPrefix(base, "annotations-"):
		return FileLegacyAnnotations
	case base == "history.jsonl" && path.Base(path.Dir(rel)) == "probes":
		return FileHistory
	}
	return FileCapture
}

// CapturePath is where the log of a capture lives, relative to the store:
// captures/2026-11-30/<capture_id>.jsonl, by the UTC day it was started.
func CapturePath(started time.Time, capture uuid.UUID) string {
	return "captures/" + started.UTC().Format(time.DateOnly) + "/" + capture.String() + ".jsonl"
}

// File is one journal file.
type File struct {
	Path    string // relative to the store, with slashes
	Kind    FileKind
	Size    int64
	ModTime time.Time
}

// Files lists the journal files below store in path order. Symbolic links and
// what is no regular file are left out; the store itself may be a link. A store
// that does not exist is empty.
func Files(store string) ([]File, error) {
	var files []File
	err := fs.WalkDir(os.DirFS(store), ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) { // the store itself, or a file that went away meanwhile
				return nil
			}
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		kind := KindOf(rel)
		if kind == FileOther {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		files = append(files, File{Path: rel, Kind: kind, Size: info.Size(), ModTime: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files, nil
}
