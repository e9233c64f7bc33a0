package home

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// SaltError says that the salt file does not hold a salt. It is never replaced:
// records made with the lost salt and with a new one would not compare.
type SaltError struct {
	Path string
	Size int64 // bytes found; 32 when they are all zero
}

func (e *SaltError) Error() string {
	return fmt.Sprintf("the salt file %s is damaged (%d bytes, want 32 random ones): "+
		"put back a copy of it, or move it away to begin with a new salt; error groups from before and after will then not be the same", e.Path, e.Size)
}

// Salt reads the salt, creating it when there is none. Of processes that create
// it at the same time, one wins and all get the same.
func (h *Home) Salt() (sanitize.Salt, error) {
	salt, err := h.readSalt()
	if errors.Is(err, fs.ErrNotExist) {
		if err := h.createSalt(); err != nil {
			return sanitize.Salt{}, fmt.Errorf("create salt: %w", err)
		}
		salt, err = h.readSalt()
	}
	var damaged *SaltError
	for looks := 100; looks > 0 && errors.As(err, &damaged) && damaged.Size < int64(len(salt)); looks-- {
		h.pause() // it may be in the making, see createSaltInPlace
		salt, err = h.readSalt()
	}
	switch {
	case err == nil:
		h.sweepSalt()
		return salt, nil
	case errors.As(err, &damaged):
		return sanitize.Salt{}, err
	}
	return sanitize.Salt{}, fmt.Errorf("read salt: %w", err)
}

func (h *Home) readSalt() (salt sanitize.Salt, err error) {
	if err := notSpecial(h.SaltPath()); err != nil {
		return salt, err
	}
	f, err := os.Open(h.SaltPath())
	if err != nil {
		return salt, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(len(salt))+1))
	if err != nil {
		return salt, err
	}
	if copy(salt[:], b); len(b) != len(salt) || salt == (sanitize.Salt{}) {
		size := int64(len(b))
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		return sanitize.Salt{}, &SaltError{Path: h.SaltPath(), Size: size}
	}
	return salt, nil
}

// createSalt makes the salt file unless another process is faster. The salt is
// written to a file of its own and linked into place, so that nobody ever sees
// part of it.
func (h *Home) createSalt() error {
	f, err := os.CreateTemp(h.Dir, saltTempPrefix+"*"+saltTempSuffix) // 0600, O_EXCL
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := writeSalt(f); err != nil {
		return err
	}
	err = os.Link(f.Name(), h.SaltPath())
	if err == nil {
		syncDir(h.Dir)
		return nil
	}
	if _, there := os.Lstat(h.SaltPath()); there == nil {
		return nil
	}
	return h.createSaltInPlace()
}

const (
	saltTempPrefix = ".salt-"
	saltTempSuffix = ".tmp"
)

// createSaltInPlace serves file systems without hard links. Readers give the
// winner time to write.
func (h *Home) createSaltInPlace() error {
	f, err := os.OpenFile(h.SaltPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeSalt(f)
}

func pause() { time.Sleep(10 * time.Millisecond) }

// writeSalt writes a new salt to f and closes it.
func writeSalt(f *os.File) error {
	var salt sanitize.Salt
	if _, err := rand.Read(salt[:]); err != nil {
		return errors.Join(err, f.Close())
	}
	if _, err := f.Write(salt[:]); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// sweepSalt removes what a process that was killed while it created the salt
// left behind: it may be a second name of the salt file. One that is still at
// work notices that the salt is there.
func (h *Home) sweepSalt() {
	entries, err := os.ReadDir(h.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), saltTempPrefix) && strings.HasSuffix(e.Name(), saltTempSuffix) {
			_ = os.Remove(filepath.Join(h.Dir, e.Name())) // the next one who reads the salt tries again
		}
	}
}

// syncDir makes a new name in dir survive a power loss, where that can be asked
// for.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can sync a folder
		_ = d.Close()
	}
}
