//go:build unix && !unsupported

package stdio_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/stdio"
)

// The test program is also the shim, its guard, and every server that the tests
// put behind it: "stdio.test ROLE ARGS...".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	// The race detector's second at the end of each process adds up.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

var roles = map[string]func(args []string) int{
	process.GuardArg: process.GuardMain,
	"shim":           shimMain,
	"cat":            catMain,
	"noisy":          noisyMain,
	"mute":           muteMain,
	"deaf":           deafMain,
	"hang":           hangMain,
	"leave":          leaveMain,
	"tree":           treeMain,
	"flood":          floodMain,
	"burst":          burstMain,
	"last":           lastMain,
	"exit":           exitMain,
	"die":            dieMain,
	"environ":        environMain,
}

// shimMain is what the product's command does around Run.
func shimMain(args []string) int {
	flags := flag.NewFlagSet("shim", flag.ExitOnError)
	kind := flags.String("consumer", "trace", "trace, scan, null, stuck or panic")
	trace := flags.String("trace", os.DevNull, "file for the trace")
	gate := flags.String("gate", "", "fifo that the first chunk waits for")
	o := stdio.Options{}
	flags.IntVar(&o.Queue, "queue", 0, "")
	flags.DurationVar(&o.Grace, "grace", 5*time.Second, "")
	flags.DurationVar(&o.Drain, "drain", time.Second, "")
	_ = flags.Parse(args)
	o.Args = flags.Args()
	o.Consumer = newConsumer(*kind, *trace, *gate)
	exit, err := stdio.Run(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		var start *process.StartError
		if errors.As(err, &start) {
			return start.ExitCode()
		}
	}
	if exit.Signal != nil {
		return process.ReRaise(exit.Signal)
	}
	return exit.Code
}
