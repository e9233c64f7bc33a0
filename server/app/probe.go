package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
)

// ProbeOptions are one run of a manifest's cases.
type ProbeOptions struct {
	Server  string // the label
	Version string // of mcpeval
	Target  client.Target

	// Manifest is the text of the manifest's file.
	Manifest []byte
	// Kinds selects cases by their kind; empty is all.
	Kinds []string
	// Known is the text of a known-failures file; empty is none.
	Known []byte
	// AllowMutation is the caller's gate of mutating cases; the sandboxes of the
	// manifest are the other.
	AllowMutation bool
	// AllowEmpty lets a run pass in which no case was judged.
	AllowEmpty bool

	// Standard also runs the standard battery, after the cases; nil does not. It
	// does not run for a selection of Kinds.
	Standard *StandardOptions

	// Protocol is client.Auto or a revision; empty is Auto.
	Protocol string
	// StartupTimeout is that of client.Options.
	StartupTimeout time.Duration
	Clock          client.Clock // nil is the system's

	Record *Recording
	// Progress, when set, is told after each case.
	Progress func(done, total int)
}

// Probed is a run and the manifest it was of.
type Probed struct {
	*battery.Result
	// Standard is the result of the standard battery, nil when it was not asked
	// for or could not begin.
	Standard *standard.Result
	// Lines are where cases begin in the manifest.
	Lines map[report.CaseID]int
}

// plan is what a run needs and is checked before its server starts.
type plan struct {
	manifest *manifest.Manifest
	cases    []manifest.Case
	rules    report.Rules
	server   report.Label
	version  report.Label
	standard *standard.Config // nil runs none
}

// Probe runs the cases of a manifest, as one capture, and then the standard
// battery where it was asked for. Its errors are an
// *InputError, before anything was called; a *client.Fault when the budget ended
// during the start; or the context's cause.
func Probe(ctx context.Context, o *ProbeOptions) (*Probed, error) {
	p, err := o.plan()
	if err != nil {
		return nil, err
	}
	return o.run(ctx, p)
}

func (o *ProbeOptions) plan() (*plan, error) {
	p := &plan{rules: report.Rules{AllowEmpty: o.AllowEmpty}}
	var err error
	if p.server, err = report.NewLabel(o.Server); err != nil {
		return nil, &InputError{Err: errServer}
	}
	if p.version, err = report.NewLabel(o.Version); err != nil {
		return nil, &InputError{Err: fmt.Errorf("version: %w", err)}
	}
	if p.manifest, err = manifest.Parse(o.Manifest); err != nil {
		return nil, &InputError{Err: manifestError(err), Next: "mcpeval schema manifest prints what a manifest may hold"}
	}
	if p.cases, err = p.manifest.Select(o.Kinds); err != nil {
		return nil, &InputError{Err: fmt.Errorf("select cases: %w", err), Next: "mcpeval schema manifest names the kinds of probes"}
	}
	if p.rules.Known, err = report.ParseKnown(o.Known); err != nil {
		return nil, &InputError{Err: knownError(err)}
	}
	if refused := p.manifest.Refusals(p.cases, o.AllowMutation); len(refused) > 0 {
		return nil, gateError(&battery.GateError{Refused: refused})
	}
	if o.Standard != nil && len(o.Kinds) == 0 {
		if p.standard, err = o.Standard.config(p.version); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// manifestError adds the line.
func manifestError(err error) error {
	if e, ok := errors.AsType[*manifest.Error](err); ok && e.Line > 0 {
		return fmt.Errorf("%w (line %d)", err, e.Line)
	}
	return err
}

// knownError says what a known-failures file has where.
func knownError(err error) error {
	if e, ok := errors.AsType[*report.Error](err); ok {
		return fmt.Errorf("%s: %s", e.Path, e.Problem)
	}
	return err
}

func gateError(err error) error {
	return &InputError{Err: err, Next: "give each mutating case a sandbox that the manifest declares, and pass --allow-mutation"}
}

func (o *ProbeOptions) run(ctx context.Context, p *plan) (*Probed, error) {
	clock := o.Clock
	if clock == nil {
		clock = client.SystemClock{}
	}
	budget := client.NewBudget(clock)
	result, err := o.gate(ctx, p, clock, budget)
	if err != nil {
		if _, ok := errors.AsType[*battery.GateError](err); ok {
			return nil, gateError(err)
		}
		if _, ok := errors.AsType[*battery.AccessError](err); ok {
			return nil, &InputError{Err: err, Next: "set access to mutating and name a sandbox in these cases, and pass --allow-mutation"}
		}
		return nil, standardError(err)
	}
	lines := make(map[report.CaseID]int)
	for _, c := range p.manifest.Cases {
		if id, err := report.NewCaseID(c.Base().ID); err == nil {
			lines[id] = c.Base().Line
		}
	}
	probed := &Probed{Result: result, Lines: lines}
	if p.standard != nil {
		if err := o.standard(ctx, p, clock, budget, probed); err != nil {
			return nil, err
		}
	}
	return probed, nil
}

// gate runs the cases, as one capture.
func (o *ProbeOptions) gate(ctx context.Context, p *plan, clock client.Clock, budget *client.Budget) (*battery.Result, error) {
	capture, end, err := o.Record.start(journal.RecorderProbe, o.Server, o.Version)
	if err != nil {
		return nil, err
	}
	defer end()
	done := 0
	c := &battery.Config{
		Target: o.Target, Manifest: p.manifest, Cases: p.cases, AllowMutation: o.AllowMutation,
		Server: p.server, Version: p.version, Rules: p.rules,
		Protocol: o.Protocol, StartupTimeout: o.StartupTimeout, Clock: clock, Budget: budget,
		Journal: &watcher{capture: capture, over: func() {
			done++
			if o.Progress != nil {
				o.Progress(done, len(p.cases))
			}
		}},
	}
	if p.standard != nil {
		// What is wrong with the battery's options is told before anything is called.
		c.Listed = func(catalog *battery.Catalog) error { return p.standard.Check(catalog.Entries) }
	}
	return battery.Run(ctx, c)
}

// standard runs the standard battery with what is left of the budget, on
// connections of its own.
func (o *ProbeOptions) standard(ctx context.Context, p *plan, clock client.Clock, budget *client.Budget, probed *Probed) error {
	d := probed.Document
	switch {
	case probed.Start != nil:
		d.ReadinessError = reason.ServerNotStarted
		return nil
	case budget.Exhausted():
		d.ReadinessError = reason.EvaluationBudgetExceeded
		return nil
	case probed.Discovery != nil:
		d.ReadinessError = reason.DiscoveryIncomplete
		return nil
	}
	c := *p.standard
	c.Target, c.StartupTimeout, c.Clock, c.Budget, c.Progress = o.Target, o.StartupTimeout, clock, budget, o.Progress
	c.Protocol = probed.Revision
	result, err := standard.Run(ctx, &c)
	if f, ok := errors.AsType[*client.Fault](err); ok && f.Kind == client.BudgetExceeded {
		d.ReadinessError = reason.EvaluationBudgetExceeded
		return nil
	}
	if err != nil {
		return standardError(err)
	}
	d.Readiness, d.ReadinessError = result.Readiness, result.Problem
	probed.Standard = result
	probed.Context.Unbuilt = result.Context.Unbuilt
	probed.Context.Portability = result.Context.Portability
	probed.Context.CatalogTokens = result.Context.CatalogTokens
	o.Record.readiness(journal.RecorderProbe, o.Server, o.Version, result.Readiness)
	return nil
}

// CompareTarget is one of the servers of a comparison.
type CompareTarget struct {
	Server string
	Target client.Target
}

// Compare runs one manifest on several targets, one after the other, each with a
// budget and a capture of its own. Server and Target of o are not used, nor is
// Known. Its errors are those of Probe; all targets are checked before the first
// one starts.
func Compare(ctx context.Context, o *ProbeOptions, targets []CompareTarget) (*report.Comparison, []*Probed, error) {
	var plans []*plan
	runs := make([]ProbeOptions, len(targets))
	for i, t := range targets {
		runs[i] = *o
		runs[i].Server, runs[i].Target, runs[i].Known = t.Server, t.Target, nil
		if o.Progress != nil {
			runs[i].Progress = func(done, total int) { o.Progress(i*total+done, len(targets)*total) }
		}
		p, err := runs[i].plan()
		if err != nil {
			return nil, nil, err
		}
		plans = append(plans, p)
	}
	var (
		all  []*Probed
		docs []*report.Document
	)
	for i := range runs {
		probed, err := runs[i].run(ctx, plans[i])
		if err != nil {
			return nil, nil, targetError(targets[i].Server, err)
		}
		all, docs = append(all, probed), append(docs, probed.Document)
	}
	comparison, err := report.SideBySide(docs[0].Generator, docs)
	return comparison, all, err
}

// targetError says which target an error is about.
func targetError(server string, err error) error {
	if e, ok := errors.AsType[*InputError](err); ok {
		return &InputError{Err: fmt.Errorf("target %s: %w", server, e.Err), Next: e.Next}
	}
	return fmt.Errorf("target %s: %w", server, err)
}
