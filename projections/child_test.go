package projections_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// What a child is told by its environment.
const (
	childVerb = "PROJECTIONS_TEST_CHILD"
	childHome = "PROJECTIONS_TEST_HOME"
	childStep = "PROJECTIONS_TEST_STEP" // name or name:n, the n-th time
	childFull = "PROJECTIONS_TEST_FULL"
)

// killed is the exit code of a child that ended itself at a step.
const killed = 77

func child(verb string) int {
	h, err := home.Open(os.Getenv(childHome))
	if err != nil {
		return 1
	}
	switch verb {
	case "index":
		return childIndex(h)
	case "read":
		return childRead(h)
	case "findings":
		err := index.Read(context.Background(), h.IndexPath(), func(conn *sqlite.Conn) error {
			list, err := query.Findings(conn, query.FindingFilter{})
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(list)
		})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	case "sum":
		b, err := os.ReadFile(h.IndexPath())
		if err != nil {
			return 1
		}
		sum := sha256.Sum256(b)
		fmt.Println(hex.EncodeToString(sum[:]))
		return 0
	}
	return 2
}

// childIndex runs a cycle and dies at the step it was told.
func childIndex(h *home.Home) int {
	name, nth, n := os.Getenv(childStep), int64(1), atomic.Int64{}
	if at, count, ok := strings.Cut(name, ":"); ok {
		name = at
		_, _ = fmt.Sscan(count, &nth)
	}
	_, err := projections.Refresh(context.Background(), h, &projections.Options{
		Rebuild: os.Getenv(childFull) != "",
		Hook: func(step string) {
			if step == name && n.Add(1) == nth {
				os.Exit(killed) // no defer, no flush, no unlock: what SIGKILL leaves
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// childRead opens the index, holds a snapshot, and for every line on its stdin
// prints the digest that its connection sees.
func childRead(h *home.Home) int {
	conn, err := index.OpenReader(context.Background(), h.IndexPath())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer conn.Close()
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		switch strings.TrimSpace(line) {
		case "begin":
			err = sqlitex.ExecuteTransient(conn, "BEGIN", nil)
			if err == nil {
				err = readMeta(conn)
			}
		case "end":
			err = sqlitex.ExecuteTransient(conn, "ROLLBACK", nil)
		}
		d := ""
		if err == nil {
			d, err = index.Digest(conn, index.Workers())
		}
		fmt.Println(d, err)
	}
}

func readMeta(conn *sqlite.Conn) error {
	_, err := index.ReadMeta(conn)
	return err
}

// childCmd starts this test binary as a child.
func childCmd(h *home.Home, verb string, env ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVerb+"="+verb, childHome+"="+h.Dir)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// sum is the SHA-256 of index.db, read by another process: closing a descriptor
// of the file in this one would drop SQLite's locks on it.
func sum(t testing.TB, h *home.Home) string {
	t.Helper()
	out, err := childCmd(h, "sum").Output()
	if err != nil {
		t.Fatalf("sum: %v", err)
	}
	return string(out)
}

// holder is a child that keeps a connection to the index open.
type holder struct {
	t     testing.TB
	close func() // ends the child, once
	stdin *bufio.Writer
	lines *bufio.Reader
}

func hold(t testing.TB, h *home.Home) *holder {
	t.Helper()
	cmd := childCmd(h, "read")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	return &holder{t: t, close: end, stdin: bufio.NewWriter(in), lines: bufio.NewReader(out)}
}

// ask sends a command and returns the digest the child sees.
func (r *holder) ask(command string) string {
	r.t.Helper()
	if _, err := r.stdin.WriteString(command + "\n"); err != nil {
		r.t.Fatal(err)
	}
	if err := r.stdin.Flush(); err != nil {
		r.t.Fatal(err)
	}
	line, err := r.lines.ReadString('\n')
	if err != nil {
		r.t.Fatalf("reader: %v", err)
	}
	d, msg, _ := strings.Cut(strings.TrimSpace(line), " ")
	if msg != "<nil>" {
		r.t.Fatalf("reader: %s", line)
	}
	return d
}

// appendTo adds text to a file of the store.
func appendTo(t testing.TB, h *home.Home, rel string, text []byte) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(h.Store(), filepath.FromSlash(rel)), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
