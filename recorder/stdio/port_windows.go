//go:build !unsupported

package stdio

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// port is one end of a pipe.
type port struct{ file *os.File }

// read returns how many bytes came; 0 is the end, of whatever kind.
func (p port) read(buf []byte) int {
	for {
		n, err := p.file.Read(buf)
		if n > 0 || err != nil && !wasEmptyWrite(p.file) {
			return max(n, 0)
		}
	}
}

// wasEmptyWrite tells apart the two reasons why a read of a pipe comes back with
// nothing, which package os both calls the end: the other side closed it, or it
// wrote zero bytes, as a flush of an empty buffer does.
func wasEmptyWrite(f *os.File) bool {
	handle := windows.Handle(f.Fd())
	if kind, err := windows.GetFileType(handle); err != nil || kind != windows.FILE_TYPE_PIPE {
		return false
	}
	peek := windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
	alive, _, _ := peek.Call(uintptr(handle), 0, 0, 0, 0, 0)
	return alive != 0
}

// write writes all of buf and reports whether the other side took it.
func (p port) write(buf []byte) bool {
	_, err := p.file.Write(buf)
	return err == nil
}

// retire closes our end, so that the other side sees it. Closing waits for a
// read that is under way, so nobody waits for closing.
func (p port) retire() { go p.file.Close() }

// ports are the four ends that the shim holds, and the child's two.
type ports struct {
	clientIn, clientOut port
	childIn, childOut   port
	childFiles          [2]*os.File // the child's stdin and stdout
}

func openPorts() (*ports, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create pipe: %w", err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create pipe: %w", err)
	}
	return &ports{
		clientIn: port{os.Stdin}, clientOut: port{os.Stdout},
		childIn: port{inW}, childOut: port{outR},
		childFiles: [2]*os.File{inR, outW},
	}, nil
}

// closeChildFiles closes the child's ends, which the child has copies of.
func (p *ports) closeChildFiles() {
	p.childFiles[0].Close()
	p.childFiles[1].Close()
}
