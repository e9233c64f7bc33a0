//go:build unix && !unsupported

package stdio_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
)

const patience = 30 * time.Second

func self(args ...string) []string { return append([]string{os.Args[0]}, args...) }

// client is a client of a shim.
type client struct {
	t      *testing.T
	p      *process.Process
	in     *os.File // the server's input
	out    *os.File // the server's output
	lines  *bufio.Reader
	err    *os.File // at its end when the shim, the server and all of its children are gone
	trace  string
	exited chan process.Exit
}

// options are what a test changes about the client or the shim.
type options struct {
	shim    []string // flags of the shim
	wrapper []string // starts the shim
	env     []string
	files   func(*os.File) *os.File // changes what the shim gets as its stdin and stdout
}

// run starts a shim around a server of this test program.
func run(t *testing.T, o options, server ...string) *client {
	t.Helper()
	if _, ok := roles[server[0]]; ok {
		server = self(server...)
	}
	c := &client{t: t, trace: filepath.Join(t.TempDir(), "trace"), exited: make(chan process.Exit, 1)}
	args := append(append(append(o.wrapper, self("shim", "-trace", c.trace)...), o.shim...), "--")
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	if o.files != nil {
		inR, outW = o.files(inR), o.files(outW)
	}
	errR, errW := pipe(t)
	c.in, c.out, c.lines, c.err = inW, outR, bufio.NewReader(outR), errR
	var err error
	c.p, err = process.Start(process.Command{Args: append(args, server...), Env: o.env,
		Stdin: inR, Stdout: outW, Stderr: errW})
	if err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	errW.Close()
	go func() {
		exit, _ := c.p.Wait()
		c.exited <- exit
	}()
	t.Cleanup(func() { _ = c.p.Kill() })
	return c
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

func (c *client) send(s string) {
	c.t.Helper()
	_ = c.in.SetWriteDeadline(time.Now().Add(patience))
	if _, err := c.in.WriteString(s); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

func (c *client) line() string {
	c.t.Helper()
	_ = c.out.SetReadDeadline(time.Now().Add(patience))
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatalf("read line: %q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *client) expect(want string) {
	c.t.Helper()
	if got := c.line(); got != want {
		c.t.Fatalf("got line %q, want %q", got, want)
	}
}

// pid reads a line with a process number.
func (c *client) pid() int {
	c.t.Helper()
	pid, err := strconv.Atoi(c.line())
	if err != nil {
		c.t.Fatal(err)
	}
	return pid
}

// rest reads to the end of the server's output.
func (c *client) rest() []byte {
	c.t.Helper()
	_ = c.out.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(c.lines)
	if err != nil {
		c.t.Fatalf("read to the end: %v", err)
	}
	return b
}

// errors reads stderr to its end: until nobody is left.
func (c *client) errors() string {
	c.t.Helper()
	_ = c.err.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(c.err)
	if err != nil {
		c.t.Fatalf("somebody is left: %v", err)
	}
	return string(b)
}

func (c *client) exit(want process.Exit) {
	c.t.Helper()
	select {
	case got := <-c.exited:
		if got != want {
			c.t.Errorf("exit: got %v, want %v", got, want)
		}
	case <-time.After(patience):
		c.t.Fatal("the shim is still running")
	}
}

// signal sends a signal to the shim alone.
func (c *client) signal(sig syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(c.p.Pid(), sig); err != nil {
		c.t.Fatal(err)
	}
}

// direction is what a trace says about one direction.
type direction struct {
	lines, bytes         int64
	sum                  string
	lostLines, lostBytes int64
	gaps                 int
}

// recorded is a trace.
type recorded struct {
	text    string
	out, in direction
}

func (r recorded) has(line string) bool {
	return strings.Contains("\n"+r.text, "\n"+line+"\n")
}

// recorded reads the trace; the shim has to have ended.
func (c *client) recorded() recorded {
	c.t.Helper()
	b, err := os.ReadFile(c.trace)
	if err != nil {
		c.t.Fatal(err)
	}
	r := recorded{text: string(b)}
	for line := range strings.Lines(r.text) {
		var dir, sum string
		var lines, bytes int64
		if n, _ := fmt.Sscanf(line, "gap %s %d %d", &dir, &lines, &bytes); n == 3 {
			d := r.direction(dir)
			d.gaps++
			d.lostLines += lines
			d.lostBytes += bytes
		}
		if n, _ := fmt.Sscanf(line, "total %s %d %d %s", &dir, &lines, &bytes, &sum); n == 4 {
			d := r.direction(dir)
			d.lines, d.bytes, d.sum = lines, bytes, sum
		}
	}
	return r
}

func (r *recorded) direction(name string) *direction {
	if name == "outbound" {
		return &r.out
	}
	return &r.in
}
