package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// Envelopes are made in a folder of such a name beside their place.
const (
	tempPrefix = ".mcpeval-share-"
	tempSuffix = ".tmp"
	staleTemp  = 24 * time.Hour // no Share takes so long
)

// target checks the place of the envelope before anything is read.
func (s *sharing) target() error {
	if s.Dir == "" {
		return &InputError{Err: errors.New("share needs --dir DIR"), Next: "mcpeval share --dir DIR"}
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return fmt.Errorf("resolve folder: %w", err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return &InputError{Err: fmt.Errorf("there is no folder %s to make the envelope in", journal.Shown(filepath.ToSlash(filepath.Dir(dir)))), Next: "make it first"}
	}
	s.dir = filepath.Join(parent, filepath.Base(dir))
	s.shared.Dir = s.Dir
	info, err := os.Lstat(s.dir)
	exists := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at folder: %w", err)
	case exists && !info.IsDir():
		return &InputError{Err: errors.New("--dir is a link, or no folder"), Next: "name a folder that is not there yet"}
	}
	home, err := filepath.EvalSymlinks(s.Home.Dir)
	if err != nil {
		return fmt.Errorf("resolve home: %w", err)
	}
	store, err := filepath.EvalSymlinks(s.Home.Store())
	if err != nil {
		return fmt.Errorf("resolve store: %w", err)
	}
	for _, ours := range []string{home, store} {
		if within(s.dir, ours) || exists && within(ours, s.dir) {
			return &InputError{Err: errors.New("--dir overlaps the home or its store"), Next: "name a folder outside of " + s.Home.Dir}
		}
	}
	if !exists {
		return nil
	}
	return s.replaceable()
}

// replaceable checks what is at the envelope's place already.
func (s *sharing) replaceable() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("look at folder: %w", err)
	}
	switch {
	case len(entries) == 0:
		return nil
	case !s.Force:
		return &InputError{Err: errors.New("--dir is there already and not empty"), Next: "name another folder, or replace an earlier envelope with --force"}
	case wholeEnvelope(s.dir) != nil:
		return &InputError{Err: fmt.Errorf("--force replaces nothing else: %w, with nothing added or changed", errNoEnvelope), Next: "name another folder"}
	}
	return nil
}

// sweep removes what killed runs have left beside the envelope's place.
func (s *sharing) sweep() {
	parent := filepath.Dir(s.dir)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempPrefix) || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && s.Now().Sub(info.ModTime()) > staleTemp {
			_ = os.RemoveAll(filepath.Join(parent, e.Name())) // the next run tries again
		}
	}
}

// publish makes the folder the envelope. An earlier one is moved aside first, so
// that its place holds a whole envelope or nothing at every moment.
func (s *sharing) publish() error {
	f, err := os.OpenFile(filepath.Join(s.temp, shareNote), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", shareNote, err)
	}
	_, err = f.Write(s.shared.note())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", shareNote, err)
	}
	syncFolders(s.temp)
	s.Hook("written")
	parent := filepath.Dir(s.dir)
	old := ""
	switch err := os.Remove(s.dir); { // an empty folder goes; nothing else does
	case err == nil, errors.Is(err, fs.ErrNotExist):
	default:
		if err := s.replaceable(); err != nil { // it may have come, or changed, meanwhile
			return err
		}
		aside, err := os.MkdirTemp(parent, tempPrefix+"*"+tempSuffix)
		if err != nil {
			return fmt.Errorf("replace envelope: %w", err)
		}
		old = filepath.Join(aside, "earlier")
		defer os.RemoveAll(aside)
		if err := os.Rename(s.dir, old); err != nil {
			return fmt.Errorf("replace envelope: %w", err)
		}
		s.Hook("moved")
	}
	if err := os.Rename(s.temp, s.dir); err != nil {
		err = fmt.Errorf("publish envelope: %w", err)
		if old != "" {
			err = errors.Join(err, os.Rename(old, s.dir))
		}
		return err
	}
	syncFolder(parent)
	s.Hook("published")
	s.shared.Published = true
	return nil
}
