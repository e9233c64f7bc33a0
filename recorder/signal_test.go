//go:build !plan9

package recorder_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
)

func TestSignalOfTheChild(t *testing.T) {
	g := newRig(t)
	recorder.NewLines(recorder.NewCapture(&g.o)).Done(process.Exit{Signal: syscall.SIGTERM}, time.Now())
	end := g.wantTypes("capture", "end")[1].Body.(*journal.End)
	if end.ExitCode != -1 || end.Signal != int64(syscall.SIGTERM) {
		t.Errorf("end is %+v", end)
	}
}
