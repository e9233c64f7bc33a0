package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
	"github.com/mcpeval/mcpeval/probes/synth"
	"github.com/mcpeval/mcpeval/recorder"
)

// StandardOptions are what the operator says about the tools of the standard
// battery. The zero value is legal.
type StandardOptions struct {
	// ConfirmReadOnly attests that tools without annotations only read.
	ConfirmReadOnly bool
	// Arguments is the text of an arguments file; nil is none.
	Arguments []byte
	// Skip are tools that are not called.
	Skip []string
}

// ScoreOptions are one run of the standard battery.
type ScoreOptions struct {
	Server  string // the label
	Version string // of mcpeval
	Target  client.Target

	StandardOptions

	// Protocol is client.Auto or a revision; empty is Auto.
	Protocol string
	// StartupTimeout is that of client.Options.
	StartupTimeout time.Duration
	Clock          client.Clock // nil is the system's

	Record *Recording
	// Progress, when set, is told after each step.
	Progress func(done, total int)
}

// Scored is a score, or why there is none.
type Scored struct {
	*standard.Result
	Document *report.Document
}

// Measured reports whether there is a score.
func (s *Scored) Measured() bool { return s.Readiness != nil }

// Score runs the standard battery and journals its result, in a capture of its
// own. Its errors are an *InputError, before any tool was called; a *client.Fault
// when the budget ended during the start; or the context's cause. A server that
// could not be measured is no error: see Scored.
func Score(ctx context.Context, o *ScoreOptions) (*Scored, error) {
	server, err := report.NewLabel(o.Server)
	if err != nil {
		return nil, &InputError{Err: errServer}
	}
	version, err := report.NewLabel(o.Version)
	if err != nil {
		return nil, &InputError{Err: fmt.Errorf("version: %w", err)}
	}
	c, err := o.config(version)
	if err != nil {
		return nil, err
	}
	c.Target, c.Protocol, c.StartupTimeout, c.Clock, c.Progress = o.Target, o.Protocol, o.StartupTimeout, o.Clock, o.Progress
	result, err := standard.Run(ctx, c)
	if err != nil {
		return nil, standardError(err)
	}
	o.Record.readiness(journal.RecorderScore, o.Server, o.Version, result.Readiness)
	return &Scored{Result: result, Document: report.NewScore(version, server, result.Readiness, result.Problem)}, nil
}

// config makes the battery's own options. Its error is an *InputError.
func (o *StandardOptions) config(version report.Label) (*standard.Config, error) {
	c := &standard.Config{Version: version, ConfirmReadOnly: o.ConfirmReadOnly, Skip: o.Skip}
	if o.Arguments != nil {
		var err error
		if c.Arguments, err = synth.ParseFile(o.Arguments); err != nil {
			return nil, &InputError{Err: err}
		}
	}
	return c, nil
}

// standardError makes what the battery refuses an *InputError.
func standardError(err error) error {
	if _, ok := errors.AsType[*synth.FileError](err); ok {
		return &InputError{Err: err, Next: "mcpeval init --dry-run lists the tools and what may be called"}
	}
	if _, ok := errors.AsType[*standard.SkipError](err); ok {
		return &InputError{Err: err, Next: "mcpeval init --dry-run lists the tools"}
	}
	return err
}

// readiness journals a score, in a capture of its own. Without a score there is
// nothing to journal.
func (r *Recording) readiness(by journal.RecorderKind, server, version string, measured *report.Readiness) {
	if r == nil || measured == nil {
		return
	}
	label, ok := sanitize.ParseLabel([]byte(server))
	stamp, ok2 := sanitize.ParseLabel([]byte(version))
	name, ok3 := sanitize.ParseStandard([]byte(measured.Standard.String()))
	if !ok || !ok2 || !ok3 {
		return // both were checked before, and the standard is ours
	}
	now := r.Now
	if now == nil {
		now = time.Now
	}
	capture := recorder.NewCapture(&recorder.CaptureOptions{
		Open: r.Open, Report: r.Report, Session: r.Session, Server: label, Version: stamp,
		Recorder: by, Kind: journal.Synthetic, Now: now,
	})
	a := measured.Areas
	capture.Add(now(), &journal.Readiness{
		Standard: name, Total: int64(measured.Total), Protocol: int64(a.Protocol), Catalog: int64(a.Catalog), Context: int64(a.Context),
		Reliability: int64(a.Reliability), ErrorHonesty: int64(a.ErrorHonesty), Coverage: int64(a.Coverage),
	})
	capture.End(now(), recorder.NoExit)
}
