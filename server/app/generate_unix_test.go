//go:build unix

package app_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpeval/mcpeval/server/app"
)

// A pipe or a socket, like a device, is not replaced with a file, not even by force.
// The device itself is only a link's target here: a mistake must not cost the
// machine its /dev/null.
func TestGenerateReplacesFilesOnly(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	dir, err := os.MkdirTemp("", "") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{pipe, socket} {
		before, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = app.Generate(t.Context(), &app.GenerateOptions{Home: h, Finding: failing, Output: name, ConfirmReadOnly: true, Force: true})
		if e, ok := errors.AsType[*app.InputError](err); !ok || e.Next == "" || !strings.Contains(err.Error(), "is no file") {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
		if after, err := os.Lstat(name); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s was replaced: %v", filepath.Base(name), err)
		}
	}

	link := filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Generate(t.Context(), &app.GenerateOptions{Home: h, Finding: failing, Output: link, ConfirmReadOnly: true, Force: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Error("the null device is no device any more")
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Error("the link was followed")
	}
}
