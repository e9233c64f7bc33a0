//go:build unix && !unsupported

package stdio_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// The servers behind the shim.

// catMain answers every byte with itself.
func catMain([]string) int {
	_, _ = io.Copy(os.Stdout, os.Stdin)
	return 0
}

const noise = 256 << 10

// noisyMain fills stderr before it reads.
func noisyMain(args []string) int {
	_, _ = os.Stderr.Write(bytes.Repeat([]byte{'!'}, noise))
	return catMain(args)
}

// muteMain closes its output and lives until its input ends.
func muteMain([]string) int {
	os.Stdout.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 3
}

// deafMain closes its input and lives until it is told to end.
func deafMain([]string) int {
	os.Stdin.Close()
	return hangMain([]string{"catch"})
}

// hangMain never answers. With "catch" it says which signals come, and TERM and
// INT do not end it; without, the system's defaults hold.
func hangMain(args []string) int {
	signals := make(chan os.Signal, 10)
	if len(args) > 0 {
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	}
	fmt.Println(os.Getpid())
	for {
		select {
		case sig := <-signals:
			fmt.Println(sig)
		case <-time.After(time.Hour):
			return 1
		}
	}
}

// leaveMain is a wrapper that goes away at once; its child keeps the pipes.
func leaveMain([]string) int {
	spawn("hang", "catch")
	return 4
}

// treeMain is a wrapper like npx: its child does the work.
func treeMain(args []string) int {
	spawn(args...)
	return hangMain([]string{"catch"})
}

func spawn(args ...string) {
	_, err := os.StartProcess(os.Args[0], self(args...), &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// floodMain writes until it cannot.
func floodMain([]string) int {
	for {
		if _, err := fmt.Println("flood"); err != nil {
			return 5
		}
	}
}

const burst = 48 << 10

// burstMain ends right after it has filled most of the pipe.
func burstMain([]string) int {
	_, _ = os.Stdout.Write(bytes.Repeat([]byte{'x'}, burst))
	return 0
}

// lastMain has a last word after the end of its input.
func lastMain([]string) int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println("roots/list")
	return 0
}

func exitMain(args []string) int {
	code, _ := strconv.Atoi(args[0])
	return code
}

func dieMain(args []string) int {
	n, _ := strconv.Atoi(args[0])
	return process.ReRaise(syscall.Signal(n))
}

func environMain([]string) int {
	block, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return 1
	}
	_, _ = bufio.NewReader(bytes.NewReader(block)).WriteTo(os.Stdout)
	return 0
}
