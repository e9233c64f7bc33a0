package stdio

import (
	"runtime"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// The consumer's pace. While there is traffic it looks into the queue every doze
// instead of being woken for every chunk, which would cost the pumps a system
// call each; after quiet dozes without anything it waits to be woken.
const (
	doze      = 4 * time.Millisecond
	quiet     = 5
	idleBusy  = 100 * time.Millisecond
	idleQuiet = time.Second
)

// drainer takes the queue's records to the Consumer, in one goroutine.
type drainer struct {
	q        *queue
	consumer Consumer
	stop     chan process.Exit // what Done is told; buffered
	finished chan error        // buffered

	got       [2]uint64 // records taken, for each direction
	delivered [ChildExited + 1]bool
	lastIdle  time.Duration

	// now and elapsed are the same moment; see clock.
	now     time.Time
	elapsed time.Duration
}

func newDrainer(q *queue, c Consumer) *drainer {
	return &drainer{q: q, consumer: c, stop: make(chan process.Exit, 1), finished: make(chan error, 1)}
}

// run is the goroutine. A Consumer that panics ends the recording, not the
// forwarding.
func (d *drainer) run() {
	err := ErrConsumer
	defer func() {
		if err != nil {
			_ = recover()
		}
		d.finished <- err
	}()
	d.loop()
	err = nil
}

func (d *drainer) loop() {
	timer := time.NewTimer(doze)
	defer timer.Stop()
	for still := 0; ; {
		if d.drain() {
			if still > quiet {
				d.lastIdle = d.elapsed // what can wait waits until after this
			}
			still = 0
		} else {
			still++
		}
		state, pause := dozing, doze
		if still > quiet {
			state, pause = parked, idleQuiet
		}
		if still == quiet || d.elapsed-d.lastIdle >= idleBusy {
			d.lastIdle = d.elapsed
			d.consumer.Idle(d.now)
		}
		d.q.sleep.Store(state)
		if state == parked && d.news() {
			// It came after the last look and before anyone could see us parked.
			state, pause = dozing, doze
			d.q.sleep.Store(state)
		}
		timer.Reset(pause)
		select {
		case <-d.q.bell:
		case <-timer.C:
		case exit := <-d.stop:
			d.finish(exit)
			return
		}
		d.q.sleep.Store(awake)
	}
}

// finish takes what is in the queue now. A pump may still put: the pump of
// standard input is never joined.
func (d *drainer) finish(exit process.Exit) {
	for end := d.q.head.Load(); d.before(end); {
		if !d.drain() {
			runtime.Gosched()
		}
	}
	d.drain()
	d.consumer.Done(exit, d.now)
}

// drain delivers what is in the queue now and reports whether there was any.
func (d *drainer) drain() bool {
	// Events are looked at before the end of the queue, so that what was put
	// before an event is delivered before it.
	happened := d.happened()
	end := d.q.head.Load()
	d.clock()
	n := 0
	for d.before(end) {
		rec, ok := d.q.next()
		if !ok {
			return n > 0 // a pump is between reserving and committing
		}
		if n++; n%64 == 0 {
			d.clock()
		}
		d.deliver(rec)
		d.q.free(rec)
	}
	any := n > 0
	for _, dir := range []journal.Direction{journal.Outbound, journal.Inbound} {
		if lost, ok := d.q.side(dir).takeLoss(d.got[dir-journal.Outbound]); ok {
			any = true
			d.consumer.Gap(dir, lost.frames, lost.bytes)
		}
	}
	for kind, at := range happened {
		if at != 0 && !d.delivered[kind] {
			any, d.delivered[kind] = true, true
			d.consumer.Event(EventKind(kind), d.at(at-1))
		}
	}
	return any
}

func (d *drainer) happened() (at [ChildExited + 1]int64) {
	for kind := range at {
		at[kind] = d.q.happened[kind].Load()
	}
	return at
}

// news reports whether there is anything to deliver.
func (d *drainer) news() bool {
	for kind, at := range d.happened() {
		if at != 0 && !d.delivered[kind] {
			return true
		}
	}
	return d.q.used() > 0
}

// before reports whether the consumer has not reached a position. next skips
// padding, and so may step over a position that was head.
func (d *drainer) before(pos uint64) bool { return int64(pos-d.q.tail.Load()) > 0 }

func (d *drainer) deliver(rec record) {
	d.got[rec.dir-journal.Outbound]++
	if rec.kind == gap {
		d.consumer.Gap(rec.dir, rec.a, rec.b)
		return
	}
	d.consumer.Chunk(rec.dir, rec.data, d.at(rec.a), d.at(rec.b))
}

// clock pairs the wall clock with the time since base. Times of records are told
// relative to a recent pair, because the monotonic clock stands still while a
// machine sleeps and the wall clock is set now and then.
func (d *drainer) clock() {
	d.now = time.Now()
	d.elapsed = d.now.Sub(d.q.base)
}

func (d *drainer) at(ns int64) time.Time { return d.now.Add(time.Duration(ns) - d.elapsed) }
