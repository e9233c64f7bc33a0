package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Problem says why a command cannot be started.
type Problem uint8

// The problems. Shells report the first with exit code 127, the others with 126.
const (
	NotFound       Problem = iota + 1
	NotExecutable          // it exists, but it is no program this user may run
	NoInterpreter          // its #! line or loader names a file that does not exist
	RelativeInPath         // found through a PATH entry that is not absolute
	CannotStart            // the system refused; see StartError.Err
)

// StartError is returned by LookPath and Start for a command that cannot be
// started. Its message holds no environment value.
type StartError struct {
	Name        string // as the caller gave it
	Problem     Problem
	PathEntries int   // entries of PATH, when it was searched
	Searched    bool  // PATH was searched
	Err         error // the system's reason; may be nil
}

func (e *StartError) Error() string {
	switch {
	case e.Problem == NotFound && e.Searched && e.PathEntries == 1:
		return fmt.Sprintf("`%s` not found on PATH (1 entry)", e.Name)
	case e.Problem == NotFound && e.Searched:
		return fmt.Sprintf("`%s` not found on PATH (%d entries)", e.Name, e.PathEntries)
	case e.Problem == NotFound:
		return fmt.Sprintf("`%s` not found", e.Name)
	case e.Problem == NotExecutable:
		return fmt.Sprintf("`%s` is not executable", e.Name)
	case e.Problem == NoInterpreter:
		return fmt.Sprintf("`%s` cannot be started: its interpreter was not found", e.Name)
	case e.Problem == RelativeInPath:
		return fmt.Sprintf("`%s` was found only in a relative PATH entry: give its path", e.Name)
	}
	return fmt.Sprintf("`%s` cannot be started: %v", e.Name, e.Err)
}

// Unwrap returns the system's reason.
func (e *StartError) Unwrap() error { return e.Err }

// ExitCode is the code that shells use for this error.
func (e *StartError) ExitCode() int {
	if e.Problem == NotFound {
		return 127
	}
	return 126
}

// LookPath finds the file that a command's name stands for, by the rules of
// os/exec: names with a separator are taken as they are, others are searched for
// on PATH (on Windows with the extensions of PATHEXT), and a file that only a
// relative PATH entry leads to is refused. Its errors are of type *StartError.
func LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	e := &StartError{Name: name, Err: err, Problem: NotFound, Searched: filepath.Base(name) == name}
	var dirs []string
	if e.Searched {
		dirs = pathEntries()
		e.PathEntries = len(dirs)
	}
	switch {
	case errors.Is(err, exec.ErrDot):
		e.Problem = RelativeInPath
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EISDIR):
		e.Problem = NotExecutable
	case runtime.GOOS != "windows" && onlyNotExecutable(name, dirs):
		e.Problem = NotExecutable
	}
	return "", e
}

// onlyNotExecutable reports whether a search that found no program did find a
// file of that name. os/exec calls that not found; shells do not.
func onlyNotExecutable(name string, dirs []string) bool {
	for _, dir := range dirs {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.Mode().IsRegular() {
			return true
		}
	}
	return false
}

func pathEntries() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isBatch reports whether Windows runs the file through cmd.exe.
func isBatch(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".bat" || ext == ".cmd"
}
