package scaffold

import (
	"context"
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// MaxCalls is how many candidates are called.
const MaxCalls = 20

// Options are one scaffold. Target and Version must be given.
type Options struct {
	Target  client.Target
	Version string // of mcpeval

	// DryRun ends after the decisions: no tool is called.
	DryRun bool
	// ConfirmReadOnly is the operator's attestation that tools without readOnlyHint
	// are read-only.
	ConfirmReadOnly bool
	// Arguments are what the operator wants tools to be called with; nil for none.
	Arguments *synth.File
	// Tools restricts the candidates; empty means all.
	Tools []string

	// Protocol is client.Auto or a revision. Empty means Auto.
	Protocol string
	// StartupTimeout, Timeout and Grace are those of client.Options.
	StartupTimeout time.Duration
	Timeout        time.Duration
	Grace          time.Duration
	Budget         *client.Budget // default: one of its own
	Clock          client.Clock   // default: the system's

	// BeforeCalls, when set, is called once, when everything is checked and the first
	// tool is about to be called.
	BeforeCalls func()
	// Progress, when set, is told before each call.
	Progress func(done, total int)
}

// Result is what a scaffold found.
type Result struct {
	// Manifest is nil after a dry run.
	Manifest *manifest.Manifest
	// Tools are in catalog order.
	Tools []*Tool
	// Unnamed counts entries without a name that a manifest may hold.
	Unnamed int
	// Pages is how many pages the catalog has.
	Pages int
	// Clamped says that the catalog is larger than a budget may be.
	Clamped bool
	// Revision is the protocol revision that was used.
	Revision string
}

// Run makes the manifest. Its errors mean that there is none: a *client.Fault or
// a *client.PageError when the server or its catalog is not to be had, a
// *NameError or a *synth.FileError when a name the operator gave is wrong, or the
// context's cause.
func Run(ctx context.Context, o *Options) (*Result, error) {
	r := &run{o: *o, stop: ctx.Done()}
	if r.o.Clock == nil {
		r.o.Clock = client.SystemClock{}
	}
	if r.o.Budget == nil {
		r.o.Budget = client.NewBudget(r.o.Clock)
	}
	defer r.hangUp()
	result, err := r.scaffold(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	return result, err
}

// run is a scaffold in progress.
type run struct {
	o       Options
	stop    <-chan struct{} // closed when the run is stopped
	conn    *client.Conn    // nil when the next call has to connect
	changed chan struct{}   // holds an item when the server announced another catalog
	catalog battery.Catalog
}

func (r *run) scaffold(ctx context.Context) (*Result, error) {
	r.changed = make(chan struct{}, 1)
	if err := r.dial(ctx); err != nil {
		return nil, err
	}
	facts := r.conn.Facts()
	pages, err := r.discover(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{Pages: pages, Revision: facts.Revision}
	if result.Tools, result.Unnamed, err = r.toolsOf(r.catalog.Entries); err != nil {
		return nil, err
	}
	if err := r.checkNames(result.Tools); err != nil {
		return nil, err
	}
	if r.o.DryRun {
		return result, nil
	}
	again, pages, err := r.settle(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		result.Pages = pages
		if result.Tools, result.Unnamed, err = r.toolsOf(r.catalog.Entries); err != nil {
			return nil, err
		}
		if err := r.checkNames(result.Tools); err != nil {
			return nil, err
		}
	}
	w := newWriter()
	result.Clamped = w.serverCases(&r.catalog, &facts)
	if err := r.callAll(ctx, result.Tools, w); err != nil {
		return nil, err
	}
	result.Manifest, err = w.manifest()
	return result, err
}

// dial makes the next connection.
func (r *run) dial(ctx context.Context) error {
	o := &client.Options{
		Protocol: r.o.Protocol, StartupTimeout: r.o.StartupTimeout, Timeout: r.o.Timeout, Grace: r.o.Grace,
		Budget: r.o.Budget, Clock: r.o.Clock, Version: r.o.Version,
		OnNotification: r.notified, Stop: r.stop,
	}
	conn, err := client.Dial(ctx, r.o.Target, o)
	if err != nil {
		return err
	}
	conn.Learn(r.catalog.Entries)
	r.conn = conn
	r.o.Protocol = conn.Facts().Revision
	return nil
}

func (r *run) hangUp() {
	if r.conn != nil {
		r.conn.Close()
		r.conn = nil
	}
}

// noMethod is the error code of a method that the server does not have.
const noMethod = -32601

// discover reads the catalog. A server that neither declares tools nor knows the
// method has an empty one.
func (r *run) discover(ctx context.Context) (pages int, err error) {
	entries, pages, err := r.conn.ListTools(ctx)
	if err != nil {
		e, ok := errors.AsType[*client.PageError](err)
		facts := r.conn.Facts()
		if !ok || e.Problem != client.PageRefused || e.Page != 1 || e.RPC.Code != noMethod || facts.Declares("tools") {
			return 0, err
		}
	}
	r.catalog = measure(entries)
	return pages, nil
}
