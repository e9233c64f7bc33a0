package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
)

// Status is how a doctor's check ended.
type Status string

// The statuses. Only StatusBad is a finding.
const (
	StatusOK   Status = "ok"
	StatusNote Status = "note" // worth knowing, nothing to mend
	StatusBad  Status = "bad"
)

// Check is one thing the doctor looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // what to do, unless Status is StatusOK
}

// DoctorOptions say what Doctor looks at.
type DoctorOptions struct {
	// Home is the path of the home, which need not exist.
	Home string
	// Free tells the free bytes of the disk that holds a path; nil asks the
	// system.
	Free func(path string) (int64, error)
}

// lowDisk is how little free space is worth a finding, in bytes.
const lowDisk = 64 << 20

// Doctor checks the home and what is in it. It changes nothing. The error is
// ctx's only: whatever cannot be looked at is a finding.
func Doctor(ctx context.Context, o *DoctorOptions) ([]Check, error) {
	free := o.Free
	if free == nil {
		free = freeBytes
	}
	h := &home.Home{Dir: o.Home}
	exists := checkHome(h)
	checks := []Check{exists}
	if exists.Status != StatusNote { // there is one
		checks = append(checks, checkSalt(h), checkConfig(h), checkDisk(h, free), checkStore(h), checkTails(ctx, h), checkIndex(ctx, h), checkQuarantine(h))
	}
	return checks, ctx.Err()
}

func checkHome(h *home.Home) Check {
	const name = "home"
	info, err := os.Stat(h.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Check{name, StatusNote, h.Dir + " does not exist yet: nothing was recorded", "wrap a server with mcpeval shim, or run mcpeval tour"}
	case err != nil:
		return Check{name, StatusBad, "cannot look at the home: " + err.Error(), "set MCPEVAL_HOME to a folder of your own"}
	case !info.IsDir():
		return Check{name, StatusBad, h.Dir + " is no folder", "set MCPEVAL_HOME to a folder of your own"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return Check{name, StatusBad, fmt.Sprintf("%s can be written to by others (%o)", h.Dir, info.Mode().Perm()), "chmod 700 " + h.Dir}
	}
	probe, err := os.CreateTemp(h.Dir, ".doctor-*.tmp")
	if err != nil {
		return Check{name, StatusBad, h.Dir + " cannot be written to: shims run unrecorded", "make it writable, or set MCPEVAL_HOME to another folder"}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		// Made by someone else; all that is in it is closed to others itself.
		return Check{name, StatusNote, fmt.Sprintf("%s can be listed by others (%o)", h.Dir, info.Mode().Perm()), "chmod 700 " + h.Dir}
	}
	return Check{name, StatusOK, h.Dir, ""}
}

func checkSalt(h *home.Home) Check {
	const name = "salt"
	info, err := os.Lstat(h.SaltPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Check{name, StatusNote, "no salt yet; it is made with the first recording", "wrap a server with mcpeval shim"}
	case err != nil:
		return Check{name, StatusBad, "cannot look at the salt: " + err.Error(), "make the home readable"}
	case !info.Mode().IsRegular() || info.Size() != 32:
		return Check{name, StatusBad, h.SaltPath() + " is not 32 bytes", "put back a copy of it, or move it away to begin with a new one"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return Check{name, StatusBad, fmt.Sprintf("%s can be read by others (%o)", h.SaltPath(), info.Mode().Perm()), "chmod 600 " + h.SaltPath()}
	}
	return Check{name, StatusOK, h.SaltPath() + " (must not be shared)", ""}
}

func checkConfig(h *home.Home) Check {
	const name = "config"
	if _, err := os.Stat(h.ConfigPath()); errors.Is(err, fs.ErrNotExist) {
		return Check{name, StatusOK, "none; built-in settings hold", ""}
	}
	if _, err := h.Config(); err != nil {
		return Check{name, StatusBad, err.Error(), "edit or remove " + h.ConfigPath()}
	}
	return Check{name, StatusOK, h.ConfigPath(), ""}
}

func checkDisk(h *home.Home, free func(string) (int64, error)) Check {
	const name = "disk"
	n, err := free(h.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return Check{name, StatusNote, "free space cannot be told on this system", "look at it with the system's own tools"}
	case err != nil:
		return Check{name, StatusBad, "cannot tell the free space: " + err.Error(), "make the home readable"}
	case n < lowDisk:
		return Check{name, StatusBad, fmt.Sprintf("%d MiB free", n>>20), "make room, or mcpeval journal prune --before DATE"}
	}
	return Check{name, StatusOK, fmt.Sprintf("%d MiB free", n>>20), ""}
}

// checkStore looks for what recorders could write to and nobody would read, and
// for folders where files belong.
func checkStore(h *home.Home) Check {
	const name = "store"
	for _, path := range []string{h.LockPath(), h.IndexPath(), h.LedgerPath()} {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return Check{name, StatusBad, path + " is no file", "move it away, then mcpeval index"}
		}
	}
	if info, err := os.Stat(h.Store()); err == nil && !info.IsDir() {
		return Check{name, StatusBad, h.Store() + " is no folder", "move it away"}
	}
	captures := filepath.Join(h.Store(), "captures")
	info, statErr := os.Lstat(captures)
	link, err := firstLink(h.Store())
	switch {
	case err != nil:
		return Check{name, StatusBad, "cannot look at the store: " + err.Error(), "make the store readable"}
	case statErr == nil && !info.IsDir() && link != "captures":
		return Check{name, StatusBad, captures + " is no folder: shims run unrecorded", "move it away"}
	case link != "":
		return Check{name, StatusBad, journal.Shown(link) + " is a symbolic link, which is never read, so that what is recorded behind it is not seen", "put there what it points to, or link the whole store"}
	}
	return Check{name, StatusOK, h.Store(), ""}
}

// firstLink is the first symbolic link below the store, relative to it; "" when
// there is none.
func firstLink(store string) (link string, err error) {
	err = fs.WalkDir(os.DirFS(store), ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.Type()&fs.ModeSymlink != 0:
			link = rel
			return fs.SkipAll
		}
		return nil
	})
	return link, err
}

// checkTails counts logs whose last line has no end. One that is being written
// may look so for a moment, so that it is no finding.
func checkTails(ctx context.Context, h *home.Home) Check {
	const name = "logs"
	captures, err := Captures(ctx, h.Store())
	if err != nil {
		return Check{name, StatusBad, "cannot read the journal: " + err.Error(), "make the store readable"}
	}
	first, torn, broken, open := "", 0, 0, 0
	for _, c := range captures {
		switch c.State {
		case StateBroken:
			if broken++; broken == 1 {
				first = c.Path
			}
		case StateTorn:
			torn++
		case StateOpen, StateEmpty:
			open++
		}
	}
	detail := fmt.Sprintf("captures: %d; not ended: %d; with a torn last line: %d; that cannot be read: %d", len(captures), open, torn, broken)
	switch {
	case broken > 0:
		return Check{name, StatusBad, detail + ", such as " + journal.Shown(first), "mcpeval journal repair " + journal.Shown(first)}
	case torn > 0:
		return Check{name, StatusNote, detail, "nothing to do: a torn line is one that was never acknowledged"}
	}
	return Check{name, StatusOK, detail, ""}
}

func checkQuarantine(h *home.Home) Check {
	const name = "quarantine"
	n := 0
	err := filepath.WalkDir(h.QuarantineDir(), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Check{name, StatusBad, "cannot look at the quarantine: " + err.Error(), "make it readable"}
	case n > 0:
		return Check{name, StatusNote, fmt.Sprintf("logs in %s: %d; they are not indexed and may hold anything", h.QuarantineDir(), n), "look at them, then remove them"}
	}
	return Check{name, StatusOK, "empty", ""}
}
