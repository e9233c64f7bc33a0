package cli

import (
	"io"
	"os"
	"time"
)

// IO is the world as the verbs see it.
type IO struct {
	// In, Out and Err are the process's standard streams. The shim reads and
	// writes descriptors 0, 1 and 2 themselves, whatever these are.
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
}

// System is the IO of this process.
func System() *IO {
	return &IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now}
}

// terminal tells whether w is a terminal. The null device counts as one, which
// does no harm.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colour tells whether w may be written to with escape sequences.
func (std *IO) colour(w io.Writer) bool {
	return terminal(w) && std.Getenv("NO_COLOR") == "" && std.Getenv("TERM") != "dumb"
}
