//go:build !unsupported

package stdio

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/windows"
)

// namedPipe is a pipe read message by message: any other may join an empty write
// to the next, or drop it.
func namedPipe(t *testing.T) (r port, w windows.Handle) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`\\.\pipe\mcpeval-test-%d`, os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	w, err = windows.CreateNamedPipe(name, windows.PIPE_ACCESS_OUTBOUND, windows.PIPE_TYPE_MESSAGE, 1, 4096, 4096, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.FILE_WRITE_ATTRIBUTES, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	mode := uint32(windows.PIPE_READMODE_MESSAGE)
	if err := windows.SetNamedPipeHandleState(h, &mode, nil, nil); err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(h), "pipe")
	t.Cleanup(func() { f.Close() })
	return port{f}, w
}

func TestEmptyWriteIsNoEnd(t *testing.T) {
	r, w := namedPipe(t)
	var n uint32
	for _, s := range []string{"", "a", "", "", "b"} {
		if err := windows.WriteFile(w, []byte(s), &n, nil); err != nil {
			t.Fatal(err)
		}
	}
	buf := make([]byte, 10)
	for _, want := range []string{"a", "b"} {
		if n := r.read(buf); string(buf[:n]) != want {
			t.Fatalf("got %q, want %q", buf[:n], want)
		}
	}
	if err := windows.CloseHandle(w); err != nil {
		t.Fatal(err)
	}
	if n := r.read(buf); n != 0 {
		t.Errorf("%d bytes after the end", n)
	}
}

func TestEndOfAFile(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := (port{f}).read(make([]byte, 10)); n != 0 {
		t.Errorf("%d bytes", n)
	}
}
