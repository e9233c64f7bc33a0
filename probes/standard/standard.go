package standard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/portability"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// Version is the version of the standard. Another check, weight, curve or rule is
// another version: scores of different ones are not compared.
const Version = 3

// Rules of the calls.
const (
	callTimeout  = 15 * time.Second
	callsPerTool = 3
	payloadBytes = 1_000_000
)

// Config is one run. Target and Version must be given.
type Config struct {
	Target  client.Target
	Version report.Label // of mcpeval

	// ConfirmReadOnly attests that the tools without annotations only read.
	ConfirmReadOnly bool
	// Arguments are what tools are called with in place of what is built.
	Arguments *synth.File
	// Skip are tools that are not called.
	Skip []string

	// Protocol is client.Auto or a revision. Empty means Auto.
	Protocol string
	// StartupTimeout and Grace are those of client.Options.
	StartupTimeout time.Duration
	Grace          time.Duration
	// CallTimeout bounds one call. Default 15 s; a score of another one is not
	// that of the standard.
	CallTimeout time.Duration
	// Budget may be shared with what ran before; nil is one of its own.
	Budget *client.Budget
	Clock  client.Clock // nil is the system's

	// Progress, when set, is told after each tool.
	Progress func(done, total int)
}

// Result is what became of a run.
type Result struct {
	// Readiness is nil when it could not be measured; Problem then says why.
	Readiness *report.Readiness
	Problem   reason.Label

	// Context is what text and Markdown may say beside the score.
	Context report.Context

	// Start is why the server did not start, nil when it did.
	Start *client.Fault
	// Discovery is why the catalog is not known, nil when it is.
	Discovery *client.PageError
}

// Run runs the battery. Its errors mean that there is no result, before any tool
// was called: *synth.FileError and *SkipError; a *client.Fault when the budget
// ended during the start; or the context's cause.
func Run(ctx context.Context, c *Config) (*Result, error) {
	r := &run{Config: *c, stop: ctx.Done(), watch: portability.New(c.Target)}
	if r.Clock == nil {
		r.Clock = client.SystemClock{}
	}
	if r.Budget == nil {
		r.Budget = client.NewBudget(r.Clock)
	}
	if r.CallTimeout <= 0 {
		r.CallTimeout = callTimeout
	}
	if r.Protocol == "" {
		r.Protocol = client.Auto
	}
	defer r.hangUp()
	result, err := r.measure(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return nil, fmt.Errorf("run standard battery: %w", cause)
	}
	return result, err
}

// measure is Run without what surrounds it.
func (r *run) measure(ctx context.Context) (*Result, error) {
	err := r.dial(ctx)
	if f, ok := errors.AsType[*client.Fault](err); ok && f.Kind == client.ServerNotStarted {
		return &Result{Problem: reason.ServerNotStarted, Start: f, Context: report.Context{Portability: r.watch.Remarks()}}, nil
	}
	if err != nil {
		return nil, err
	}
	facts := r.conn.Facts()
	r.revision, r.Protocol = facts.Revision, facts.Revision
	entries, err := r.discover(ctx)
	if e, ok := errors.AsType[*client.PageError](err); ok {
		result := r.unmeasured(reason.DiscoveryIncomplete)
		if client.KindOf(e) == client.BudgetExceeded {
			result.Problem = reason.EvaluationBudgetExceeded
		}
		result.Discovery = e
		return result, nil
	}
	if err != nil {
		return nil, err
	}
	catalog := battery.NewCatalog(entries)
	r.tools = toolsOf(entries)
	if err := r.admit(); err != nil {
		return nil, err
	}
	checks := &scores{}
	err = r.judge(ctx, &catalog, checks)
	if errors.Is(err, errExhausted) {
		return r.unmeasured(reason.EvaluationBudgetExceeded), nil
	}
	if err != nil {
		return nil, err
	}
	result := r.unmeasured("")
	result.Readiness = checks.readiness()
	result.Context.CatalogTokens = int64(catalog.Tokens)
	return result, nil
}

// judge runs all checks. What may hurt the server comes last.
func (r *run) judge(ctx context.Context, catalog *battery.Catalog, s *scores) error {
	s.catalog(catalog.Entries)
	s.context(catalog)
	if err := r.protocol(ctx, catalog, s); err != nil {
		return err
	}
	if err := r.prepare(); err != nil {
		return err
	}
	for i, t := range r.tools {
		if err := r.exercise(ctx, t); err != nil {
			return err
		}
		r.progress(i + 1)
	}
	for i, t := range r.tools {
		if err := r.provoke(ctx, t); err != nil {
			return err
		}
		r.progress(len(r.tools) + i + 1)
	}
	r.hangUp()
	if err := r.cases(ctx, s); err != nil {
		return err
	}
	s.behaviour(r.tools)
	return nil
}

func (r *run) progress(done int) {
	if r.Progress != nil {
		r.Progress(done, 2*len(r.tools))
	}
}

func (r *run) unmeasured(why reason.Label) *Result {
	r.hangUp()
	result := &Result{Problem: why}
	result.Context = report.Context{Protocol: report.RevisionOf(r.revision), Notes: r.notes.list(), Portability: r.watch.Remarks()}
	for _, t := range r.tools {
		if t.why == reason.ArgumentsUnbuildable {
			result.Context.Unbuilt = append(result.Context.Unbuilt, report.Unbuilt{Tool: t.shown, Keyword: t.keyword})
		}
	}
	return result
}
