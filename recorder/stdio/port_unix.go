//go:build unix && !unsupported

package stdio

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// port is one end of a pipe, by its descriptor. The methods are system calls in
// blocking mode whatever the file's flags say: a file may be shared with others,
// so that its flags are not ours to change.
type port struct {
	fd   int
	null int // the null device
}

// read returns how many bytes came; 0 is the end, of whatever kind.
func (p port) read(buf []byte) int {
	for {
		n, err := syscall.Read(p.fd, buf)
		switch {
		case n > 0:
			return n
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			p.wait(unix.POLLIN)
		default:
			return 0
		}
	}
}

// write writes all of buf and reports whether the other side took it.
func (p port) write(buf []byte) bool {
	for len(buf) > 0 {
		n, err := syscall.Write(p.fd, buf)
		switch {
		case n > 0:
			buf = buf[n:]
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			p.wait(unix.POLLOUT)
		default:
			return false
		}
	}
	return true
}

func (p port) wait(events int16) {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: events}}
	_, _ = unix.Poll(fds, -1) // whatever it says, the next call tells
}

// retire closes our end, so that the other side sees it. The null device takes
// its place: the pump may be about to use the number, and no other file may get
// it.
func (p port) retire() { _ = unix.Dup2(p.null, p.fd) }

// ports are the four ends that the shim holds, and the child's two.
type ports struct {
	clientIn, clientOut port // descriptors 0 and 1
	childIn, childOut   port
	childFiles          [2]*os.File // the child's stdin and stdout
}

func openPorts() (*ports, error) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open null device: %w", err)
	}
	inR, inW, err := pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := pipe()
	if err != nil {
		return nil, err
	}
	return &ports{
		clientIn: port{0, null}, clientOut: port{1, null},
		childIn: port{inW, null}, childOut: port{outR, null},
		childFiles: [2]*os.File{os.NewFile(uintptr(inR), "stdin"), os.NewFile(uintptr(outW), "stdout")},
	}, nil
}

// closeChildFiles closes the child's ends, which the child has copies of.
func (p *ports) closeChildFiles() {
	p.childFiles[0].Close()
	p.childFiles[1].Close()
}

// pipe is os.Pipe without its non-blocking mode: the child shares the files.
func pipe() (r, w int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return 0, 0, fmt.Errorf("create pipe: %w", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	widen(fds[1])
	return fds[0], fds[1], nil
}
