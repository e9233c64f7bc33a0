package stdio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
)

var both = []journal.Direction{journal.Outbound, journal.Inbound}

// calls is a Consumer that writes down what it is told.
type calls struct {
	hook func() // before each Chunk

	mu  sync.Mutex
	got []string // guarded by mu
}

func (c *calls) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, fmt.Sprintf(format, args...))
}

// take returns the calls since it was last called.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.got
	c.got = nil
	return got
}

func (c *calls) Chunk(dir journal.Direction, data []byte, readAt, handedOn time.Time) {
	if c.hook != nil {
		c.hook()
	}
	if handedOn.Before(readAt) {
		c.add("times are wrong")
	}
	c.add("%s %q", dir, data)
}

func (c *calls) Gap(dir journal.Direction, frames, n int64) { c.add("%s gap %d %d", dir, frames, n) }

func (c *calls) Event(kind EventKind, _ time.Time) { c.add("event %d", kind) }

func (c *calls) Idle(time.Time) { c.add("idle") }

func (c *calls) Done(exit process.Exit, _ time.Time) { c.add("done %d", exit.Code) }

const smallQueue = 16 * slotBytes

func TestQueueKeepsOrderAndCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue(smallQueue, time.Now())
		c := &calls{}
		d := newDrainer(q, c)
		var put, lost, seenBytes, lostBytes [2]int64
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				dir := rapid.SampledFrom(both).Draw(t, "dir")
				data := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n")), 1, smallQueue/3).Draw(t, "data")
				put[dir-1] += int64(len(data))
				lost[dir-1] += int64(bytes.Count(data, []byte("\n")))
				q.put(dir, data, q.now())
			},
			"drain": func(*rapid.T) {
				d.drain()
				for _, call := range c.take() {
					var dir string
					var frames, n int64
					if k, _ := fmt.Sscanf(call, "%s gap %d %d", &dir, &frames, &n); k == 3 {
						i := map[string]int{"outbound": 0, "inbound": 1}[dir]
						lostBytes[i] += n
						lost[i] -= frames
						continue
					}
					var data []byte
					if _, err := fmt.Sscanf(call, "%s %q", &dir, &data); err != nil {
						t.Fatalf("%s: %v", call, err)
					}
					i := map[string]int{"outbound": 0, "inbound": 1}[dir]
					seenBytes[i] += int64(len(data))
					lost[i] -= int64(bytes.Count(data, []byte("\n")))
				}
				for i := range put {
					if seenBytes[i]+lostBytes[i] != put[i] || lost[i] != 0 {
						t.Fatalf("%s: put %d bytes, got %d and a gap of %d; %d frames missing", both[i], put[i], seenBytes[i], lostBytes[i], lost[i])
					}
				}
			},
		})
	})
}

func TestGapStandsInItsPlace(t *testing.T) {
	q := newQueue(smallQueue, time.Now())
	c := &calls{}
	d := newDrainer(q, c)
	room := smallQueue/slotBytes - 1
	for range room {
		q.put(journal.Outbound, []byte("a\n"), 0)
	}
	q.put(journal.Inbound, []byte("b\n"), 0)
	q.put(journal.Outbound, []byte("lost\nlost\n"), 0)
	q.put(journal.Inbound, []byte("lost"), 0)
	c.hook = func() { c.hook = nil; q.put(journal.Outbound, []byte("lost too"), 0) } // not half empty
	d.drain()
	q.put(journal.Outbound, []byte("c\n"), 0)
	d.drain()
	var want []string
	for range room {
		want = append(want, `outbound "a\n"`)
	}
	want = append(want, `inbound "b\n"`, "outbound gap 2 18", "inbound gap 0 4", `outbound "c\n"`)
	if diff := cmp.Diff(want, c.take()); diff != "" {
		t.Error(diff)
	}
}

func TestGapBeforeTheNextChunk(t *testing.T) {
	q := newQueue(smallQueue, time.Now())
	c := &calls{}
	d := newDrainer(q, c)
	for range smallQueue / slotBytes {
		q.put(journal.Outbound, []byte("a"), 0)
	}
	q.put(journal.Outbound, []byte("lost"), 0)
	c.hook = func() {
		if q.used() == smallQueue/2 { // free again: the pump goes on before the consumer is through
			c.hook = nil
			q.put(journal.Outbound, []byte("b"), 0)
		}
	}
	d.drain()
	d.drain()
	var want []string
	for range smallQueue / slotBytes {
		want = append(want, `outbound "a"`)
	}
	want = append(want, "outbound gap 0 4", `outbound "b"`)
	if diff := cmp.Diff(want, c.take()); diff != "" {
		t.Error(diff)
	}
}

func TestEventsComeAfterWhatWasPutBeforeThem(t *testing.T) {
	q := newQueue(smallQueue, time.Now())
	c := &calls{}
	d := newDrainer(q, c)
	q.put(journal.Outbound, []byte("x"), 0)
	q.note(ClientEOF)
	q.note(ClientEOF)
	pos, _ := q.reserve(1) // the other pump has reserved, and is slow
	q.put(journal.Outbound, []byte("y"), 0)
	d.drain()
	if diff := cmp.Diff([]string{`outbound "x"`}, c.take()); diff != "" {
		t.Error(diff)
	}
	q.at(pos)[headerBytes] = 'z'
	writeHeader(q.at(pos), chunk, journal.Inbound, 1, 0, 0)
	q.commit(pos)
	d.drain()
	d.drain()
	if diff := cmp.Diff([]string{`inbound "z"`, `outbound "y"`, "event 1"}, c.take()); diff != "" {
		t.Error(diff)
	}
}

func TestDrainerStops(t *testing.T) {
	q := newQueue(smallQueue, time.Now())
	c := &calls{}
	d := newDrainer(q, c)
	q.put(journal.Inbound, []byte("x"), 0)
	q.note(ChildExited)
	d.stop <- process.Exit{Code: 7}
	go d.run()
	if err := <-d.finished; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`inbound "x"`, "event 6", "done 7"}, c.take()); diff != "" {
		t.Error(diff)
	}
}

func TestDrainerPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(smallQueue, time.Now())
		c := &calls{}
		d := newDrainer(q, c)
		go d.run()
		idle := func(got []string) (n int) {
			for _, call := range got {
				if call == "idle" {
					n++
				}
			}
			return n
		}
		pass := func(d time.Duration) {
			time.Sleep(d) // of the bubble's clock
			synctest.Wait()
		}
		put := func(s string) {
			q.put(journal.Outbound, []byte(s), q.now())
			q.nudge()
		}

		put("a")
		pass(time.Second)
		if diff := cmp.Diff([]string{`outbound "a"`, "idle"}, c.take()[:2]); diff != "" {
			t.Errorf("a pause: %s", diff)
		}
		pass(10 * time.Second)
		if got := c.take(); idle(got) != len(got) || len(got) < 9 || len(got) > 11 {
			t.Errorf("10 quiet seconds: %q", got)
		}

		put("b") // wakes it
		synctest.Wait()
		q.note(ClientGone)
		q.wake()
		synctest.Wait()
		if diff := cmp.Diff([]string{`outbound "b"`, "event 4"}, c.take()); diff != "" {
			t.Errorf("after waking: %s", diff)
		}

		for range 1000 { // a second of traffic
			put("c")
			pass(time.Millisecond)
		}
		got := c.take()
		if n := idle(got); n < 8 || n > 11 {
			t.Errorf("a second of traffic: idle %d times", n)
		}
		if n := len(got) - idle(got); n < 990 {
			t.Errorf("a second of traffic: %d chunks", n)
		}
		d.stop <- process.Exit{}
		<-d.finished
	})
}

// numbered checks that what arrives of each direction is numbered in order. All
// chunks of a direction have one size, so that a gap's bytes tell their number.
type numbered struct {
	calls
	t    *testing.T
	size [2]int
	next [2]uint64
	gaps int
}

func (n *numbered) Chunk(dir journal.Direction, data []byte, _, _ time.Time) {
	i := dir - journal.Outbound
	number := binary.LittleEndian.Uint64(data)
	if number != n.next[i] || !bytes.Equal(data[8:], bytes.Repeat([]byte{byte(number)}, n.size[i]-8)) {
		n.t.Errorf("%s: got chunk %d, want %d", dir, number, n.next[i])
	}
	n.next[i] = number + 1
}

func (n *numbered) Gap(dir journal.Direction, _, lost int64) {
	n.gaps++
	n.next[dir-journal.Outbound] += uint64(lost) / uint64(n.size[dir-journal.Outbound])
}

func (n *numbered) Idle(time.Time) {}

func TestTwoProducersAtOnce(t *testing.T) {
	const chunks = 50_000
	q := newQueue(256<<10, time.Now())
	c := &numbered{t: t, size: [2]int{40, 3000}}
	d := newDrainer(q, c)
	go d.run()
	var producers sync.WaitGroup
	for _, dir := range both {
		producers.Go(func() {
			for i := range uint64(chunks) {
				number := binary.LittleEndian.AppendUint64(nil, i)
				q.put(dir, append(number, bytes.Repeat([]byte{byte(i)}, c.size[dir-1]-8)...), q.now())
				q.nudge()
			}
		})
	}
	producers.Wait()
	d.stop <- process.Exit{}
	if err := <-d.finished; err != nil {
		t.Fatal(err)
	}
	if want := [2]uint64{chunks, chunks}; c.next != want {
		t.Errorf("got %d chunks, want %d", c.next, want)
	}
	t.Logf("%d gaps", c.gaps)
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			q := newQueue(16<<20, time.Now())
			data := bytes.Repeat([]byte{'x'}, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				q.put(journal.Outbound, data, q.now())
				q.nudge()
				if rec, ok := q.next(); ok {
					q.free(rec)
				}
			}
		})
	}
}
