//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TERM ends serve with 0, and with it the server of the evaluation that runs,
// although that ignores the end of its input and TERM itself: it is gone from the
// process table.
func TestServeEndsItsChildren(t *testing.T) {
	s := &served{t: t, home: filepath.Join(t.TempDir(), "home")}
	cmd := s.command("serve", "--listen", "127.0.0.1:0", "--allow-spawn")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: strings.TrimSpace(strings.TrimPrefix(line, "listening on ")), HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pids")
	const stubborn = `trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1; done) & echo "$$ $!" > "$0.new"; mv "$0.new" "$0"; while :; do sleep 1; done`
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = client.CallTool(context.Background(), &mcp.CallToolParams{Name: "scaffold", Arguments: arguments{"command": []string{"sh", "-c", stubborn, file}}})
	}()
	var pids []string
	for pids == nil {
		if text, err := os.ReadFile(file); err == nil {
			pids = strings.Fields(string(text))
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	<-ended
	_ = client.Close()
	if len(pids) != 2 {
		t.Fatalf("the processes are %v", pids)
	}
	for _, pid := range pids {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		for alive(n) { // whoever inherits it may not have waited for it yet
		}
	}
}

// alive reports whether a process runs. One that has ended and that nobody has
// waited for does not.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil && !errors.Is(err, os.ErrNotExist) || !strings.Contains(string(stat), ") Z ")
}
