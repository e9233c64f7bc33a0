package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptTalk runs a program as a client that waits: each line of FILE is sent
// once the one before has its line of an answer, and then stdin ends. So no call
// is open at the end, however busy the machine is:
//
//	talk FILE PROGRAM ARG...
func scriptTalk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: talk FILE PROGRAM ARG...")
	}
	program := args[1]
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if name := filepath.Join(dir, program); program == filepath.Base(program) {
			if _, err := os.Stat(name); err == nil {
				program = name
			}
		}
	}
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = os.Environ()
	for _, name := range []string{"PATH", "HOME", "MCPEVAL_HOME", "MCPEVAL_SESSION"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stderr = ts.Stderr()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	answers := bufio.NewReader(out)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		_, err := io.WriteString(in, line)
		ts.Check(err)
		_, err = answers.ReadString('\n')
		ts.Check(err)
	}
	ts.Check(in.Close())
	ts.Check(cmd.Wait())
}
