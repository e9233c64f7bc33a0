package recorder

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestBacklogIsBounded lets the disk stand still: writers wait once the backlog
// is full, and everything arrives in order when the disk goes on, or is counted
// when it fails.
func TestBacklogIsBounded(t *testing.T) {
	const size, chunks = 1 << 20, 40
	disk := errors.New("disk")
	for _, test := range []struct {
		name string
		err  error // of the write that stood still
	}{
		{"the disk goes on", nil},
		{"the disk fails", disk},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				var got bytes.Buffer
				b := newBacklog(func(_ *os.File, p []byte) (int, error) {
					<-gate
					if test.err != nil {
						return 0, test.err
					}
					return got.Write(p)
				})
				var wrote, accepted, refused atomic.Int64
				b.start(func() { wrote.Add(1) })
				write := func(i int) {
					p := bytes.Repeat([]byte{byte('a' + i)}, size)
					p[size-1] = '\n'
					if _, err := b.write(nil, p); err != nil {
						refused.Add(1)
					} else {
						accepted.Add(1)
					}
				}
				write(0)
				synctest.Wait() // the goroutine has taken the first chunk, and no more
				finished := make(chan struct{})
				go func() {
					defer close(finished)
					for i := 1; i < chunks; i++ {
						write(i)
					}
				}()
				synctest.Wait()
				if n := accepted.Load(); n > maxBacklog/size+1 || n < maxBacklog/size {
					t.Errorf("%d MiB are held while the disk stands still", n)
				}
				close(gate)
				<-finished
				b.settle()
				b.stop()

				lost, failure := b.state()
				if !errors.Is(failure, test.err) {
					t.Errorf("failure is %v, want %v", failure, test.err)
				}
				if test.err != nil {
					if lost != accepted.Load() || refused.Load() != chunks-lost {
						t.Errorf("%d accepted, %d refused, %d lost", accepted.Load(), refused.Load(), lost)
					}
					return
				}
				for i, line := range bytes.Split(bytes.TrimSuffix(got.Bytes(), []byte("\n")), []byte("\n")) {
					if len(line) != size-1 || line[0] != byte('a'+i) {
						t.Fatalf("line %d is not what was written", i)
					}
				}
				if got.Len() != size*chunks || wrote.Load() == 0 || wrote.Load() == chunks {
					t.Errorf("%d bytes in %d writes", got.Len(), wrote.Load())
				}
			})
		})
	}
}

func TestBacklogTakesNoMoreAfterAShortWrite(t *testing.T) {
	b := newBacklog(func(_ *os.File, p []byte) (int, error) { return 3, nil })
	b.start(func() {})
	if _, err := b.write(nil, []byte("a\nb\nc\nd\n")); err != nil {
		t.Fatal(err)
	}
	b.settle()
	if n, err := b.write(nil, []byte("e\n")); err == nil || n != 0 {
		t.Errorf("wrote %d bytes after a short write", n)
	}
	b.stop()
	if lost, err := b.state(); err == nil || lost != 3 {
		t.Errorf("lost %d lines by %v, want 3", lost, err)
	}
	if _, err := b.write(nil, []byte("f\n")); err == nil {
		t.Error("wrote after the end")
	}
}
