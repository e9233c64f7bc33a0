//go:build !unsupported

package process_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// The test program is also every process that the tests need: "process.test
// ROLE ARGS...".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles()[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

func roles() map[string]func(args []string) int {
	return map[string]func(args []string) int{
		"caller":    callerMain,
		"tree":      treeMain,
		"breakaway": breakawayMain,
		"forever":   foreverMain,
		"exit":      exitMain,
		"args":      argsMain,
	}
}

func self(args ...string) []string { return append([]string{os.Args[0]}, args...) }

// callerMain starts the rest of its arguments guarded, with its own output and
// as the input says: "kill" kills it, the end of the input lets it be.
func callerMain(args []string) int {
	p, err := process.Start(process.Command{Args: args, Stdout: os.Stdout, Stderr: os.Stderr, Guard: true})
	if err != nil || p.GuardErr != nil {
		fmt.Println("caller:", err)
		return 1
	}
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if strings.TrimSpace(line) == "kill" {
		if err := p.Kill(); err != nil {
			fmt.Println("kill:", err)
			return 1
		}
		exit, err := p.Wait()
		fmt.Println("killed:", exit.Code, err)
	}
	p.Release()
	return 0
}

// treeMain is a wrapper like npx: its child does the work, and it ends with it.
func treeMain([]string) int { return spawn(0) }

// breakawayMain is a wrapper whose child is not to die with it.
func breakawayMain([]string) int { return spawn(windows.CREATE_BREAKAWAY_FROM_JOB) }

func spawn(flags uint32) int {
	p, err := os.StartProcess(os.Args[0], self("forever"), &os.ProcAttr{
		Files: []*os.File{nil, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{CreationFlags: flags},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_, _ = p.Wait()
	return 0
}

// foreverMain says its process number and never ends.
func foreverMain([]string) int {
	fmt.Println(os.Getpid())
	<-time.After(time.Hour)
	return 1
}

func exitMain(args []string) int {
	code, _ := strconv.ParseUint(args[0], 0, 32)
	return int(code)
}

// argsMain prints its arguments as a program of the C runtime gets them.
func argsMain([]string) int {
	line := windows.UTF16PtrToString(syscall.GetCommandLine())
	for _, arg := range runtimeArgs(line)[2:] {
		fmt.Printf("%q\n", arg)
	}
	return 0
}

// runtimeArgs splits a command line by the rules of the C runtime since 2008,
// which is what node and python are linked with. Go reads two quotes within
// quotes by an older rule.
func runtimeArgs(line string) []string {
	var args []string
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var arg strings.Builder
		quoted := false
		for line != "" && (quoted || line[0] != ' ' && line[0] != '\t') {
			slashes := len(line) - len(strings.TrimLeft(line, `\`))
			line = line[slashes:]
			if !strings.HasPrefix(line, `"`) {
				arg.WriteString(strings.Repeat(`\`, slashes))
				if slashes == 0 {
					arg.WriteByte(line[0])
					line = line[1:]
				}
				continue
			}
			arg.WriteString(strings.Repeat(`\`, slashes/2))
			switch {
			case slashes%2 == 1:
				arg.WriteByte('"')
			case quoted && strings.HasPrefix(line, `""`):
				arg.WriteByte('"')
				line = line[1:]
			default:
				quoted = !quoted
			}
			line = line[1:]
		}
		args = append(args, arg.String())
	}
	return args
}

// running is a process of the tests with its pipes. Its output ends when it and
// all who inherited it are gone.
type running struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out chan string
}

// start starts a role the ordinary way, outside this package's jobs.
func start(t *testing.T, flags uint32, args ...string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(os.Args[0], args...), out: make(chan string)}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.cmd.Stdout, r.cmd.Stderr = outW, outW
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	outW.Close()
	go func() {
		defer close(r.out)
		defer outR.Close()
		for s := bufio.NewReader(outR); ; {
			line, err := s.ReadString('\n')
			if err != nil {
				return
			}
			r.out <- strings.TrimSpace(line)
		}
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	})
	return r
}

const patience = 20 * time.Second

// line is the next line of output, and "" at the end.
func (r *running) line() string {
	r.t.Helper()
	select {
	case line := <-r.out:
		return line
	case <-time.After(patience):
		r.t.Fatal("somebody is left")
		panic("unreachable")
	}
}

func (r *running) pid() int {
	r.t.Helper()
	pid, err := strconv.Atoi(r.line())
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// gone waits until nobody is left.
func (r *running) gone() {
	r.t.Helper()
	if line := r.line(); line != "" {
		r.t.Errorf("output: %q", line)
	}
}
