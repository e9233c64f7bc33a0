package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestShimTable prints the shim rows of the performance table: what the shim
// adds beside what two tee processes add to the same server in the same run.
// It asserts nothing. MCPEVAL_BENCH is the number of calls of the memory row,
// MCPEVAL_BENCH_ROUNDS that of alternating rounds.
func TestShimTable(t *testing.T) {
	calls, err := strconv.Atoi(os.Getenv("MCPEVAL_BENCH"))
	if err != nil {
		t.Skip("set MCPEVAL_BENCH to a number of calls, such as 1000000")
	}
	rounds, err := strconv.Atoi(os.Getenv("MCPEVAL_BENCH_ROUNDS"))
	if err != nil {
		rounds = 15
	}
	b := newShimBench(t)
	b.roundTrips(rounds)
	b.throughput(max(3, rounds/3))
	b.memory(calls)
	b.start(rounds)
}

type shimBench struct {
	t       *testing.T
	mcpeval string
	home    string
	ways    []way
}

// way is a path from client to server.
type way struct {
	name    string
	command []string
}

func newShimBench(t *testing.T) *shimBench {
	t.Helper()
	server, err := exec.LookPath("child")
	if err != nil {
		t.Fatal(err)
	}
	b := &shimBench{t: t, mcpeval: buildBinary(t), home: filepath.Join(t.TempDir(), "home")}
	b.ways = []way{
		{"direct", []string{server, "serve"}},
		{"tee", []string{"sh", "-c", "tee /dev/null | '" + server + "' serve | tee /dev/null"}},
		{"shim", []string{b.mcpeval, "shim", "--server", "bench", "--", server, "serve"}},
	}
	return b
}

// benchPeer is a server that was started one way.
type benchPeer struct {
	b   *shimBench
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *shimBench) open(w way) *benchPeer {
	b.t.Helper()
	cmd := exec.Command(w.command[0], w.command[1:]...)
	cmd.Env = append(os.Environ(), "MCPEVAL_HOME="+b.home)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		b.t.Fatal(err)
	}
	return &benchPeer{b, cmd, in, bufio.NewReaderSize(out, 1<<20)}
}

func (p *benchPeer) close() {
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		p.b.t.Fatal(err)
	}
}

const benchRequest = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"path":"/tmp/x","limit":10,"pad":"%s"}}}` + "\n"

func (p *benchPeer) call(id int, pad string) time.Duration {
	start := time.Now()
	if _, err := fmt.Fprintf(p.in, benchRequest, id, pad); err != nil {
		p.b.t.Fatal(err)
	}
	if _, err := p.out.ReadSlice('\n'); err != nil {
		p.b.t.Fatal(err)
	}
	return time.Since(start)
}

// roundTrips compares the round trip of a small call.
func (b *shimBench) roundTrips(rounds int) {
	const calls = 2000
	p50, p99 := map[string][]float64{}, map[string][]float64{}
	for range rounds {
		for _, w := range b.ways {
			p := b.open(w)
			for i := range 200 {
				p.call(i, "warm")
			}
			var took []time.Duration
			for i := range calls {
				took = append(took, p.call(1000+i, "hello"))
			}
			p.close()
			slices.Sort(took)
			p50[w.name] = append(p50[w.name], micros(took[calls/2]))
			p99[w.name] = append(p99[w.name], micros(took[calls*99/100]))
		}
	}
	for _, row := range []struct {
		name string
		by   map[string][]float64
		aim  string
	}{{"p50", p50, "<= 1.3"}, {"p99", p99, "<= 2"}} {
		direct := median(row.by["direct"])
		tee, shim := median(row.by["tee"])-direct, median(row.by["shim"])-direct
		b.t.Logf("round trip %s: direct %s us, tee adds %.0f, shim adds %.0f; shim/tee %.2f (aim %s); tee %s, shim %s",
			row.name, spread(row.by["direct"]), tee, shim, shim/tee, row.aim, spread(row.by["tee"]), spread(row.by["shim"]))
	}
}

// throughput pushes 160 MiB of 4 KiB frames through, answers included.
func (b *shimBench) throughput(rounds int) {
	const mib = 160
	const frames = mib << 20 / 4096
	pad := strings.Repeat("x", 4096)
	rate := map[string][]float64{}
	for range rounds {
		for _, w := range b.ways {
			p := b.open(w)
			start := time.Now()
			sent := make(chan error, 1)
			go func() {
				out := bufio.NewWriterSize(p.in, 64<<10)
				for i := range frames {
					fmt.Fprintf(out, benchRequest, i+1, pad)
				}
				sent <- out.Flush()
			}()
			for range frames {
				if _, err := p.out.ReadSlice('\n'); err != nil {
					b.t.Fatal(err)
				}
			}
			took := time.Since(start)
			if err := <-sent; err != nil {
				b.t.Fatal(err)
			}
			p.close()
			rate[w.name] = append(rate[w.name], mib/took.Seconds())
		}
	}
	b.t.Logf("throughput, %d MiB of 4 KiB frames: direct %s MiB/s, tee %s, shim %s; shim/tee %.2f (aim >= 0.9); gaps %d",
		mib, spread(rate["direct"]), spread(rate["tee"]), spread(rate["shim"]), median(rate["shim"])/median(rate["tee"]), b.gaps())
}

// gaps counts the gap events of all captures so far.
func (b *shimBench) gaps() (n int) {
	logs, err := filepath.Glob(filepath.Join(b.home, "store", "captures", "*", "*.jsonl"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			b.t.Fatal(err)
		}
		n += bytes.Count(text, []byte(`"type":"gap"`))
	}
	return n
}

// memory tells what the shim holds after many calls, one at a time.
func (b *shimBench) memory(calls int) {
	p := b.open(b.ways[2])
	pad := strings.Repeat("x", 4096)
	quarter := ""
	for i := range calls {
		p.call(i+1, pad)
		if i == calls/4 {
			quarter = rss(p.cmd.Process.Pid)
		}
	}
	b.t.Logf("shim memory: %s after a quarter of %d calls, %s at the end (aim <= 40 MiB, flat)", quarter, calls, rss(p.cmd.Process.Pid))
	p.close()
}

// rss is the resident memory of a process, where it can be told.
func rss(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown"
	}
	match := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(text)
	if match == nil {
		return "unknown"
	}
	kib, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MiB", float64(kib)/1024)
}

// start tells how long the binary takes to do nothing, and how large it is.
func (b *shimBench) start(rounds int) {
	var took []float64
	for range rounds {
		began := time.Now()
		if err := exec.Command(b.mcpeval, "--version").Run(); err != nil {
			b.t.Fatal(err)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	stripped := filepath.Join(b.t.TempDir(), "stripped")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", stripped, "./mcpeval").CombinedOutput(); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(stripped)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("mcpeval --version: %s ms (aim <= 30); binary, stripped: %.1f MB (aim <= 30)", spread(took), float64(info.Size())/1e6)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// spread is the median with the least and the greatest value.
func spread(list []float64) string {
	return fmt.Sprintf("%.0f (%.0f-%.0f)", median(list), slices.Min(list), slices.Max(list))
}
