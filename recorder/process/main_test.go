//go:build unix && !unsupported

package process_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// The test program is also a guard and every process that the tests need:
// "process.test ROLE ARGS...".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles()[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	// The race detector's second at the end of each process adds up.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func roles() map[string]func(args []string) int {
	return map[string]func(args []string) int{
		process.GuardArg: process.GuardMain,
		"caller":         callerMain,
		"tree":           treeMain,
		"stubborn":       stubbornMain,
		"cat":            catMain,
		"exit":           exitMain,
		"die":            dieMain,
		"environ":        environMain,
		"nonblocking":    nonblockingMain,
	}
}

func self(args ...string) []string { return append([]string{os.Args[0]}, args...) }

// callerMain starts the rest of its arguments guarded, with its own files, says
// so, and stays until the child ends.
func callerMain(args []string) int {
	flags := flag.NewFlagSet("caller", flag.ExitOnError)
	grace := flags.Duration("grace", process.DefaultGrace, "")
	dying := flags.Bool("dying-thread", false, "start the child from a thread that ends")
	_ = flags.Parse(args)
	command := process.Command{
		Args: flags.Args(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Guard: true, Grace: *grace,
	}
	var p *process.Process
	var err error
	if *dying {
		started := make(chan int)
		go func() {
			runtime.LockOSThread() // a goroutine that ends locked ends its thread
			p, err = process.Start(command)
			started <- syscall.Getpid()
		}()
		<-started
	} else {
		p, err = process.Start(command)
	}
	if err != nil || p.GuardErr != nil {
		fmt.Println("caller:", err)
		return 1
	}
	exit, err := p.Wait()
	if err != nil {
		return 1
	}
	p.Release()
	if exit.Signal != nil {
		return process.ReRaise(exit.Signal)
	}
	return exit.Code
}

// treeMain is a wrapper like npx: it has a child of its own that does the work
// in the same group, and nothing but a signal ends either.
func treeMain(args []string) int {
	_, err := os.StartProcess(os.Args[0], self(args...), &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 1
	}
	return forever()
}

// stubbornMain says its process number, ignores what it can, and never ends.
func stubbornMain(args []string) int {
	if len(args) > 0 {
		signal.Ignore(syscall.SIGTERM) // the product never ignores; a server may
	}
	fmt.Println(os.Getpid())
	return forever()
}

// forever is not select{}, which the runtime calls a deadlock.
func forever() int {
	<-time.After(time.Hour)
	return 1
}

func catMain([]string) int {
	fmt.Println(os.Getpid())
	_, _ = io.Copy(os.Stdout, os.Stdin)
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
	_, _ = os.Stdout.Write(block)
	return 0
}

// nonblockingMain says which of its three files are non-blocking.
func nonblockingMain([]string) int {
	var is [3]bool
	for fd := range is {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return 1
		}
		is[fd] = flags&unix.O_NONBLOCK != 0
	}
	fmt.Print(is[0], is[1], is[2])
	return 0
}

// running is a process of the tests with its pipes. Its stderr reaches its end
// when it and all who inherited it are gone.
type running struct {
	t      *testing.T
	p      *process.Process
	in     *os.File
	out    *bufio.Reader
	life   *os.File
	exited chan process.Exit
}

func start(t *testing.T, c process.Command) *running {
	t.Helper()
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	lifeR, lifeW := pipe(t)
	c.Stdin, c.Stdout, c.Stderr = inR, outW, lifeW
	p, err := process.Start(c)
	inR.Close()
	outW.Close()
	lifeW.Close()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, p: p, in: inW, out: bufio.NewReader(outR), life: lifeR, exited: make(chan process.Exit, 1)}
	go func() {
		exit, _ := p.Wait()
		r.exited <- exit
	}()
	t.Cleanup(func() {
		_ = p.Kill()
		p.Release()
	})
	return r
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func (r *running) line() string {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("read line: %v", err)
	}
	return line[:len(line)-1]
}

func (r *running) pid() int {
	r.t.Helper()
	pid, err := strconv.Atoi(r.line())
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

const patience = 20 * time.Second

func (r *running) exit() process.Exit {
	r.t.Helper()
	select {
	case exit := <-r.exited:
		return exit
	case <-time.After(patience):
		r.t.Fatal("still running")
		panic("unreachable")
	}
}

// gone waits until nobody is left.
func (r *running) gone() {
	r.t.Helper()
	_ = r.life.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, r.life); err != nil {
		r.t.Fatalf("somebody is left: %v", err)
	}
}
