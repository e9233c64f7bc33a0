//go:build unix && !unsupported

package process

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	goodBye   = 'q' // caller to guard: the end is in order
	readySign = 'r' // guard to caller: signals are ignored from here on
)

// readyWait bounds the wait for a guard before the first signal to its group.
// It starts in a few milliseconds; one that takes longer is on its own.
const readyWait = time.Second

// guard is the caller's side of a guard process. A nil *guard is legal and does
// nothing. The methods need outer locking.
type guard struct {
	pid   int
	fd    int // our end of the socket; -1 once closed
	ready bool
}

func startGuard(grace time.Duration) (*guard, error) {
	if grace <= 0 {
		grace = DefaultGrace
	}
	exe := "/proc/self/exe" // right even when the file was replaced or removed
	if runtime.GOOS != "linux" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find own program: %w", err)
		}
	}
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open null device: %w", err)
	}
	defer syscall.Close(null)
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, fmt.Errorf("create guard socket: %w", err)
	}
	defer syscall.Close(theirs)
	pid, err := syscall.ForkExec(exe,
		[]string{"mcpeval", GuardArg, strconv.FormatInt(grace.Milliseconds(), 10)},
		&syscall.ProcAttr{
			Dir:   "/",                      // hold no directory
			Env:   []string{"GOMAXPROCS=1"}, // hold no secret
			Files: guardFiles(theirs, null),
			Sys:   &syscall.SysProcAttr{Setpgid: true},
		})
	if err != nil {
		syscall.Close(ours)
		return nil, fmt.Errorf("start guard: %w", err)
	}
	return &guard{pid: pid, fd: ours}, nil
}

// socketpair is close-on-exec at both ends.
func socketpair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1, -1, err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

// guardFiles gives the guard its socket and nothing else: a descriptor that the
// caller inherited would keep its other end waiting for as long as the guard
// lives. A negative entry is closed in the new process.
func guardFiles(socket, null int) []uintptr {
	const lookedAt = 256
	files := []uintptr{uintptr(socket), uintptr(null), uintptr(null)}
	last := len(files)
	for fd := len(files); fd < lookedAt; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			last = fd + 1
		}
	}
	for len(files) < last {
		files = append(files, ^uintptr(0))
	}
	return files
}

// awaitReady waits, before the first signal to the group, until the guard
// ignores signals: one that came earlier would end the guard.
func (g *guard) awaitReady() {
	if g == nil || g.ready || g.fd < 0 {
		return
	}
	g.ready = true // whatever comes, wait only once
	deadline := time.Now().Add(readyWait)
	fds := []unix.PollFd{{Fd: int32(g.fd), Events: unix.POLLIN}}
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		if _, err := unix.Poll(fds, int(left.Milliseconds())+1); err != unix.EINTR {
			return
		}
	}
}

func (g *guard) release() {
	if g == nil || g.fd < 0 {
		return
	}
	_, _ = syscall.Write(g.fd, []byte{goodBye}) // a guard that is gone needs none
	syscall.Close(g.fd)
	g.fd = -1
	go wait(g.pid) // ends with the guard, at once unless someone stopped it
}

// GuardMain is the guard process; args are what follows GuardArg. It returns the
// exit code. Nothing heavy may run before it.
func GuardMain(args []string) int {
	grace, ok := guardGrace(args)
	// Run by hand, its group would be somebody's shell job.
	group, err := unix.Getpgid(0)
	if !ok || err != nil || group != syscall.Getpid() {
		return 2
	}
	// All signals are caught and dropped, not ignored by disposition: a stop
	// signal to the group must not stop the guard either.
	signal.Notify(make(chan os.Signal, 1))
	_, _ = syscall.Write(0, []byte{readySign})
	var buf [1]byte
	for {
		n, err := syscall.Read(0, buf[:])
		if n == 1 {
			return 0
		}
		if err != syscall.EINTR {
			break
		}
	}
	// 0 is the guard's own group. Members that are stopped must run to end.
	_ = syscall.Kill(0, syscall.SIGTERM)
	_ = syscall.Kill(0, syscall.SIGCONT)
	time.Sleep(grace)
	_ = syscall.Kill(0, syscall.SIGKILL)
	return 0
}

func guardGrace(args []string) (time.Duration, bool) {
	if len(args) != 1 {
		return 0, false
	}
	ms, err := strconv.Atoi(args[0])
	return time.Duration(ms) * time.Millisecond, err == nil && ms >= 0
}
