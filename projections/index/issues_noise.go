package index

import (
	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/promotion"
)

// run is what a batch says of one capture's standard output: whether a stdio
// shim recorded it, and the first line that is no JSON-RPC. The event that says
// the first may come after those that say the second.
type run struct {
	session, server string
	stdio           bool
	noise           *Record
}

func (w *issues) run(r *Record) *run {
	v := w.runs[r.Group]
	if v == nil {
		v = &run{session: r.Session.String(), server: r.Server.String()}
		w.runs[r.Group] = v
	}
	return v
}

func (v *run) noisy(r *Record) {
	if v.noise == nil || r.Seq < v.noise.Seq {
		v.noise = r
	}
}

// started takes the event that says what recorded a capture.
func (w *issues) started(r *Record) {
	if c, ok := r.Body.(*journal.CaptureStart); ok && c.Recorder == journal.RecorderShim && r.Kind == journal.Real && r.HasIdentity() {
		w.run(r).stdio = true
	}
}

// noise brings a capture's run up to date. A run with noise is one failure,
// however many lines there are: servers that print one banner and servers that
// log everything have the same fault.
func (w *issues) noise(group int64, v *run) error {
	q := w.q.findRun
	q.int(group)
	known, err := q.step()
	if err != nil {
		return err
	}
	stdio, seq, call := q.stmt.ColumnBool(0), int64(-1), int64(0)
	if known && !q.stmt.ColumnIsNull(1) {
		seq, call = q.stmt.ColumnInt64(1), q.stmt.ColumnInt64(2)
	}
	if err := q.done(); err != nil {
		return err
	}
	was := stdio && seq >= 0
	oldSeq := seq
	if v.stdio && !stdio {
		stdio = true
		w.q.addRun.value(v.server)
		if err := w.q.addRun.exec(); err != nil {
			return err
		}
	}
	if v.noise != nil && (seq < 0 || v.noise.Seq < seq) {
		seq, call = v.noise.Seq, v.noise.CallID
	}
	s := w.q.putRun
	s.int(group)
	s.bool(stdio)
	s.optInt(seq)
	if seq < 0 {
		s.null()
	} else {
		s.int(call)
	}
	if err := s.exec(); err != nil {
		return err
	}
	if !stdio || seq < 0 || was && seq == oldSeq {
		return nil
	}
	if was {
		old, err := w.noiseFailure(group, oldSeq)
		if err != nil {
			return err
		}
		if err := w.drop(group, old, v.session); err != nil {
			return err
		}
	}
	return w.putNoise(group, v, seq, call)
}

func (w *issues) noiseFailure(group, seq int64) (*failure, error) {
	q := w.q.runFailure
	q.int(group)
	q.int(seq)
	if _, err := q.step(); err != nil {
		return nil, err
	}
	f := scanFailure(q)
	return &f, q.done()
}

func (w *issues) putNoise(group int64, v *run, seq, call int64) (err error) {
	f := failure{seq: seq, call: call, run: true}
	if f.issue, err = w.issue(issueKey{v.server, "", promotion.TemplateNoise}); err != nil {
		return err
	}
	w.q.callByID.int(call)
	if _, err := w.q.callByID.step(); err != nil {
		return err
	}
	f.event, f.ts = w.q.callByID.stmt.ColumnText(0), w.q.callByID.stmt.ColumnText(1)
	if err := w.q.callByID.done(); err != nil {
		return err
	}
	if err := w.keep(group, &f); err != nil {
		return err
	}
	w.count(&f, v.session, 1)
	return nil
}
