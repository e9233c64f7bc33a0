package guidance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// Profile names what a client declares.
type Profile string

// The profiles.
const (
	None        Profile = "none"
	Roots       Profile = "roots"
	Sampling    Profile = "sampling"
	Elicitation Profile = "elicitation"
	All         Profile = "all"
)

// Profiles are all of them, in their order.
func Profiles() []Profile { return []Profile{None, Roots, Sampling, Elicitation, All} }

// declare sets what a client of the profile answers; the client declares exactly
// that.
func (p Profile) declare(o *client.Options) {
	decline := func(rawjson.Value) []byte { return nil }
	if p == Roots || p == All {
		o.Roots = func(rawjson.Value) []byte { return []byte(`{"roots":[]}`) }
	}
	if p == Sampling || p == All {
		o.Sampling = decline
	}
	if p == Elicitation || p == All {
		o.Elicitation = decline
	}
}

// RequirementError is a required tool whose name no tool can have.
type RequirementError struct{ Index int }

func (e *RequirementError) Error() string {
	return fmt.Sprintf("required tool %d: a tool's name is 1 to 128 of A-Z a-z 0-9 _ . : / -", e.Index+1)
}

// Config is one run. Target, Server and Version must be given.
type Config struct {
	Target  client.Target
	Server  report.Label
	Version report.Label // of mcpeval
	// Require are the tools that every profile must list.
	Require []string

	// Protocol is client.Auto or a revision. Empty means Auto.
	Protocol string
	// StartupTimeout and Grace are those of client.Options.
	StartupTimeout time.Duration
	Grace          time.Duration
	Clock          client.Clock // nil is the system's

	// Progress, when set, is told after each profile.
	Progress func(done, total int)
}

// Run connects once for each profile, one after the other. Its errors are a
// *RequirementError before anything was started, or the context's cause. When the
// server could be reached under no profile, the error is the first one's *client.Fault
// or *client.PageError.
func Run(ctx context.Context, c *Config) (*Report, error) {
	required := make([]Requirement, 0, len(c.Require))
	for i, name := range c.Require {
		tool := report.ToolOf(name)
		if name == "" || tool.String() != name {
			return nil, &RequirementError{i}
		}
		if !slices.ContainsFunc(required, func(r Requirement) bool { return r.Tool == tool }) {
			required = append(required, Requirement{Tool: tool, Missing: []Profile{}})
		}
	}
	var (
		views []view
		first error
	)
	protocol := c.Protocol
	for i, p := range Profiles() {
		v := c.look(ctx, p, protocol)
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("compare profiles: %w", cause)
		}
		if v.err == nil {
			protocol = v.revision // every profile is spoken to alike
		} else if first == nil {
			first = v.err
		}
		views = append(views, v)
		if c.Progress != nil {
			c.Progress(i+1, len(Profiles()))
		}
	}
	if !slices.ContainsFunc(views, func(v view) bool { return v.err == nil }) {
		return nil, first
	}
	generator, _ := report.NewLabel(report.GeneratorName) // it is one
	r := &Report{
		Schema: Schema, Generator: report.Generator{Name: generator, Version: c.Version}, Server: c.Server,
		Candidates: []Candidate{}, Required: required,
	}
	r.fill(views)
	return r, nil
}

// view is what one profile sees. Its texts are traffic.
type view struct {
	profile      Profile
	revision     string
	instructions string
	tools        map[string]bool
	err          error
}

func (v *view) label() reason.Label {
	if v.err == nil {
		return ""
	}
	if client.KindOf(v.err) == client.BudgetExceeded {
		return reason.EvaluationBudgetExceeded
	}
	if _, ok := errors.AsType[*client.PageError](v.err); ok {
		return reason.DiscoveryIncomplete
	}
	return reason.ServerNotStarted
}

// fill compares the views with each other.
func (r *Report) fill(views []view) {
	listedBy := make(map[string][]Profile)
	for _, v := range views {
		for name := range v.tools {
			listedBy[name] = append(listedBy[name], v.profile)
		}
	}
	missing := false
	for _, v := range views {
		s := Seen{Profile: v.profile, Error: v.label()}
		if v.err == nil {
			s.Instructions, s.Tools = v.instructions != "", len(v.tools)
			found := make(map[report.Tool]bool)
			for _, name := range mentions(v.instructions) {
				by := listedBy[name]
				if len(by) == 0 {
					continue
				}
				s.Named++
				// Names outside the grammar are all shown as one.
				if tool := report.ToolOf(name); !v.tools[name] && !found[tool] {
					found[tool] = true
					r.Candidates = append(r.Candidates, Candidate{v.profile, tool, by})
				}
			}
			for i := range r.Required {
				if q := &r.Required[i]; !v.tools[q.Tool.String()] {
					q.Missing = append(q.Missing, v.profile)
					missing = true
				}
			}
		}
		r.Profiles = append(r.Profiles, s)
	}
	order := Profiles()
	slices.SortStableFunc(r.Candidates, func(a, b Candidate) int {
		if d := slices.Index(order, a.Profile) - slices.Index(order, b.Profile); d != 0 {
			return d
		}
		return strings.Compare(a.Tool.String(), b.Tool.String())
	})
	if len(r.Required) > 0 && (missing || !r.Incomplete()) {
		passed := !missing
		r.Passed = &passed
	}
}
