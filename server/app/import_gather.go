package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpeval/mcpeval/journal"
)

// gather finds the logs below the sources.
func (i *importing) gather() error {
	if len(i.Sources) == 0 {
		return &InputError{Err: errors.New("journal import takes folders or files"), Next: "mcpeval journal import DIR"}
	}
	for _, source := range i.Sources {
		info, err := os.Lstat(source)
		switch {
		case err != nil:
			return &InputError{Err: fmt.Errorf("there is no %s", journal.Shown(filepath.ToSlash(source))), Next: "name a folder that mcpeval share made"}
		case within(source, i.store) || info.IsDir() && within(i.store, source):
			return &InputError{Err: fmt.Errorf("%s overlaps this home's store", journal.Shown(filepath.ToSlash(source))), Next: "name a folder that mcpeval share made"}
		case info.IsDir():
			err = i.gatherFolder(source)
		default:
			rel := filepath.Base(source)
			if rel == "history.jsonl" && filepath.Base(filepath.Dir(source)) == "probes" {
				rel = "probes/" + rel
			}
			err = i.gatherFile(source, rel, info)
		}
		if err != nil {
			return err
		}
	}
	if len(i.logs) == 0 {
		return &InputError{Err: errors.New("there are no logs in what was named"), Next: "name a folder that mcpeval share made"}
	}
	return nil
}

// gatherFolder takes every log below a folder. When it is an envelope, every
// file that it lists must be there as it was.
func (i *importing) gatherFolder(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, ".salt")); err == nil {
		return &InputError{Err: fmt.Errorf("%s is a home, with a salt that must not be shared", journal.Shown(filepath.ToSlash(dir))), Next: "mcpeval share, with MCPEVAL_HOME set to it, makes what can be imported"}
	}
	listed, err := listedIn(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("look at folder: %w", err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return fmt.Errorf("look at folder: %w", err)
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return fmt.Errorf("look at folder: %w", err)
		}
		rel = filepath.ToSlash(rel)
		if info.Mode().IsRegular() && journal.KindOf(rel) == journal.FileOther {
			return nil
		}
		if listed != nil && info.Mode().IsRegular() && !listed[rel] {
			return notAsListed(dir, rel)
		}
		return i.gatherFile(name, rel, info)
	})
}

// listedIn gives the files that the SHARE.md of a folder lists, each of which
// is there as it was; nil when the folder is no envelope.
func listedIn(dir string) (map[string]bool, error) {
	note, err := readNote(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !isNote(note):
		return nil, nil
	case err != nil:
		return nil, &Problem{Err: fmt.Errorf("read %s: %w", shareNote, err), Next: "get the whole envelope again"}
	}
	files, ok := listing(note)
	if !ok {
		return nil, &Problem{Err: fmt.Errorf("%s has no whole list of files: nothing was imported", shareNote), Next: "get the whole envelope again"}
	}
	if path := missingFrom(dir, files); path != "" {
		return nil, notAsListed(dir, path)
	}
	listed := map[string]bool{}
	for _, f := range files {
		listed[f.Path] = true
	}
	return listed, nil
}

func notAsListed(dir, rel string) error {
	name := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(rel)))
	return &Problem{
		Err:  fmt.Errorf("%s is not as %s lists it: nothing was imported", journal.Shown(name), shareNote),
		Next: "get the whole envelope again",
	}
}

func (i *importing) gatherFile(name, rel string, info fs.FileInfo) error {
	shown := filepath.ToSlash(name)
	switch {
	case !info.Mode().IsRegular():
		return &InputError{Err: fmt.Errorf("%s: %w", journal.Shown(shown), errNotRegular), Next: "take it away: only files are imported"}
	case journal.KindOf(rel) == journal.FileOther:
		return &InputError{Err: fmt.Errorf("%s is no log", journal.Shown(shown)), Next: "name a .jsonl file, or the folder it is in"}
	}
	l := &incoming{source: name, rel: rel}
	l.path, l.kind, l.size = shown, journal.KindOf(rel), info.Size()
	i.logs = append(i.logs, l)
	i.total += l.size
	return nil
}
