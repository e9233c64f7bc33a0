//go:build unix && !unsupported

package stdio_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
)

func TestExitIsTheServers(t *testing.T) {
	tests := []struct {
		server []string
		want   process.Exit
	}{
		{[]string{"exit", "0"}, process.Exit{}},
		{[]string{"exit", "1"}, process.Exit{Code: 1}},
		{[]string{"exit", "255"}, process.Exit{Code: 255}},
		{[]string{"die", "15"}, process.Exit{Signal: syscall.SIGTERM}},
		{[]string{"die", "9"}, process.Exit{Signal: syscall.SIGKILL}},
		{[]string{"die", "6"}, process.Exit{Signal: syscall.SIGABRT}},
		{[]string{"die", "11"}, process.Exit{Signal: syscall.SIGSEGV}},
		{[]string{"die", "13"}, process.Exit{Signal: syscall.SIGPIPE}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.server, " "), func(t *testing.T) {
			c := run(t, options{}, tt.server...)
			c.exit(tt.want)
			if got := string(c.rest()) + c.errors(); got != "" {
				t.Errorf("output: %q", got)
			}
			if r := c.recorded(); !r.has(fmt.Sprintf("done %d %v", tt.want.Code, tt.want.Signal)) || r.has("killed") {
				t.Errorf("trace:\n%s", r.text)
			}
		})
	}
}

func TestServerThatCannotStart(t *testing.T) {
	for server, want := range map[string]int{"no-such-command-anywhere": 127, "/": 126} {
		c := run(t, options{}, server)
		c.exit(process.Exit{Code: want})
		if got := c.rest(); len(got) > 0 {
			t.Errorf("stdout: %q", got)
		}
		if got := c.errors(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "`"+server+"`") {
			t.Errorf("stderr: %q", got)
		}
		if r := c.recorded(); r.text != "" {
			t.Errorf("trace:\n%s", r.text)
		}
	}
}

func TestServerThatClosesItsOutput(t *testing.T) {
	c := run(t, options{}, "mute")
	if got := c.rest(); len(got) > 0 { // returns although the server lives
		t.Errorf("stdout: %q", got)
	}
	c.send("still read\n")
	c.in.Close()
	c.exit(process.Exit{Code: 3})
	if r := c.recorded(); r.out.lines != 1 || !r.has("event server-eof") {
		t.Errorf("trace:\n%s", r.text)
	}
}

func TestServerThatClosesItsInput(t *testing.T) {
	c := run(t, options{shim: []string{"-grace", "20ms"}}, "deaf")
	c.pid()
	_ = c.in.SetWriteDeadline(time.Now().Add(patience))
	var err error
	for err == nil { // the first ones only fill the pipes
		_, err = c.in.WriteString("hello?\n")
	}
	if !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v, want a broken pipe", err)
	}
	c.signal(syscall.SIGTERM)
	c.expect("terminated")
	c.exit(process.Exit{Signal: syscall.SIGKILL})
	if r := c.recorded(); !r.has("event server-deaf") || r.has("event client-eof") || !r.has("killed") {
		t.Errorf("trace:\n%s", r.text)
	}
}

func TestClientThatGoesAway(t *testing.T) {
	tests := []struct {
		name   string
		server []string
		grace  string
		want   process.Exit
	}{
		// As without the shim, the next write breaks.
		{"server that writes", []string{"flood"}, "1h", process.Exit{Signal: syscall.SIGPIPE}},
		{"server that waits", []string{"cat"}, "1h", process.Exit{}},
		// It says that it was asked to end, and that breaks.
		{"wrapper that ignores the end of its input", []string{"tree", "cat"}, "50ms", process.Exit{Signal: syscall.SIGPIPE}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := run(t, options{shim: []string{"-grace", tt.grace}}, tt.server...)
			if tt.server[0] == "tree" {
				c.pid()
			}
			c.out.Close()
			if tt.server[0] != "flood" {
				c.send("answer me\n") // stdin stays open
			}
			c.exit(tt.want)
			c.errors()
			if r := c.recorded(); !r.has("event client-gone") || r.has("event client-eof") {
				t.Errorf("trace:\n%s", r.text)
			}
		})
	}
}

func TestWrapperThatLeavesItsChildBehind(t *testing.T) {
	c := run(t, options{shim: []string{"-drain", "1s"}}, "leave")
	grandchild := c.pid()
	t.Cleanup(func() { _ = syscall.Kill(grandchild, syscall.SIGKILL) })
	c.exit(process.Exit{Code: 4})
	if got := c.rest(); len(got) > 0 {
		t.Errorf("stdout: %q", got)
	}
	if err := syscall.Kill(grandchild, 0); err != nil {
		t.Errorf("the grandchild should live on, as without the shim: %v", err)
	}
}

func TestSignals(t *testing.T) {
	t.Run("TERM while a call hangs", func(t *testing.T) {
		c := run(t, options{}, "hang")
		c.pid()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}` + "\n")
		c.signal(syscall.SIGTERM)
		c.exit(process.Exit{Signal: syscall.SIGTERM})
		c.errors()
		if r := c.recorded(); !r.has("event signalled") || r.has("event client-eof") {
			t.Errorf("trace:\n%s", r.text)
		}
	})
	t.Run("second TERM kills", func(t *testing.T) {
		c := run(t, options{shim: []string{"-grace", "1h"}}, "tree", "hang", "catch")
		c.pid()
		c.pid()
		c.signal(syscall.SIGTERM)
		c.expect("terminated")
		c.expect("terminated") // the whole group got it
		c.signal(syscall.SIGTERM)
		c.exit(process.Exit{Signal: syscall.SIGKILL})
		c.errors()
	})
	t.Run("time kills after TERM", func(t *testing.T) {
		c := run(t, options{shim: []string{"-grace", "50ms"}}, "tree", "hang", "catch")
		c.pid()
		c.pid()
		c.signal(syscall.SIGTERM)
		c.exit(process.Exit{Signal: syscall.SIGKILL})
		c.errors()
	})
	t.Run("INT is the server's to survive", func(t *testing.T) {
		c := run(t, options{shim: []string{"-grace", "1ms"}}, "hang", "catch")
		c.pid()
		for range 3 {
			c.signal(syscall.SIGINT)
			c.expect("interrupt")
		}
		c.signal(syscall.SIGTERM)
		c.exit(process.Exit{Signal: syscall.SIGKILL})
	})
	t.Run("HUP ends", func(t *testing.T) {
		if signal.Ignored(syscall.SIGHUP) {
			t.Skip("HUP is ignored here, and what is started inherits that")
		}
		c := run(t, options{}, "hang")
		c.pid()
		c.signal(syscall.SIGHUP)
		c.exit(process.Exit{Signal: syscall.SIGHUP})
	})
	t.Run("HUP ignored at the start", func(t *testing.T) {
		c := run(t, options{wrapper: []string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}}, "cat")
		c.send("one\n")
		c.expect("one")
		c.signal(syscall.SIGHUP)
		c.send("two\n")
		c.expect("two")
		c.in.Close()
		c.exit(process.Exit{})
		if r := c.recorded(); r.has("event signalled") {
			t.Errorf("trace:\n%s", r.text)
		}
	})
}

func TestStopAndContinue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	c := run(t, options{}, "tree", "cat")
	server := c.pid()
	c.signal(syscall.SIGTSTP)
	awaitState(t, c.p.Pid(), 'T')
	awaitState(t, server, 'T')
	c.signal(syscall.SIGCONT)
	c.send("awake\n")
	c.expect("awake")
	c.signal(syscall.SIGKILL)
	c.errors()
}

// awaitState polls until a process is in a state of proc(5).
func awaitState(t *testing.T, pid int, state byte) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if rest[0] == state {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process is in state %c, want %c", rest[0], state)
		}
	}
}

func TestNobodyOutlivesTheShim(t *testing.T) {
	tests := []struct {
		name  string
		group bool
	}{
		{name: "killed alone"},
		{name: "killed with the client's whole group", group: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := run(t, options{shim: []string{"-grace", "50ms"}}, "tree", "hang", "catch")
			c.pid()
			c.pid()
			if tt.group {
				_ = c.p.Kill()
			} else {
				c.signal(syscall.SIGKILL)
			}
			c.exit(process.Exit{Signal: syscall.SIGKILL})
			c.errors() // returns when all are gone
		})
	}
}
