//go:build !unsupported

package process_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/windows"

	"github.com/mcpeval/mcpeval/recorder/process"
)

func TestExitCode(t *testing.T) {
	for _, code := range []int{0, 1, 7, 255, 256, 0xC000013A} {
		p, err := process.Start(process.Command{Args: self("exit", fmt.Sprint(code))})
		if err != nil {
			t.Fatal(err)
		}
		if exit, err := p.Wait(); err != nil || exit != (process.Exit{Code: code}) {
			t.Errorf("got %v, %v, want %d", exit, err, code)
		}
	}
}

func TestCannotStart(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.exe")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"no-such-command-anywhere": 127, `C:\no\such.exe`: 127, text: 126} {
		_, err := process.Start(process.Command{Args: []string{name}})
		var start *process.StartError
		if !errors.As(err, &start) || start.ExitCode() != want || start.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var awkward = []string{
	"plain", "a b", "", "c&d", "e|f", "g<h>i", "(j)", "k^l", "!m!", `C:\n\`, `C:\o p\`, `\\`, "größe", "日本", "-y", "q,r;s=t", "'u'",
}

func TestArguments(t *testing.T) {
	want := append([]string{`v"w`, `{"x":"y z"}`, `\"`, "%PATH%", "%", "1\n2"}, awkward...)
	if got := output(t, process.Command{Args: self(append([]string{"args"}, want...)...)}); !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
}

// Node's npx and npm are batch files like this one.
func TestBatchFileThroughPATHEXT(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Program Files & more")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "@\"" + os.Args[0] + "\" args %*\r\n@exit /b %ERRORLEVEL%\r\n"
	if err := os.WriteFile(filepath.Join(dir, "npx.cmd"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+";"+os.Getenv("PATH"))
	want := append([]string{`v"w`, `{"x":"y z"}`, `{"a&b":"c|d"}`}, awkward...)
	if !underWine() { // its cmd.exe expands what it put in for %* once more
		want = append(want, "%PATH%", "%", "100%", "%cd%")
	}
	if got := output(t, process.Command{Args: append([]string{"npx"}, want...)}); !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	_, err := process.Start(process.Command{Args: []string{"npx", "1\n2"}})
	if !errors.Is(err, process.ErrBatchArgument) {
		t.Errorf("got %v", err)
	}
}

func underWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// output is what the arguments role printed.
func output(t *testing.T, c process.Command) []string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout, c.Stderr = w, w
	p, err := process.Start(c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if exit, waitErr := p.Wait(); err != nil || waitErr != nil || exit.Code != 0 {
		t.Fatalf("exit %v, %v, %v\n%s", exit, waitErr, err, b)
	}
	var args []string
	for line := range strings.Lines(string(b)) {
		var arg string
		if _, err := fmt.Sscanf(line, "%q", &arg); err != nil {
			t.Fatalf("%v in\n%s", err, b)
		}
		args = append(args, arg)
	}
	return args
}

func TestNobodyOutlivesTheCaller(t *testing.T) {
	r := start(t, 0, "caller", os.Args[0], "tree")
	r.pid()
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.gone()
}

func TestKillEndsTheTree(t *testing.T) {
	r := start(t, 0, "caller", os.Args[0], "tree")
	r.pid()
	_, _ = io.WriteString(r.in, "kill\n")
	if got := r.line(); got != "killed: 1 <nil>" {
		t.Errorf("got %q", got)
	}
	r.gone()
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the caller: %v", err)
	}
}

func TestReleaseLetsOthersLive(t *testing.T) {
	r := start(t, 0, "caller", os.Args[0], "tree")
	left := r.pid()
	r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the caller: %v", err)
	}
	kill(t, left)
	r.gone()
}

func TestBreakaway(t *testing.T) {
	r := start(t, 0, "caller", os.Args[0], "breakaway")
	left := r.pid()
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // killed
	kill(t, left)
	r.gone()
}

// kill ends a process, which must be alive.
func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatalf("process %d is gone: %v", pid, err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("process %d is gone: %v", pid, err)
	}
	_, _ = p.Wait()
}

// A batch file hands its files on to what it starts, with and without a console.
func TestBatchFileWithoutAConsole(t *testing.T) {
	script := filepath.Join(t.TempDir(), "x.cmd")
	if err := os.WriteFile(script, []byte("@\""+os.Args[0]+"\" args %*\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []uint32{0, windows.DETACHED_PROCESS, windows.CREATE_NO_WINDOW} {
		r := start(t, flags, "caller", script, "arrived")
		if got := r.line(); got != `"arrived"` {
			t.Errorf("flags %x: got %q", flags, got)
		}
	}
}
