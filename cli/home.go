package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/server/app"
)

// home opens the home that the environment names, creating it if need be.
func (std *IO) home() (*home.Home, error) {
	dir, err := std.homeDir()
	if err != nil {
		return nil, err
	}
	h, err := home.Open(dir)
	if err != nil {
		return nil, &app.Problem{Err: err, Next: "set MCPEVAL_HOME to a folder you can write to"}
	}
	return h, nil
}

func (std *IO) homeDir() (string, error) {
	dir, err := home.Resolve(std.Getenv, runtime.GOOS)
	if err != nil {
		return "", &app.Problem{Err: err, Next: "MCPEVAL_HOME=/path/to/folder mcpeval ..."}
	}
	return dir, nil
}

// openStore is what a recorder opens when its first event comes.
func (std *IO) openStore() (recorder.Store, error) {
	dir, err := home.Resolve(std.Getenv, runtime.GOOS)
	if err != nil {
		return recorder.Store{}, err
	}
	h, err := home.Open(dir)
	if err != nil {
		return recorder.Store{}, err
	}
	salt, err := h.Salt()
	if err != nil {
		return recorder.Store{}, err
	}
	return recorder.Store{Dir: h.Store(), Salt: salt}, nil
}

// defaultWait is how long a verb waits for another that holds the index.
const defaultWait = 10 * time.Second

func waitFlag() urfave.Flag {
	return &urfave.DurationFlag{Name: "wait", Value: defaultWait, Usage: "wait so long for another process that holds the index"}
}

// lockIndex takes the index lock for verb and returns what gives it up.
func lockIndex(ctx context.Context, h *home.Home, verb string) (unlock func(), err error) {
	lock, err := h.Lock(ctx, verb, defaultWait)
	if err != nil {
		return nil, lockProblem(err)
	}
	return func() { _ = lock.Unlock() }, nil // it ends with the process anyway
}

// homeProblem adds what to do about a home that does not let us work; any other
// error stays as it is.
func homeProblem(err error) error {
	var special *home.SpecialError
	var config *home.ConfigError
	switch {
	case errors.As(err, &config):
		return &app.Problem{Err: err, Next: "mend it, or move it away: mv " + config.Path + " " + config.Path + ".old"}
	case errors.As(err, &special):
		return &app.Problem{Err: err, Next: "mv " + special.Path + " " + special.Path + ".old"}
	case errors.Is(err, index.ErrSpecial):
		return &app.Problem{Err: err, Next: "mcpeval doctor"}
	case app.DiskFull(err):
		return &app.Problem{Err: err, Next: "make room, or mcpeval journal prune --before DATE"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &app.Problem{Err: err, Next: "run it as the owner of the home, or with MCPEVAL_HOME set to a copy you can write to"}
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultPerm: // reading, too, needs the right to write beside the index
		return &app.Problem{Err: err, Next: "run it as the owner of the home, or with MCPEVAL_HOME set to a copy you can write to"}
	}
	return err
}

// lockProblem adds what to do about an index that is in use.
func lockProblem(err error) error {
	var locked *home.LockedError
	if errors.As(err, &locked) {
		return &app.Problem{Err: locked, Next: "try again later"}
	}
	return homeProblem(fmt.Errorf("lock index: %w", err))
}
