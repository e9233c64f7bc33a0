package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSize is the largest configuration that is read.
const maxSize = 64 << 20

// backupSuffix follows the name of a file in the name of its backup.
const backupSuffix = ".mcpeval-backup"

var (
	// ErrNotRegular is returned when a configuration is a folder or a device.
	ErrNotRegular = errors.New("it is no file")
	// ErrTooLarge is returned for a file that no configuration is as large as.
	ErrTooLarge = errors.New("it is larger than 64 MiB")
	// ErrDangling is returned for a link to nothing.
	ErrDangling = errors.New("it is a link to nothing")
	// ErrChanged is returned when another program wrote the file meanwhile.
	ErrChanged = errors.New("another program wrote it meanwhile")
)

// File is a configuration as it was read.
type File struct {
	Place
	Text []byte

	real string // what Path is after links
	info fs.FileInfo
}

// Open reads a configuration; its error is fs.ErrNotExist without one. Links are
// followed, and the file they lead to is what Write replaces.
func Open(p Place) (*File, error) {
	if _, err := os.Lstat(p.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open configuration: %w", err)
	}
	real, err := filepath.EvalSymlinks(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open %s: %w", p.Path, ErrDangling)
	case err != nil:
		return nil, fmt.Errorf("open configuration: %w", err)
	}
	f := &File{Place: p, real: real}
	if f.Text, f.info, err = read(real); err != nil {
		return nil, err
	}
	return f, nil
}

func read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // before it is opened, which would wait for a pipe's other end
	if err != nil {
		return nil, nil, fmt.Errorf("open configuration: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open configuration: %w", err)
	}
	defer f.Close() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read configuration: %w", err)
	case len(text) > maxSize:
		return nil, nil, fmt.Errorf("read %s: %w", path, ErrTooLarge)
	}
	return text, info, nil
}

// Backup is where the configuration is kept as it was before the first change.
func (f *File) Backup() string { return f.real + backupSuffix }

// Write replaces the configuration as a whole or not at all, keeping its mode
// and, where that is allowed, its owner. Before the first change it is backed up;
// a backup that is there is never written to. It returns ErrChanged when the file
// is not what was read any more.
func (f *File) Write(text []byte) error {
	if err := f.backUp(); err != nil {
		return err
	}
	return f.replace(text)
}

func (f *File) backUp() error {
	if _, err := os.Lstat(f.Backup()); !errors.Is(err, fs.ErrNotExist) {
		return nil // it is there; what else may be wrong shows in replace
	}
	name, err := f.temp(f.Text)
	if err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	if err := os.Rename(name, f.Backup()); err != nil {
		return fmt.Errorf("write backup: %w", errors.Join(err, os.Remove(name)))
	}
	return nil
}

func (f *File) replace(text []byte) error {
	name, err := f.temp(text)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	now, _, err := read(f.real)
	if err == nil && !bytes.Equal(now, f.Text) {
		err = fmt.Errorf("write %s: %w", f.Path, ErrChanged)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if err := os.Rename(name, f.real); err != nil {
		return fmt.Errorf("write configuration: %w", errors.Join(err, os.Remove(name)))
	}
	return nil
}

// temp writes a file beside the configuration that is like it but for its text.
func (f *File) temp(text []byte) (name string, err error) {
	t, err := os.CreateTemp(filepath.Dir(f.real), ".mcpeval-*")
	if err != nil {
		return "", err
	}
	_, err = t.Write(text)
	owner(t, f.info)
	if err = errors.Join(err, t.Chmod(f.info.Mode().Perm()), t.Sync(), t.Close()); err != nil {
		return "", errors.Join(err, os.Remove(t.Name()))
	}
	return t.Name(), nil
}

// Settle removes the backup when it holds what text is, which is when every
// change was taken back. It tells whether a backup is left.
func (f *File) Settle(text []byte) (left bool, err error) {
	kept, err := os.ReadFile(f.Backup())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("read backup: %w", err)
	case !bytes.Equal(kept, text):
		return true, nil
	}
	if err := os.Remove(f.Backup()); err != nil {
		return true, fmt.Errorf("remove backup: %w", err)
	}
	return false, nil
}
