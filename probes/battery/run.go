package battery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// Config is one run. Target, Manifest, Server and Version must be given.
type Config struct {
	Target   client.Target
	Manifest *manifest.Manifest
	// Cases are those of the manifest that are run, in its order; nil is all. See
	// Manifest.Select and Manifest.Find.
	Cases []manifest.Case
	// AllowMutation opens the second gate of mutating cases.
	AllowMutation bool

	Server  report.Label
	Version report.Label // of mcpeval
	Rules   report.Rules // Declared is filled in

	// Protocol is client.Auto or a revision. Empty means Auto.
	Protocol string
	// StartupTimeout and Grace are those of client.Options.
	StartupTimeout time.Duration
	Grace          time.Duration
	// Budget may be shared with what runs before and after; nil is one of its own.
	Budget *client.Budget
	Clock  client.Clock // nil is the system's

	// Listed, when set, sees the catalog before any case is run, unless it could
	// not be read. Its error ends the run.
	Listed func(*Catalog) error

	// Journal takes every frame of the run; nil takes none. The caller ends it.
	Journal Journal
}

// Result is what became of a run. Its texts are fixed labels and names of closed
// grammars.
type Result struct {
	Document *report.Document
	Outcome  report.Outcome
	// Context is what text and Markdown may say beside the document.
	Context report.Context

	// Start is why the server did not start, nil when it did. All cases are then
	// not run.
	Start *client.Fault
	// Discovery is why the catalog is not known, nil when it is.
	Discovery *client.PageError
	// Revision is the protocol revision in use, as it may be passed to
	// client.Options.Protocol for further connections; "" when none was agreed on.
	Revision string
}

// Run runs the cases. Its errors mean that there is no result: *GateError,
// *AccessError, that of Listed, a *client.Fault when the budget ended during the
// start, or the context's cause.
func Run(ctx context.Context, c *Config) (*Result, error) {
	cases := c.Cases
	if cases == nil {
		cases = c.Manifest.Cases
	}
	if refused := c.Manifest.Refusals(cases, c.AllowMutation); len(refused) > 0 {
		return nil, &GateError{Refused: refused}
	}
	r := &run{Config: *c, protocol: c.Protocol, stop: ctx.Done()}
	if r.Clock == nil {
		r.Clock = client.SystemClock{}
	}
	if r.Budget == nil {
		r.Budget = client.NewBudget(r.Clock)
	}
	defer r.dropShared()

	result := &Result{}
	err := r.start(ctx)
	if f, ok := errors.AsType[*client.Fault](err); ok && f.Kind == client.ServerNotStarted && ctx.Err() == nil {
		result.Start = f
	} else if err != nil {
		return nil, stopped(ctx, err)
	}
	if result.Start == nil {
		if result.Discovery, err = r.discover(ctx); err != nil {
			return nil, stopped(ctx, err)
		}
		if err := r.checkAccess(cases); err != nil {
			return nil, err
		}
		if r.Listed != nil && result.Discovery == nil {
			if err := r.Listed(&r.catalog); err != nil {
				return nil, err
			}
		}
	}
	var list []report.Case
	for _, one := range cases {
		switch {
		case result.Start != nil:
			list = append(list, unrun(one, reason.ServerNotStarted))
		case r.Budget.Exhausted():
			list = append(list, unrun(one, reason.EvaluationBudgetExceeded))
		case result.Discovery != nil && one.Base().Probe != manifest.KindPagination:
			list = append(list, unrun(one, reason.TransportError))
		default:
			list = append(list, r.runCase(ctx, one))
		}
		if ctx.Err() != nil {
			return nil, stopped(ctx, nil)
		}
		if r.Journal != nil {
			r.Journal.Idle(r.Clock.Now())
		}
	}
	r.dropShared()

	rules := c.Rules
	rules.Declared = nil
	for _, one := range c.Manifest.Cases {
		rules.Declared = append(rules.Declared, caseID(one))
	}
	sum, err := digestOf(c.Manifest)
	if err != nil {
		return nil, err
	}
	result.Document, result.Outcome = report.New(c.Version, c.Server, sum, list, rules)
	result.Revision = r.revision
	result.Context = report.Context{Protocol: report.RevisionOf(r.revision), Notes: r.notes.list(result)}
	return result, nil
}

// stopped is the error of a run that came to no result.
func stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("run cases: %w", cause)
	}
	return err
}

// digestOf is the digest of a manifest's file; one that comes from no file has
// that of the file it would be.
func digestOf(m *manifest.Manifest) (report.SHA256, error) {
	if m.SHA256 != "" {
		return report.ParseSHA256(m.SHA256)
	}
	data, err := m.Encode()
	if err != nil {
		return report.SHA256{}, err
	}
	return report.SHA256Of(data), nil
}

// run is a run in progress. Cases run one at a time, so that nothing needs a
// lock.
type run struct {
	Config
	protocol string          // for the next connection
	stop     <-chan struct{} // closed when the run is stopped
	revision string
	shared   *client.Conn            // nil when the next case has to connect
	open     map[*client.Conn]uint64 // the channel of each connection
	channels uint64                  // connections so far
	mute     bool                    // the server does not answer when asked for a sign of life
	catalog  Catalog
	notes    notes
}

// start makes the first connection and settles the revision for all others.
func (r *run) start(ctx context.Context) error {
	conn, err := r.dial(ctx, nil)
	if err != nil {
		return err
	}
	r.shared = conn
	r.revision = conn.Facts().Revision
	r.protocol = r.revision
	return nil
}

// discover reads the catalog. A listing that cannot be read to its end is no
// error of the run, nor is the end of the budget: both show in the cases.
func (r *run) discover(ctx context.Context) (*client.PageError, error) {
	entries, _, err := r.shared.ListTools(ctx)
	e, ok := errors.AsType[*client.PageError](err)
	if err != nil && !ok {
		return nil, err
	}
	if e != nil && !noTools(r.shared, e) {
		if e.Fault != nil {
			r.notes.fault(e.Fault)
			r.dropShared()
		}
		return e, nil
	}
	r.catalog = NewCatalog(entries)
	return nil, nil
}

// noTools reports whether a listing was refused by a server that does not say it
// has tools.
func noTools(conn *client.Conn, e *client.PageError) bool {
	facts := conn.Facts()
	return e.Problem == client.PageRefused && e.Page == 1 && e.RPC.Code == codeMethodNotFound && !facts.Declares("tools")
}

const codeMethodNotFound = -32601
