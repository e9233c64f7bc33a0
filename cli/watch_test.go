package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// TestSoakWatch lets index --watch follow twenty shims before servers that fail
// now and then, while others query the index and one makes it anew: a few hundred
// events a shim in the suite, a minute of them in a soak. No query ever sees half
// of a cycle, and the watch ends with the digest of a full rebuild.
func TestSoakWatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing here can send the watch an interrupt")
	}
	shims, rounds, deadline := 20, 200, time.Time{}
	if raceDetector {
		shims, rounds = 5, 50
	}
	h := &home.Home{Dir: filepath.Join(t.TempDir(), "home")}
	mcpeval(t, h.Dir, "index") // there is an index from the start
	watch := exec.Command("mcpeval", "index", "--watch", "--every", "100ms", "--wait", "5m")
	watch.Env = append(os.Environ(), "MCPEVAL_HOME="+h.Dir)
	var out, complaints strings.Builder
	watch.Stdout, watch.Stderr = &out, &complaints
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if watch.ProcessState == nil {
			_ = watch.Process.Kill()
			_ = watch.Wait()
		}
	})

	if soakRounds(0) >= 100 {
		rounds, deadline = 1<<30, time.Now().Add(time.Minute)
	}
	var clients, readers sync.WaitGroup
	errs := make(chan error, shims+2)
	made := make([]int, shims)
	for i := range shims {
		clients.Go(func() {
			n, err := flakyClient(h.Dir, fmt.Sprintf("session %d", i), rounds, deadline)
			made[i] = n
			errs <- err
		})
	}
	over, stop := context.WithCancel(t.Context())
	defer stop()
	readers.Go(func() { errs <- readUntil(over, h) })
	readers.Go(func() { errs <- commandsUntil(over, h) })
	clients.Wait()
	awaitFresh(t, h)
	stop()
	readers.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if err := watch.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := watch.Wait(); err != nil || complaints.Len() > 0 {
		t.Errorf("the watch ended with %v and said %q", err, complaints.String())
	}
	total := 0
	for _, n := range made {
		total += n
	}
	t.Logf("%d calls, %d cycles told", total, strings.Count(out.String(), "\n"))
	if !strings.Contains(out.String(), ", 1 finding") {
		t.Errorf("the watch promoted nothing: %s", out.String())
	}

	got, err := projections.Digest(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{h.IndexPath(), h.LedgerPath()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	text := mcpeval(t, h.Dir, "index", "--digest")
	if want := fmt.Sprintf("indexed %d calls (%d failures) from %d captures, 1 finding\ndigest %s\n", total, failing(made), shims, got); text != want {
		t.Errorf("a rebuild says\n%swant\n%s", text, want)
	}
}

// failing counts the failures among the calls of servers that each fail every
// third.
func failing(made []int) (n int) {
	for _, calls := range made {
		n += calls / 3
	}
	return n
}

// flakyClient calls a flaky demo server through a shim until it made so many
// calls, or the deadline, if there is one, has passed.
func flakyClient(dir, session string, most int, deadline time.Time) (made int, err error) {
	cmd := exec.Command("mcpeval", "shim", "--server", "demo", "--", "mcpeval", "demo-server", "--broken", "flaky")
	cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+dir, "MCPEVAL_SESSION="+session)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	answers := bufio.NewReader(out)
	for ; made < most && (deadline.IsZero() || time.Now().Before(deadline)); made++ {
		_, err = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"oslo"}}}`+"\n", made)
		if err != nil {
			break
		}
		if _, err = answers.ReadBytes('\n'); err != nil {
			break
		}
	}
	_ = in.Close()
	_, drained := io.Copy(io.Discard, answers)
	return made, errors.Join(err, drained, cmd.Wait())
}

// readUntil asks one snapshot after the other what has to agree in each.
func readUntil(ctx context.Context, h *home.Home) error {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	last := int64(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
		var counted, indexed, captured, failures, grouped, evidence int64
		err := index.Read(context.Background(), h.IndexPath(), func(conn *sqlite.Conn) error {
			meta, err := index.ReadMeta(conn)
			if err != nil {
				return err
			}
			counted = meta.Totals.Calls
			return sqlitex.Execute(conn, `SELECT
				(SELECT count(*) FROM calls WHERE method = 'tools/call' AND kind = 'real'), (SELECT coalesce(sum(calls), 0) FROM captures),
				(SELECT coalesce(sum(failures), 0) FROM tool_health), (SELECT coalesce(sum(failures), 0) FROM issues),
				(SELECT count(*) FROM issue_failures)`,
				&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
					indexed, captured = s.ColumnInt64(0), s.ColumnInt64(1)
					failures, grouped, evidence = s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4)
					return nil
				}})
		})
		switch {
		case err != nil:
			return fmt.Errorf("a query during the watch: %w", err)
		case indexed != counted || captured != counted || grouped != failures || evidence != failures || counted < last:
			return fmt.Errorf("half of a cycle: %d calls counted, %d there, %d of captures, %d before; %d failures, %d in issues, %d kept",
				counted, indexed, captured, last, failures, grouped, evidence)
		}
		last = counted
	}
}

// commandsUntil asks for findings, and has the index made anew now and then.
func commandsUntil(ctx context.Context, h *home.Home) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for round := 1; ; round++ {
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
		args := []string{"findings", "--format", "json"}
		if round%10 == 0 {
			args = []string{"index", "--rebuild", "--wait", "5m"}
		}
		cmd := exec.Command("mcpeval", args...)
		cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+h.Dir)
		text, err := cmd.Output()
		var document struct{ Findings []query.Finding }
		if args[0] == "findings" && err == nil {
			err = json.Unmarshal(text, &document)
		}
		if err != nil || len(document.Findings) > 1 {
			return fmt.Errorf("%s during the watch: %d findings, %v", args[0], len(document.Findings), err)
		}
	}
}

// awaitFresh waits until the index has all that the journal has.
func awaitFresh(t *testing.T, h *home.Home) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for patience := time.After(5 * time.Minute); ; {
		var fresh query.Freshness
		err := index.Read(t.Context(), h.IndexPath(), func(conn *sqlite.Conn) (err error) {
			fresh, err = query.FreshnessOf(conn, h.Store())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if fresh.Fresh() {
			return
		}
		select {
		case <-patience:
			t.Fatalf("the watch does not come to its end: %+v", fresh)
		case <-poll.C:
		}
	}
}
