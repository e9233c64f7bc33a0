//go:build unix && !unsupported

package process_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/mcpeval/mcpeval/recorder/process"
)

func TestExit(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want process.Exit
	}{
		{"zero", self("exit", "0"), process.Exit{}},
		{"one", self("exit", "1"), process.Exit{Code: 1}},
		{"255", self("exit", "255"), process.Exit{Code: 255}},
		{"terminated", self("die", "15"), process.Exit{Signal: syscall.SIGTERM}},
		{"killed", self("die", "9"), process.Exit{Signal: syscall.SIGKILL}},
		{"hung up", self("die", "1"), process.Exit{Signal: syscall.SIGHUP}},
		{"broken pipe", self("die", "13"), process.Exit{Signal: syscall.SIGPIPE}},
		// The runtime's own handlers would print stacks and exit with 2.
		{"quit", self("die", "3"), process.Exit{Signal: syscall.SIGQUIT}},
		{"aborted", self("die", "6"), process.Exit{Signal: syscall.SIGABRT}},
		{"segmentation fault", self("die", "11"), process.Exit{Signal: syscall.SIGSEGV}},
	}
	for _, guarded := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(tt.name+" "+map[bool]string{true: "guarded", false: "alone"}[guarded], func(t *testing.T) {
				r := start(t, process.Command{Args: tt.args, Guard: guarded})
				if got := r.exit(); got != tt.want {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		}
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "text", 0o644)
	noInterpreter := write("no-interpreter", "#!/nonexistent/interpreter\n", 0o755)
	noFormat := write("no-format", "neither a script nor a program", 0o755)
	t.Setenv("PATH", dir+":/nonexistent/secret")
	tests := []struct {
		name, arg, dir string
		want           string
		code           int
	}{
		{"not on PATH", "nope", "", "`nope` not found on PATH (2 entries)", 127},
		{"no such file", "./nope", "", "`./nope` not found", 127},
		{"plain file on PATH", "plain", "", "`plain` is not executable", 126},
		{"plain file", plain, "", "`" + plain + "` is not executable", 126},
		{"folder", dir, "", "`" + dir + "` is not executable", 126},
		{"no interpreter", noInterpreter, "", "`" + noInterpreter + "` cannot be started: its interpreter was not found", 126},
		{"no format", noFormat, "", "`" + noFormat + "` is not executable", 126},
		{"no folder to run in", os.Args[0], "/nonexistent", "`" + os.Args[0] + "` cannot be started: stat /nonexistent: no such file or directory", 126},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := process.Start(process.Command{Args: []string{tt.arg}, Dir: tt.dir, Guard: true})
			var e *process.StartError
			if !errors.As(err, &e) || e.ExitCode() != tt.code || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Error("the message holds the value of PATH")
			}
		})
	}
}

func TestLookPathRelativeEntry(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prog"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", ".")
	_, err := process.LookPath("prog")
	var e *process.StartError
	if !errors.As(err, &e) || e.Problem != process.RelativeInPath {
		t.Errorf("got %v", err)
	}
}

func TestEnvironmentIsPassedOnByteForByte(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc/self/environ")
	}
	env := []string{"B=2", "A=1", "A=1 again", "NOTHING", "EMPTY=", "=odd", "BYTES=\xff\xfe", "LINE=a\nb"}
	r, w := pipe(t)
	p, err := os.StartProcess(os.Args[0], self(append([]string{"caller"}, self("environ")...)...),
		&os.ProcAttr{Env: env, Files: []*os.File{nil, w, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Join(env, "\x00")+"\x00", string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheGivenFilesAreInherited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc/self/fd")
	}
	// What this process itself inherited is inherited with and without a guard.
	ls, err := process.LookPath("ls")
	if err != nil {
		t.Fatal(err)
	}
	r, w := pipe(t)
	p, err := os.StartProcess(ls, []string{"ls", "/proc/self/fd"}, &os.ProcAttr{Files: []*os.File{w, w, w}})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	want, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(start(t, process.Command{Args: []string{"ls", "/proc/self/fd"}, Guard: true}).out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// The null device and pipes of this process are blocking for the child; a file
// that was non-blocking when it was inherited stays so.
func TestFileFlagsOfTheChild(t *testing.T) {
	r, w := pipe(t)
	_, inherited := pipe(t)
	fd, err := unix.FcntlInt(inherited.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	nonblocking := os.NewFile(uintptr(fd), "inherited")
	defer nonblocking.Close()
	p, err := process.Start(process.Command{Args: self("nonblocking"), Stdout: w, Stderr: nonblocking})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := "false false true"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSignalsReachTheWholeGroup(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		r := start(t, process.Command{Args: self("tree", "stubborn"), Guard: guarded})
		r.pid() // the grandchild runs
		if err := r.p.Terminate(); err != nil {
			t.Fatal(err)
		}
		if got, want := r.exit(), (process.Exit{Signal: syscall.SIGTERM}); got != want {
			t.Errorf("guarded %v: got %v, want %v", guarded, got, want)
		}
		r.gone()
	}
}

func TestReleaseLeavesTheGroupAlone(t *testing.T) {
	r := start(t, process.Command{Args: self("cat"), Guard: true})
	r.pid()
	r.p.Release()
	r.p.Release()
	if err := r.p.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.WriteString("still here\n"); err != nil {
		t.Fatal(err)
	}
	if got := r.line(); got != "still here" {
		t.Errorf("got %q", got)
	}
	r.in.Close()
	if got := r.exit(); got != (process.Exit{}) {
		t.Errorf("got %v", got)
	}
}

func TestNobodyOutlivesTheCaller(t *testing.T) {
	tests := []struct {
		name string
		args []string
	}{
		{"child", self("stubborn")},
		{"grandchild", self("tree", "stubborn")},
		{"that ignores TERM", self("tree", "stubborn", "TERM")},
		{"started from a thread that ended", append([]string{"-dying-thread"}, self("tree", "stubborn")...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			caller := start(t, process.Command{Args: self(append([]string{"caller", "-grace=50ms"}, tt.args...)...)})
			caller.pid()
			if err := caller.p.Kill(); err != nil { // the caller's whole group
				t.Fatal(err)
			}
			caller.gone()
		})
	}
}

// The caller may die at any moment of the start: before the guard, between the
// guard and the child, while the child becomes its program, and later.
func TestNobodyOutlivesACallerKilledWhileItStarts(t *testing.T) {
	const rounds, longest = 60, 12 * time.Millisecond
	for range rounds {
		caller := start(t, process.Command{Args: self(append([]string{"caller", "-grace=10ms"}, self("tree", "stubborn", "TERM")...)...)})
		<-time.After(rand.N(longest)) // nothing is asserted about the time
		if err := caller.p.Kill(); err != nil {
			t.Fatal(err)
		}
		caller.gone()
	}
}

func TestStoppedGroupEndsWithItsCaller(t *testing.T) {
	caller := start(t, process.Command{Args: self(append([]string{"caller", "-grace=10ms"}, self("stubborn")...)...)})
	child := caller.pid()
	if err := syscall.Kill(child, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := caller.p.Kill(); err != nil {
		t.Fatal(err)
	}
	caller.gone()
}

// The guard lives on for its grace period. It must not keep open what the caller
// inherited, or somebody would wait for the end of a pipe all that time.
func TestGuardHoldsNoInheritedFile(t *testing.T) {
	inR, _ := pipe(t)
	outR, outW := pipe(t)
	extraR, extraW := pipe(t)
	caller, err := os.StartProcess(os.Args[0],
		self(append([]string{"caller", "-grace=1h"}, self("stubborn")...)...),
		&os.ProcAttr{Files: []*os.File{inR, outW, extraW, extraW, nil, extraW}})
	if err != nil {
		t.Fatal(err)
	}
	outW.Close()
	extraW.Close()
	buf := make([]byte, 20)
	n, err := outR.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		t.Fatal(err)
	}
	group, err := unix.Getpgid(child)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	if err := caller.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.Wait(); err != nil {
		t.Fatal(err)
	}
	_ = extraR.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, extraR); err != nil {
		t.Errorf("the guard holds the file: %v", err)
	}
	if err := syscall.Kill(-group, 0); err != nil {
		t.Errorf("the guard is gone, so this test showed nothing: %v", err)
	}
}

func TestGuardRefusesAGroupThatIsNotItsOwn(t *testing.T) {
	// Run by hand it is in somebody else's group, here in the one of the shell.
	r := start(t, process.Command{Args: []string{"sh", "-c", `"$0" __guard 0 </dev/null; echo $?`, os.Args[0]}})
	if got := r.line(); got != "2" {
		t.Errorf("got exit code %s", got)
	}
}

func BenchmarkStart(b *testing.B) {
	for name, guarded := range map[string]bool{"alone": false, "guarded": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := process.Start(process.Command{Args: []string{"true"}, Guard: guarded})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(); err != nil {
					b.Fatal(err)
				}
				p.Release()
			}
		})
	}
}
