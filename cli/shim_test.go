package cli_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
)

// soakRounds is few in the suite, and what MCPEVAL_SOAK says in a soak.
func soakRounds(few int) int {
	n, err := strconv.Atoi(os.Getenv("MCPEVAL_SOAK"))
	if err != nil {
		return few
	}
	return n
}

// shim is a running shim with the test as its client.
type shim struct {
	*exec.Cmd
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

// startShim runs `mcpeval shim --server demo -- child ...` with a home and
// further environment.
func startShim(t testing.TB, home string, env []string, child ...string) *shim {
	t.Helper()
	s := &shim{Cmd: exec.Command("mcpeval", append([]string{"shim", "--server", "demo", "--", "child"}, child...)...), t: t}
	s.Env = append(append(os.Environ(), "MCPEVAL_HOME="+home), env...)
	s.Stderr = os.Stderr
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	return s
}

func request(id int, pad string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"pad":"%s"}}}`+"\n", id, pad)
}

func answer(id int, pad string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", id, pad)
}

// calls sends n requests without waiting for answers, and reads them all.
func (s *shim) calls(n int, pad string) {
	s.t.Helper()
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(s.in, 64<<10)
		for id := range n {
			_, _ = w.WriteString(request(id, pad))
		}
		sent <- w.Flush()
	}()
	for id := range n {
		line, err := s.out.ReadString('\n')
		if err != nil || line != answer(id, pad) {
			s.t.Errorf("answer %d: %d bytes, %v", id, len(line), err)
			_ = s.Process.Kill()
			break
		}
	}
	if err := <-sent; err != nil {
		s.t.Error(err)
	}
}

// end closes the shim's input and waits for its end.
func (s *shim) end() {
	s.t.Helper()
	_ = s.in.Close()
	if rest, err := io.ReadAll(s.out); err != nil || len(rest) > 0 {
		s.t.Errorf("%d further bytes, %v", len(rest), err)
	}
	if err := s.Wait(); err != nil {
		s.t.Errorf("shim: %v", err)
	}
}

// mcpeval runs a verb and returns its output.
func mcpeval(t testing.TB, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command("mcpeval", args...)
	cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("mcpeval %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// events reads every log of a home; chain and sequence must be whole. A torn
// last line is what a killed writer may leave.
func events(t testing.TB, home string) (all []journal.Event) {
	t.Helper()
	store := filepath.Join(home, "store")
	files, err := journal.Files(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(store, file.Path))
		if err != nil {
			t.Fatal(err)
		}
		r, d := journal.NewReader(bytes.NewReader(data), journal.Place{Path: file.Path}), journal.NewDecoder()
		var prev journal.Prev
		for seq := int64(1); r.Next(); seq++ {
			var ev journal.Event
			if err := d.Decode(file.Kind, r.Line(), &ev); err != nil {
				t.Fatalf("%v: %v", r.Place(), err)
			}
			if ev.Seq != seq || ev.Prev != prev {
				t.Fatalf("%v: the chain is broken", r.Place())
			}
			prev = r.Digest().Prev()
			all = append(all, ev)
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
	return all
}

func countTypes(all []journal.Event) map[journal.Type]int {
	n := map[journal.Type]int{}
	for _, ev := range all {
		n[ev.Body.Type()]++
	}
	return n
}

// TestShimIsTransparent sends every kind of frame that is known to break
// proxies to a server that echoes, so that each goes both ways. The large ones
// come last: a busy machine may not record all of them, and says so in a gap.
func TestShimIsTransparent(t *testing.T) {
	sized := func(n int) string {
		head, tail := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"`, `"}}}`
		return head + strings.Repeat("y", n-len(head)-len(tail)) + tail + "\n"
	}
	frames := []struct {
		name, frame string
		unparsed    int
	}{
		{"banner", "🖥️ Server mode: STDIO\n", 1},
		{"log line like an array", "[02/11/26 06:14:35] INFO Starting server\n", 1},
		{"not JSON in braces", "{not json}\n", 1},
		{"JSON log line", `{"level":"info","msg":"ready"}` + "\n", 1},
		{"colours", "\x1b[32mready\x1b[0m\n", 1},
		{"blank lines", "\n   \n\r\n\t\n", 0},
		{"CRLF", `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\r\n", 0},
		{"code page 1252", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"Messger\xe4t\"}\n", 1},
		{"GBK", "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xc4\xe3\xba\xc3\"}\n", 1},
		{"byte order mark", "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\n", 0},
		{"characters that encoders escape", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a<b>&` + "\u2028" + `"}}` + "\n", 0},
		{"integers beyond 2^53", `{"jsonrpc":"2.0","id":7960607143101464576,"method":"tools/call","params":{"name":"x","arguments":{"id":1915883588174806058}}}` + "\n", 0},
		{"string, zero and fractional ids", `{"jsonrpc":"2.0","id":"req-abc","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":0,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1.50,"method":"ping"}` + "\n", 0},
		{"neither result nor error", `{"jsonrpc":"2.0","id":30}` + "\n", 1},
		{"both result and error", `{"jsonrpc":"2.0","id":31,"result":{},"error":{"code":1,"message":"m"}}` + "\n", 1},
		{"batch", `[{"jsonrpc":"2.0","id":40,"method":"tools/list"},{"jsonrpc":"2.0","id":41,"method":"ping"}]` + "\n", 0},
		{"empty batch", "[]\n", 1},
		{"keys in another case, repeated keys", `{"jsonrpc":"2.0","id":50,"Method":"x","method":"tools/call","params":{"name":"greet","Name":"secretTool","name":"greet"}}` + "\n", 0},
		{"lone surrogate", `{"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"\ud800"}}` + "\n", 0},
		{"scalar", "42\n", 1},
		{"wrong version", `{"jsonrpc":"1.0","id":52,"method":"ping"}` + "\n", 1},
		{"NUL", "\x00\n", 1},
		{"65535 bytes", sized(65535), 0},
		{"65536 bytes", sized(65536), 0},
		{"65537 bytes", sized(65537), 0},
		{"1 MiB and one byte", sized(1<<20 + 1), 0},
		{"20 MiB", sized(20 << 20), 0},
		{"no newline at the end", `{"jsonrpc":"2.0","id":60,"method":"ping"}`, 0},
	}
	home := t.TempDir()
	s := startShim(t, home, nil, "cat")
	sum, unparsed := sha256.New(), 0
	sent := make(chan error, 1)
	go func() {
		var err error
		for _, f := range frames {
			_, e := io.WriteString(s.in, f.frame)
			err = errors.Join(err, e)
		}
		sent <- errors.Join(err, s.in.Close())
	}()
	for _, f := range frames {
		sum.Write([]byte(f.frame))
		unparsed += f.unparsed
	}
	got := sha256.New()
	if _, err := io.Copy(got, s.out); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-sent, s.Wait()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sum.Sum(nil), got.Sum(nil)) {
		t.Error("what came back is not what was sent")
	}
	way := map[journal.Direction]int{}
	all := events(t, home)
	for _, ev := range all {
		if u, ok := ev.Body.(*journal.Unparsed); ok {
			way[u.Direction]++
		}
	}
	if way[journal.Outbound] != unparsed || way[journal.Inbound] != unparsed {
		t.Errorf("unparsed: %d outbound, %d inbound, want %d each", way[journal.Outbound], way[journal.Inbound], unparsed)
	}
}

// TestShimAtFullSpeed sends 100,000 calls as fast as the pipe takes them: each
// is one call row, without a gap and without an orphan.
func TestShimAtFullSpeed(t *testing.T) {
	n := 100_000
	if raceDetector {
		n = 10_000
	}
	home := t.TempDir()
	s := startShim(t, home, nil, "serve")
	s.calls(n, "hello")
	s.end()
	all := events(t, home)
	end, ok := all[len(all)-1].Body.(*journal.End)
	if types := countTypes(all); !ok || types[journal.TypeCall] != n || types[journal.TypeGap] != 0 || end.Orphans != 0 {
		t.Errorf("%v, end %+v", types, end)
	}
	if out := mcpeval(t, home, "index"); !strings.HasPrefix(out, fmt.Sprintf("indexed %d calls (0 failures) from 1 capture", n)) {
		t.Error(out)
	}
}

// TestManyShims runs fifty shims in one home at once: 100,000 events and more,
// no two with one ID.
func TestManyShims(t *testing.T) {
	shims, each := 50, 2000
	if raceDetector {
		each = 200
	}
	home := t.TempDir()
	var wg sync.WaitGroup
	for i := range shims {
		var env []string
		switch i {
		case 0, 1:
			env = []string{"MCPEVAL_SESSION=one session"}
		default:
			env = []string{"MCPEVAL_SESSION="} // as good as unset
		}
		s := startShim(t, home, env, "serve")
		wg.Go(func() {
			s.calls(each, "hello")
			s.end()
		})
	}
	wg.Wait()
	ids, sessions := map[uuid.UUID]bool{}, map[uuid.UUID]string{}
	all := events(t, home)
	for _, ev := range all {
		ids[ev.ID] = true
		if old, ok := sessions[ev.Capture]; ok && old != ev.Session.String() {
			t.Fatal("a capture has two sessions")
		}
		sessions[ev.Capture] = ev.Session.String()
		if ev.Capture.Version() != 4 {
			t.Fatalf("capture ID %v is no UUIDv4", ev.Capture)
		}
	}
	if len(ids) != len(all) || len(all) < shims*each {
		t.Errorf("%d events with %d IDs", len(all), len(ids))
	}
	distinct := map[string]int{}
	for _, session := range sessions {
		distinct[session]++
	}
	want := fmt.Sprintf("session:%x", sha256.Sum256([]byte("one session")))
	if len(sessions) != shims || len(distinct) != shims-1 || distinct[want] != 2 {
		t.Errorf("%d captures in %d sessions, %d of them in the named one", len(sessions), len(distinct), distinct[want])
	}
}

// TestShimKilled kills the shim with SIGKILL under load, at random moments.
// What the client got is a prefix of what the server sent; what was
// acknowledged is whole; the index of all of it is that of a full rebuild.
func TestShimKilled(t *testing.T) {
	home := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds := soakRounds(20)
	for range rounds {
		s := startShim(t, home, nil, "serve")
		pad := strings.Repeat("p", random.IntN(5000))
		go func() {
			for id := 0; ; id++ {
				if _, err := io.WriteString(s.in, request(id, pad)); err != nil {
					return
				}
			}
		}()
		last := random.IntN(3000)
		for id := 0; ; id++ {
			line, err := s.out.ReadString('\n')
			if want := answer(id, pad); line != want && !(err != nil && strings.HasPrefix(want, line)) {
				t.Fatalf("answer %d is not what the server sent", id)
			}
			if err != nil {
				break
			}
			if id == last {
				if err := s.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = s.Wait()
		mcpeval(t, home, "index") // what it left is indexed as it comes
	}
	all := events(t, home)
	// A shim that was killed at once may have acknowledged nothing.
	if n := countTypes(all); n[journal.TypeCapture] == 0 || n[journal.TypeCapture] > rounds || n[journal.TypeEnd] != 0 || n[journal.TypeCall] == 0 {
		t.Errorf("%d rounds left %v", rounds, n)
	}
	mcpeval(t, home, "index")
	digest := mcpeval(t, home, "index", "--digest")
	for _, name := range []string{"index.db", "ledger.db"} {
		if err := os.Remove(filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	mcpeval(t, home, "index")
	if again := mcpeval(t, home, "index", "--digest"); again != digest {
		t.Errorf("the index is not that of a rebuild:\n%s%s", digest, again)
	}
}

// TestHungCallLeavesEvidence lets a client give up on a call that hangs, close
// its side, and kill the shim before the server ends.
func TestHungCallLeavesEvidence(t *testing.T) {
	home := t.TempDir()
	s := startShim(t, home, nil, "hang")
	if _, err := io.WriteString(s.in, request(1, "x")); err != nil {
		t.Fatal(err)
	}
	if line, err := s.out.ReadString('\n'); err != nil || line != "got it\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	awaitLine(t, home, `"type":"pending"`)
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	mcpeval(t, home, "index")
	if out := mcpeval(t, home, "calls", "--tool", "echo", "--format", "json"); !strings.Contains(out, `"outcome":"unanswered"`) && !strings.Contains(out, `"outcome": "unanswered"`) {
		t.Error(out)
	}
}

// awaitLine waits until a log of the home holds text.
func awaitLine(t *testing.T, home, text string) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	store := filepath.Join(home, "store")
	for deadline := time.After(30 * time.Second); ; {
		files, err := journal.Files(store)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(filepath.Join(store, file.Path))
			if err == nil && strings.Contains(string(data), text) {
				return
			}
		}
		select {
		case <-deadline:
			t.Fatalf("no log holds %s", text)
		case <-poll.C:
		}
	}
}

// TestSoakTwentyShims keeps twenty shims busy for a minute in a soak. Every call
// is recorded or counted in a gap.
func TestSoakTwentyShims(t *testing.T) {
	if soakRounds(0) < 100 {
		t.Skip("a minute long: make soak runs it")
	}
	home := t.TempDir()
	deadline := time.Now().Add(time.Minute)
	made := make(chan int)
	for range 20 {
		s := startShim(t, home, nil, "serve")
		go func() {
			n := 0
			for time.Now().Before(deadline) {
				s.calls(500, strings.Repeat("p", n%4096))
				n += 500
			}
			s.end()
			made <- n
		}()
	}
	total := 0
	for range 20 {
		total += <-made
	}
	recorded, lost := 0, int64(0)
	for _, ev := range events(t, home) {
		switch b := ev.Body.(type) {
		case *journal.Call:
			recorded++
		case *journal.Gap:
			lost += b.Outbound.Frames
		}
	}
	t.Logf("%d calls, %d requests in gaps", total, lost)
	if int64(recorded)+lost < int64(total) {
		t.Errorf("%d calls were made, %d recorded, %d in gaps", total, recorded, lost)
	}
}
