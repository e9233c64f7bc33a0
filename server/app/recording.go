package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// Recording says where the synthetic calls of an evaluation are journaled. A nil
// *Recording records nothing.
type Recording struct {
	// Open and Report are those of recorder.CaptureOptions.
	Open   func() (recorder.Store, error)
	Report func(line string)
	// Session is the value of MCPEVAL_SESSION.
	Session string
	// Now is the clock of the events; nil is time.Now.
	Now func() time.Time
}

// idleEvery is how often a capture is given time to write.
const idleEvery = time.Second

// start begins a capture of the synthetic calls that by makes. end ends it and is
// to be called once. Without a Recording both are there and record nothing.
func (r *Recording) start(by journal.RecorderKind, server, version string) (capture *recorder.Capture, end func(), err error) {
	label, err := sanitize.NewLabel(server)
	if err != nil {
		return nil, nil, &InputError{Err: errServer}
	}
	stamp, err := sanitize.NewLabel(version)
	if err != nil {
		return nil, nil, &InputError{Err: err}
	}
	if r == nil {
		return nil, func() {}, nil
	}
	now := r.Now
	if now == nil {
		now = time.Now
	}
	capture = recorder.NewCapture(&recorder.CaptureOptions{
		Open: r.Open, Report: r.Report, Session: r.Session, Server: label, Version: stamp,
		Recorder: by, Kind: journal.Synthetic, Now: now,
	})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(idleEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				capture.Idle(now())
			case <-stop:
				return
			}
		}
	}()
	return capture, func() {
		close(stop)
		<-done
		if begun(capture) {
			capture.End(now(), recorder.NoExit)
		}
	}, nil
}

// begun reports whether a capture has recorded anything: nothing else may begin
// one, or a server that never started would leave a capture behind.
func begun(capture *recorder.Capture) bool { return capture != nil && capture.ID() != uuid.Nil }

// watcher is the Journal of a run: it records, and tells when a case is over.
type watcher struct {
	capture *recorder.Capture // nil records nothing
	over    func()
}

func (w *watcher) Frame(r recorder.Read, f *wire.Frame) {
	if w.capture != nil {
		w.capture.Frame(r, f)
	}
}

func (w *watcher) CloseChannel(channel uint64, at time.Time, why recorder.Ending) {
	if begun(w.capture) {
		w.capture.CloseChannel(channel, at, why)
	}
}

func (w *watcher) Idle(now time.Time) {
	if w.capture != nil {
		w.capture.Idle(now)
	}
	w.over()
}
