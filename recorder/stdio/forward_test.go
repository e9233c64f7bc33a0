//go:build unix && !unsupported

package stdio_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpeval/mcpeval/recorder/process"
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

func TestTransparent(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	tests := []struct {
		name string
		data []byte
	}{
		{name: "nothing"},
		{name: "one byte", data: []byte{'x'}},
		{name: "no final newline", data: []byte(frame)},
		{name: "CRLF", data: []byte(frame + "\r\n" + frame + "\r\n")},
		{name: "byte order mark", data: []byte("\xef\xbb\xbf" + frame + "\n")},
		{name: "invalid UTF-8", data: []byte("\xff\xfe\xc0\x80" + frame + "\xed\xa0\x80\n")},
		{name: "NULs and blank lines", data: []byte("\x00\x00\n\n  \n\x00")},
		{name: "64 KiB less one", data: randomBytes(64<<10 - 1)},
		{name: "64 KiB", data: randomBytes(64 << 10)},
		{name: "64 KiB and one", data: randomBytes(64<<10 + 1)},
		{name: "1 MiB", data: randomBytes(1 << 20)},
		{name: "1 MiB without a newline", data: bytes.Repeat([]byte{'x'}, 1<<20)},
		{name: "20 MiB", data: randomBytes(20 << 20)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := run(t, options{}, "cat")
			seed := rand.Uint64()
			go func() {
				random := rand.New(rand.NewPCG(seed, 0))
				for rest := tt.data; len(rest) > 0; {
					n := min(len(rest), 1+random.IntN(100_000))
					if _, err := c.in.Write(rest[:n]); err != nil {
						t.Errorf("seed %d: %v", seed, err)
						break
					}
					rest = rest[n:]
				}
				c.in.Close()
			}()
			if got := c.rest(); sum(got) != sum(tt.data) {
				t.Errorf("seed %d: got %d bytes, want the %d that were sent", seed, len(got), len(tt.data))
			}
			c.exit(process.Exit{})
			if got := c.errors(); got != "" {
				t.Errorf("stderr: %q", got)
			}
			r := c.recorded()
			for _, d := range []direction{r.out, r.in} {
				if d.bytes+d.lostBytes != int64(len(tt.data)) || d.gaps == 0 && d.sum != sum(tt.data) {
					t.Errorf("recorded %+v", d)
				}
			}
			for _, line := range []string{"event client-eof", "event server-eof", "event child-exited", "early 0", "done 0 <nil>"} {
				if !r.has(line) {
					t.Errorf("no %q in\n%s", line, r.text)
				}
			}
		})
	}
}

// A client may have made its ends of the pipes non-blocking, and the shim's with
// them if they are sockets or shared.
func TestNonBlockingFilesWorkAndStaySo(t *testing.T) {
	var shared []*os.File
	c := run(t, options{files: func(f *os.File) *os.File {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
		f.Close()
		// Package os takes over its mode; a second descriptor sees what becomes of it.
		again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		shared = append(shared, os.NewFile(uintptr(again), "shared"))
		return os.NewFile(uintptr(fd), "inherited")
	}}, "cat")
	c.send("first\n") // the pump will find nothing more to read
	c.expect("first")
	data := randomBytes(3 << 20)
	go func() {
		if _, err := c.in.Write(data); err != nil {
			t.Error(err)
		}
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(c.lines, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("data differs, or %v", err)
	}
	for _, f := range shared {
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK == 0 {
			t.Errorf("the flags were changed to %x, %v", flags, err)
		}
		f.Close()
	}
	c.in.Close()
	if got := c.rest(); len(got) > 0 {
		t.Errorf("%d bytes too many", len(got))
	}
	c.exit(process.Exit{})
}

func TestRequestIsRecordedBeforeItsResponse(t *testing.T) {
	const exchanges = 20_000
	c := run(t, options{}, "cat")
	for i := range exchanges {
		frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
		c.send(frame + "\n")
		c.expect(frame)
	}
	c.in.Close()
	c.exit(process.Exit{})
	r := c.recorded()
	if !r.has("early 0") || r.in.lines+r.in.lostLines != exchanges {
		t.Errorf("trace:\n%s", r.text)
	}
}

func TestFullQueueIsAGapOfExactlyWhatIsMissing(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	c := run(t, options{shim: []string{"-gate", gate, "-queue", "262144"}}, "cat")
	frame := strings.Repeat("x", 999)
	const frames = 3000
	go func() {
		for range frames {
			if _, err := c.in.WriteString(frame + "\n"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range frames {
		c.expect(frame)
	}
	// Everything has passed while the consumer stood still.
	if err := os.WriteFile(gate, nil, 0); err != nil {
		t.Fatal(err)
	}
	c.send("after\n")
	c.expect("after")
	c.in.Close()
	c.exit(process.Exit{})
	r := c.recorded()
	for _, d := range []direction{r.out, r.in} {
		if d.gaps == 0 || d.lines+d.lostLines != frames+1 || d.bytes+d.lostBytes != 1000*frames+6 {
			t.Errorf("recorded %+v", d)
		}
	}
}

func TestBrokenConsumerDoesNotBreakTheServer(t *testing.T) {
	for _, kind := range []string{"stuck", "panic"} {
		t.Run(kind, func(t *testing.T) {
			c := run(t, options{shim: []string{"-consumer", kind, "-queue", "262144", "-grace", "50ms"}}, "cat")
			frame := strings.Repeat("y", 99_999)
			for range 10 {
				c.send(frame + "\n")
				c.expect(frame)
			}
			c.in.Close()
			c.exit(process.Exit{})
			if got, want := c.errors(), "shim: recording failed: the capture is incomplete\n"; got != want {
				t.Errorf("stderr: %q", got)
			}
		})
	}
}

func TestStderrIsTheServers(t *testing.T) {
	c := run(t, options{}, "noisy")
	got := make(chan string)
	go func() { got <- c.errors() }()
	c.send("hello\n")
	c.expect("hello")
	c.in.Close()
	if n := len(<-got); n != noise {
		t.Errorf("got %d bytes", n)
	}
	c.exit(process.Exit{})
}

func TestEnvironmentIsTheServers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc/self/environ")
	}
	env := []string{"B=2", "A=1", "A=1 again", "NOTHING", "BYTES=\xff\xfe"}
	c := run(t, options{env: env}, "environ")
	if got, want := string(c.rest()), strings.Join(env, "\x00")+"\x00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.exit(process.Exit{})
}

func TestWriteFromTheServerAfterEOF(t *testing.T) {
	c := run(t, options{}, "last")
	c.in.Close()
	c.expect("roots/list")
	c.exit(process.Exit{})
}

func TestOutputOfAServerThatHasExitedIsDelivered(t *testing.T) {
	c := run(t, options{}, "burst")
	if n := len(c.rest()); n != burst {
		t.Errorf("got %d bytes", n)
	}
	c.exit(process.Exit{})
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, shim := range []bool{false, true} {
		b.Run(map[bool]string{false: "direct", true: "shim"}[shim], func(b *testing.B) {
			args := self("cat")
			if shim {
				args = append(self("shim", "-consumer", "scan", "--"), args...)
			}
			inR, inW, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			outR, outW, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			p, err := process.Start(process.Command{Args: args, Stdin: inR, Stdout: outW, Stderr: os.Stderr})
			if err != nil {
				b.Fatal(err)
			}
			inR.Close()
			outW.Close()
			frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}` + "\n")
			buf := make([]byte, 4096)
			var slowest time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := inW.Write(frame); err != nil {
					b.Fatal(err)
				}
				if _, err := outR.Read(buf); err != nil {
					b.Fatal(err)
				}
				slowest = max(slowest, time.Since(began))
			}
			b.ReportMetric(float64(slowest.Nanoseconds()), "max-ns")
			inW.Close()
			if _, err := p.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
