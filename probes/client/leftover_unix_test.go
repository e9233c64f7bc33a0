//go:build unix

package client_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
)

// lockVariable names a file that the server's child keeps locked while it lives.
const lockVariable = "MCPEVAL_CLIENT_TEST_LOCK"

// leaveChild starts a child that outlives the server and holds its stdout.
func leaveChild() {
	exe, _ := os.Executable()
	child := exec.Command(exe)
	child.Env = append(os.Environ(), modeVariable+"=lingers")
	child.Stdout = os.Stdout
	ready, _ := child.StderrPipe()
	_ = child.Start()
	_, _ = ready.Read(make([]byte, 1))
}

// linger locks the file and ends only when it is killed.
func linger() int {
	file, err := os.OpenFile(os.Getenv(lockVariable), os.O_RDWR, 0)
	if err != nil || syscall.Flock(int(file.Fd()), syscall.LOCK_EX) != nil {
		return 1
	}
	fmt.Fprint(os.Stderr, "x")
	select {}
}

func TestNothingOfTheGroupIsLeft(t *testing.T) {
	for _, how := range []string{"closed", "exited"} {
		t.Run(how, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			mode := "leaves-child"
			if how == "exited" {
				mode = "leaves-child-and-exits"
			}
			c := dial(t, target(t, mode, lockVariable+"="+path), &client.Options{Protocol: client.Revision2025c, Grace: 50 * time.Millisecond})
			if how == "exited" {
				_, err := c.Call(context.Background(), "tools/call", nil)
				if client.KindOf(err) != client.TransportClosed {
					t.Errorf("error %v", err)
				}
			}
			c.Close()
			// Waits for ever when the child lives on.
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
				t.Error(err)
			}
		})
	}
}
