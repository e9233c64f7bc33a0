//go:build unix && !unsupported

package process

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// Process is a started child. Its methods may be called from any goroutine.
type Process struct {
	pid   int
	group int
	guard *guard // nil when there is none

	// GuardErr says why a guard that was asked for does not run.
	GuardErr error

	mu   sync.Mutex
	done bool // no signal may be sent any more; guarded by mu
}

// Start starts a command. A command that cannot be started gives a *StartError.
func Start(c Command) (*Process, error) {
	path, err := LookPath(c.Args[0])
	if err != nil {
		return nil, err
	}
	if c.Dir != "" {
		if _, err := os.Stat(c.Dir); err != nil {
			return nil, &StartError{Name: c.Args[0], Problem: CannotStart, Err: err}
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open null device: %w", err)
	}
	defer null.Close()
	p := &Process{}
	if c.Guard {
		p.guard, p.GuardErr = startGuard(c.Grace)
	}
	attr := syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Sys: &syscall.SysProcAttr{Setpgid: true}}
	if c.Env == nil {
		attr.Env = environ()
	}
	if p.guard != nil {
		attr.Sys.Pgid = p.guard.pid
	}
	files := []*os.File{c.Stdin, c.Stdout, c.Stderr}
	attr.Files = descriptors(files, null)
	p.pid, err = syscall.ForkExec(path, c.Args, &attr)
	runtime.KeepAlive(files)
	if err != nil {
		p.guard.release()
		return nil, startError(c.Args[0], err)
	}
	p.group = p.pid
	if p.guard != nil {
		p.group = p.guard.pid
	}
	return p, nil
}

func startError(name string, err error) error {
	e := &StartError{Name: name, Problem: CannotStart, Err: err}
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
		e.Problem = NoInterpreter // the file itself was there a moment ago
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOEXEC):
		e.Problem = NotExecutable
	}
	return e
}

// descriptors are those of files, with the null device for nil. File.Fd makes a
// file blocking for the child only if package os had made it non-blocking, so
// that inherited files, whose flags belong to others too, stay as they are.
func descriptors(files []*os.File, null *os.File) []uintptr {
	fds := make([]uintptr, 0, len(files))
	for _, f := range files {
		if f == nil {
			f = null
		}
		fds = append(fds, f.Fd())
	}
	return fds
}

// Pid is the child's process number.
func (p *Process) Pid() int { return p.pid }

// Wait waits until the child itself has ended; others of its group may live on.
// It is called once.
func (p *Process) Wait() (Exit, error) {
	status, err := wait(p.pid)
	if p.guard == nil {
		// The group's number is free for others now.
		p.mu.Lock()
		p.done = true
		p.mu.Unlock()
	}
	if err != nil {
		return Exit{}, fmt.Errorf("wait for child: %w", err)
	}
	if status.Signaled() {
		return Exit{Signal: status.Signal()}, nil
	}
	return Exit{Code: status.ExitStatus()}, nil
}

func wait(pid int) (syscall.WaitStatus, error) {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err != syscall.EINTR {
			return status, err
		}
	}
}

// Forward sends a signal to every process of the child's group. After Release,
// or when nobody is left, it does nothing.
func (p *Process) Forward(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return nil
	}
	if s != syscall.SIGKILL {
		p.guard.awaitReady()
	}
	if err := syscall.Kill(-p.group, s); err != nil && err != syscall.ESRCH {
		return fmt.Errorf("signal child: %w", err)
	}
	return nil
}

// Terminate asks the child's group to end.
func (p *Process) Terminate() error { return p.Forward(syscall.SIGTERM) }

// Kill ends the child's group, and its guard with it.
func (p *Process) Kill() error { return p.Forward(syscall.SIGKILL) }

// Release is the orderly end: the guard goes, and whoever is left of the group
// lives on. No signal is sent afterwards. It may be called repeatedly.
func (p *Process) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	p.guard.release()
}
