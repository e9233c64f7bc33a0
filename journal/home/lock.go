package home

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Lock is the right to write the index and the ledger. It ends with Unlock or
// with the process.
type Lock struct{ f *os.File }

// LockedError is returned when the wait for the lock is over. PID and Verb are
// what the holder wrote; zero when it has not written yet.
type LockedError struct {
	PID  int
	Verb string
}

func (e *LockedError) Error() string {
	switch {
	case e.PID == 0:
		return "the index is in use by another process; try again when it has finished, or wait longer with --wait"
	case e.Verb == "":
		return fmt.Sprintf("the index is in use by process %d; try again when it has finished, or wait longer with --wait", e.PID)
	}
	return fmt.Sprintf("the index is in use by mcpeval %s (process %d); try again when it has finished, or wait longer with --wait", e.Verb, e.PID)
}

// errBusy is what tryLock returns while another holds the lock.
var errBusy = errors.New("locked")

// lockPoll is how often a waiter tries again.
const lockPoll = 20 * time.Millisecond

// Lock takes the lock for verb, the name of the command at work. It waits while
// another process, or another caller in this one, holds it: until ctx is done, or
// for wait and then returns a *LockedError. Zero tries once.
func (h *Home) Lock(ctx context.Context, verb string, wait time.Duration) (*Lock, error) {
	if err := notSpecial(h.LockPath()); err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	f, err := os.OpenFile(h.LockPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := acquire(ctx, f, wait); err != nil {
		if errors.Is(err, errBusy) {
			err = readHolder(f)
		}
		_ = f.Close()
		return nil, err
	}
	l := &Lock{f}
	// What it says is a courtesy to who waits: the lock holds without it, and on
	// a full disk it must hold, for room to be made.
	_ = l.write(strconv.Itoa(os.Getpid()) + " " + verb + "\n")
	return l, nil
}

func acquire(ctx context.Context, f *os.File, wait time.Duration) error {
	err := tryLock(f)
	if !errors.Is(err, errBusy) || wait <= 0 {
		return err
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for errors.Is(err, errBusy) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return tryLock(f)
		case <-poll.C:
			err = tryLock(f)
		}
	}
	return err
}

// Unlock gives the lock up. Only the first call does anything.
func (l *Lock) Unlock() error {
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	err := f.Truncate(0) // nobody holds it now; the closing is what frees it
	return errors.Join(err, f.Close())
}

func (l *Lock) write(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt([]byte(text), 0)
	return err
}

// readHolder reads who holds the lock.
func readHolder(f *os.File) *LockedError {
	const longest = 128
	b, err := io.ReadAll(io.NewSectionReader(f, 0, longest))
	if err != nil {
		return &LockedError{}
	}
	pid, verb, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), " ")
	n, err := strconv.Atoi(pid)
	if err != nil || n < 1 || strings.ContainsFunc(verb, func(r rune) bool { return r < ' ' || r > '~' }) {
		return &LockedError{}
	}
	return &LockedError{PID: n, Verb: verb}
}
