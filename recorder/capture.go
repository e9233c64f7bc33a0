package recorder

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// CaptureOptions are what a Capture needs. All but SyncAlways, Now and Write
// must be given.
type CaptureOptions struct {
	// Open finds the store and its salt, and makes what is missing: see
	// OpenStore. It is called once, with the first event.
	Open func() (Store, error)

	// Report takes the one line that is owed to the user when recording ends
	// early. It comes without a newline and never holds traffic.
	Report func(line string)

	// Session is the value of MCPEVAL_SESSION. When it is empty an identity is
	// minted for this Capture.
	Session string

	Server   sanitize.Label
	Version  sanitize.Label // of mcpeval
	Recorder journal.RecorderKind
	Kind     journal.Kind

	// SyncAlways makes events survive a power loss as soon as they are
	// acknowledged, at the price of an fsync for every write. Without it that
	// takes about a second.
	SyncAlways bool

	Now   func() time.Time                        // default time.Now
	Write func(f *os.File, p []byte) (int, error) // default (*os.File).Write; a test's failing disk
}

// ErrSession is reported when no identity could be minted for a session.
var ErrSession = errors.New("mint session: no randomness")

const (
	flushEvery = time.Millisecond // while frames come without a pause
	syncEvery  = time.Second
)

// Capture is one recorder instance: it opens its log with the first event,
// records what frames mean, and ends the recording when anything goes wrong with
// it. No method fails or panics, and none but ClientGone and End waits for the
// disk: until then, write(2) and fsync have goroutines of their own. Methods may
// be called concurrently.
type Capture struct {
	o CaptureOptions

	mu         sync.Mutex // guards what follows
	state      captureState
	correlator *Correlator
	writer     *journal.Writer
	backlog    *backlog
	syncer     *syncer
	failure    error // the first error of writer or syncer; ends the recording
	lost       int64 // events since
	aborted    bool  // a panic was reported
	flushed    time.Time
}

type captureState uint8

const (
	notBegun captureState = iota
	recording
	ended // or never to begin
)

// NewCapture returns a Capture that has not begun. o is copied.
func NewCapture(o *CaptureOptions) *Capture {
	c := &Capture{o: *o}
	if c.o.Now == nil {
		c.o.Now = time.Now
	}
	return c
}

// Frame records a frame. See Correlator.Frame.
func (c *Capture) Frame(r Read, f *wire.Frame) {
	if f.Class == wire.Blank {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guard()
	if !c.begin() {
		return
	}
	c.correlator.Frame(r, f)
	if c.o.SyncAlways || r.At.Sub(c.flushed) >= flushEvery {
		c.flush(r.At)
	}
}

// Add records an event that comes from no frame, such as a verification, and
// returns its ID; uuid.Nil when it was not recorded. The next Idle or End
// acknowledges it.
func (c *Capture) Add(at time.Time, b journal.Body) (id uuid.UUID) {
	c.do(func(*Correlator) { id, _ = logSink{c}.Add(at, b) })
	return id
}

// Gap records that frames could not be taken. See Correlator.Gap.
func (c *Capture) Gap(at time.Time, outbound, inbound journal.Traffic) {
	c.do(func(cor *Correlator) { cor.Gap(at, outbound, inbound) })
}

// CloseExchange records what an exchange leaves unanswered. See
// Correlator.CloseExchange.
func (c *Capture) CloseExchange(r Read, why Ending) {
	c.do(func(cor *Correlator) { cor.CloseExchange(r, why) })
}

// CloseChannel records what a channel leaves unanswered. See
// Correlator.CloseChannel.
func (c *Capture) CloseChannel(channel uint64, at time.Time, why Ending) {
	c.do(func(cor *Correlator) { cor.CloseChannel(channel, at, why) })
}

// FailExchange records an exchange that failed below JSON-RPC. See
// Correlator.FailExchange.
func (c *Capture) FailExchange(r Read, status int, bytes int64) {
	c.do(func(cor *Correlator) { cor.FailExchange(r, status, bytes) })
}

// ClientGone keeps evidence of what is open and acknowledges it at once, for
// the next thing may be a SIGKILL. See Correlator.ClientGone.
func (c *Capture) ClientGone(now time.Time) {
	c.ifOpen(func(cor *Correlator) {
		cor.ClientGone(now)
		c.flush(now)
		c.backlog.settle()
	})
}

// Idle has what was recorded written, and keeps evidence of what has waited
// long. It is to be called whenever there is time, and at least every second.
func (c *Capture) Idle(now time.Time) {
	c.ifOpen(func(cor *Correlator) {
		cor.Tick(now)
		c.flush(now)
	})
}

// End ends the capture and closes its log. After it nothing more is recorded.
func (c *Capture) End(at time.Time, exit Exit) {
	c.do(func(cor *Correlator) {
		cor.End(at, exit)
		c.finish()
	})
}

// ID is the capture's identity, or uuid.Nil when none was begun.
func (c *Capture) ID() uuid.UUID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer == nil {
		return uuid.Nil
	}
	return c.writer.CaptureID()
}

func (c *Capture) do(f func(*Correlator)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guard()
	if c.begin() {
		f(c.correlator)
	}
}

func (c *Capture) ifOpen(f func(*Correlator)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guard()
	if c.state == recording {
		f(c.correlator)
	}
}

// begin opens the log unless that was done or has failed, and reports whether
// there is something to record into. It requires mu, like all that follows.
func (c *Capture) begin() bool {
	if c.state == notBegun {
		c.state = ended // unless all goes well
		if err := c.open(); err != nil {
			c.report("not recording: " + err.Error())
		}
	}
	return c.state == recording
}

func (c *Capture) open() error {
	store, err := c.o.Open()
	if err != nil {
		return err
	}
	session := c.o.Session
	if session == "" {
		id, err := uuid.NewRandom()
		if err != nil {
			return ErrSession
		}
		session = id.String()
	}
	san := sanitize.New(store.Salt)
	c.backlog = newBacklog(c.o.Write)
	c.writer, err = journal.Create(&journal.Options{
		Store:      store.Dir,
		Session:    sanitize.SessionOf(session),
		Server:     c.o.Server,
		Kind:       c.o.Kind,
		Recorder:   c.o.Recorder,
		Version:    c.o.Version,
		SaltID:     san.SaltID(),
		SyncAlways: c.o.SyncAlways,
		Now:        c.o.Now,
		Write:      c.backlog.write,
	})
	if err != nil {
		return fmt.Errorf("create capture: %w", err)
	}
	c.correlator = NewCorrelator(logSink{c}, san)
	if !c.o.SyncAlways {
		c.syncer = startSyncer(c.writer.Sync)
		c.backlog.start(c.syncer.wake)
	}
	c.state = recording
	return nil
}

// flush has what was added written.
func (c *Capture) flush(now time.Time) {
	c.flushed = now
	if c.failure != nil {
		return
	}
	c.fail(c.writer.Flush())
	_, failure := c.backlog.state()
	c.fail(failure)
	c.fail(c.syncer.err())
}

// finish closes the log, and says what is missing in it.
func (c *Capture) finish() {
	c.state = ended
	if c.failure == nil {
		c.fail(c.writer.Flush())
	}
	c.backlog.stop()
	lost, failure := c.backlog.state()
	c.fail(failure)
	c.fail(c.syncer.stop())
	c.fail(c.writer.Close())
	if c.failure != nil {
		c.report(fmt.Sprintf("recording stopped early: %v; %d events were not recorded", c.failure, c.lost+lost+c.writer.Lost()))
	}
}
