package client

import (
	"context"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// phase is a part of an HTTP exchange. Each has a time limit of its own, and
// none comes back.
type phase uint8

const (
	connecting phase = iota + 1
	writing
	waiting // for the first byte
	reading
)

// watchdog ends an exchange whose phase makes no progress for too long.
type watchdog struct {
	clock  Clock
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards what follows
	phase phase
	stop  func() bool
}

// arm starts the timer of a phase, or starts it again. It does nothing once a
// later phase has begun. A limit of 0 is none.
func (w *watchdog) arm(p phase, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p < w.phase {
		return
	}
	w.phase = p
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	if limit <= 0 {
		return
	}
	detail := NoAnswerInTime
	if p == connecting {
		detail = ConnectTimeout
	}
	w.stop = w.clock.AfterFunc(limit, func() { w.cancel(fault(TransportTimeout, detail)) })
}

// end stops the timer for good.
func (w *watchdog) end() { w.arm(reading+1, 0) }

// trace moves the watchdog through the phases of a request. written is called
// when its last byte is.
func (w *watchdog) trace(firstByte time.Duration, written func()) *httptrace.ClientTrace {
	alive := func() { w.arm(connecting, NetworkTimeout) }
	return &httptrace.ClientTrace{
		GetConn:           func(string) { alive() },
		ConnectDone:       func(string, string, error) { alive() },
		TLSHandshakeStart: alive,
		GotConn:           func(httptrace.GotConnInfo) { w.arm(writing, NetworkTimeout) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				written()
				w.arm(waiting, firstByte)
			}
		},
		GotFirstResponseByte: func() { w.arm(reading, NetworkTimeout) },
	}
}

// progress is a request body that shows the watchdog that it is being read.
type progress struct {
	io.Reader
	w *watchdog
}

func (p progress) Read(b []byte) (int, error) {
	p.w.arm(writing, NetworkTimeout)
	return p.Reader.Read(b)
}
