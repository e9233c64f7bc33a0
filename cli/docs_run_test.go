package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statement is one command of a shell block of a document.
type statement struct {
	file, text string
	exit       int // what its comment says, otherwise 0
}

// statements are the commands of the sh blocks of a text. A comment "exits N"
// says that a command does not exit 0.
func statements(file, text string) []statement {
	var all []statement
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		joined := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(block[1], "")
		joined = regexp.MustCompile(`\n\s+"`).ReplaceAllString(joined, ` "`)
		for _, line := range strings.Split(joined, "\n") {
			command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
			s := statement{file: file, text: strings.TrimSpace(command)}
			if m := regexp.MustCompile(`exits? (\d)`).FindStringSubmatch(comment); m != nil {
				s.exit, _ = strconv.Atoi(m[1])
			}
			if s.text != "" {
				all = append(all, s)
			}
		}
	}
	return all
}

// form tells whether a command is a form to fill in, which TestDocumentedCommands
// checks, or one that needs what a test has not: npm, or the whole checkout.
func (s statement) form() bool {
	filled := regexp.MustCompile(`\$[A-Z_]+|"[^"]*"|--(finding|case|event) ID\b`).ReplaceAllString(s.text, "")
	return regexp.MustCompile(`\[|\(--|\b[A-Z]{2,}\b`).MatchString(filled) ||
		regexp.MustCompile(`^(go|make|npm|git|\.ci/\S+)( |$)|\b(npx|node) `).MatchString(s.text)
}

// endless tells whether a command runs until it is interrupted.
func (s statement) endless() bool {
	return regexp.MustCompile(`^mcpeval (shim-http|serve|dashboard|journal tail|index .*--watch)\b`).MatchString(s.text) && !regexp.MustCompile(`--(print-config|stdio)\b`).MatchString(s.text)
}

// Every command of every shell block of the documents does what it says, in the
// order of the document, in a home that has seen some traffic.
func TestDocumentsRun(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the blocks are for a Unix shell")
	}
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var run []statement
		for _, s := range statements(filepath.Base(file), string(text)) {
			if !s.form() {
				run = append(run, s)
			}
		}
		if len(run) == 0 {
			continue
		}
		ran += len(run)
		t.Run(filepath.Base(file), func(t *testing.T) { runDocument(t, run) })
	}
	if ran < 20 {
		t.Errorf("only %d commands were run", ran)
	}
}

// runDocument runs the commands of one document in a folder of their own.
func runDocument(t *testing.T, run []statement) {
	dir, env, names := documentFolder(t)
	_, err := exec.LookPath("sqlite3")
	for _, s := range run {
		if err != nil && strings.HasPrefix(s.text, "sqlite3 ") {
			continue
		}
		text := names.Replace(s.text)
		if s.endless() {
			text = regexp.MustCompile(`--listen 127\.0\.0\.1:\d+`).ReplaceAllString(text, "--listen 127.0.0.1:0")
			runUntilReady(t, dir, env, text)
			continue
		}
		if code, out := runIn(t, dir, env, "bash", "-euo", "pipefail", "-c", text); code != s.exit {
			t.Errorf("%s: %s\nexit %d, want %d:\n%s", s.file, s.text, code, s.exit, out)
		}
	}
}

// documentFolder is a folder with a client's configuration, a base report, a server
// of the reader's, and a home with the traffic and the finding of the tour. names
// replaces what the documents name these.
func documentFolder(t *testing.T) (dir string, env []string, names *strings.Replacer) {
	t.Helper()
	dir, env = gateFolder(t)
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "MCPEVAL_") || strings.HasPrefix(v, "XDG_") })
	env = append(env, "MCPEVAL_HOME="+filepath.Join(dir, "home"))
	if err := os.MkdirAll(filepath.Join(dir, ".cursor"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".cursor", "mcp.json"), `{"mcpServers": {"everything": {"command": "mcpeval", "args": ["demo-server"]}}}`)
	for _, setup := range []string{
		"mcpeval tour --home home",
		"mcpeval probe --server demo --gate-only --format json -- mcpeval demo-server > base.json",
		"rm mcp-eval.manifest.json",
	} {
		if code, out := runIn(t, dir, env, "bash", "-euc", setup); code != 0 {
			t.Fatalf("%s: exit %d: %s", setup, code, out)
		}
	}
	write(t, filepath.Join(dir, "your-mcp-server"), "#!/bin/sh\nexec mcpeval demo-server\n")
	if err := os.Chmod(filepath.Join(dir, "your-mcp-server"), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(into any, args ...string) {
		t.Helper()
		cmd := exec.Command("mcpeval", append(args, "--format", "json")...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	var found struct{ Findings []struct{ ID string } }
	read(&found, "findings")
	// An annotation is about a call that looked well.
	var well struct {
		Calls []struct {
			ID string `json:"event_id"`
		}
	}
	read(&well, "calls", "--list", "--outcome", "ok", "--limit", "1")
	if len(found.Findings) == 0 || len(well.Calls) == 0 {
		t.Fatalf("the tour leaves %d findings and %d good calls", len(found.Findings), len(well.Calls))
	}
	id := found.Findings[0].ID
	return dir, env, strings.NewReplacer("finding-0123456789abcdef", id, "--finding ID", "--finding "+id, "--case ID", "--case "+id,
		"--event ID", "--event "+well.Calls[0].ID, "your-mcp-server", "./your-mcp-server")
}

// runUntilReady starts a command that runs until it is interrupted, waits for the
// first line it prints, and interrupts it.
func runUntilReady(t *testing.T, dir string, env []string, text string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "exec "+text)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Errorf("%s: it printed %q: %v", text, line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, r) // whatever else it prints
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
