package report

import (
	"strings"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Options say how a document is shown. The zero value, and nil, are legal.
type Options struct {
	Context Context

	// Outcome is the gate's verdict under the rules of the invocation; nil for a
	// document that is shown again later, when those rules are not known.
	Outcome *Outcome

	// Brief leaves the hints out of text.
	Brief bool

	// Color adds terminal colours to text.
	Color bool

	// Manifest is the manifest's path relative to the repository, for SARIF. Of an
	// absolute path, or one that leads out of the folder, only the last element is
	// used. Default mcp-eval.manifest.json.
	Manifest string

	// Lines are where cases begin in the manifest, from 1; SARIF puts others at
	// line 1.
	Lines map[CaseID]int
}

// view is a document that is ready to be shown.
type view struct {
	*Document
	Options
	excused map[CaseID]bool
	stale   []CaseID
}

func (d *Document) view(o *Options) (*view, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	v := &view{Document: d.hinted(), excused: map[CaseID]bool{}}
	if o != nil {
		v.Options = *o
	}
	if v.Outcome == nil && v.Passed {
		// A gate passes with failed cases only when all of them were expected.
		for i := range v.Cases {
			v.excused[v.Cases[i].ID] = v.Cases[i].Passed == Fail
		}
	}
	if v.Outcome != nil {
		v.stale = v.Outcome.Stale
		for _, id := range v.Outcome.Excused {
			v.excused[id] = true
		}
	}
	return v, nil
}

// meaning is what a reason says.
func meaning(l reason.Label) string {
	r, _ := reason.Of(l)
	return r.Meaning
}

// detail is a broken bound in words, or "".
func (c *Case) detail() string {
	if c.Detail == nil {
		return ""
	}
	s := string(c.Detail.Bound) + " " + c.Detail.Limit.String()
	if !c.Detail.Bound.Time() {
		return s + ", found " + c.Detail.Observed.String()
	}
	if ms, ok := c.Measurements[LatencyMS].Int(); ok {
		return s + ", took " + decimal(ms) + " ms"
	}
	return s
}

// attempt is which attempt failed, or "".
func (c *Case) attempt() string {
	if c.FirstFailure == nil || c.Attempts < 2 {
		return ""
	}
	return "attempt " + decimal(*c.FirstFailure) + " of " + decimal(c.Attempts)
}

// why is the reason with detail and attempt.
func (c *Case) why() string {
	s := string(c.Reason)
	if d := c.detail(); d != "" {
		s += ": " + d
	}
	if a := c.attempt(); a != "" {
		s += " (" + a + ")"
	}
	return s
}

// counts are the gate's counts in words.
func (v *view) counts() string {
	g := v.Gate
	failed := decimal(g.Failed) + " failed"
	if n := v.known(); n > 0 {
		failed += " (" + decimal(n) + " known)"
	}
	parts := []string{decimal(g.Passed) + " passed", failed}
	if g.NotApplicable > 0 {
		parts = append(parts, decimal(g.NotApplicable)+" not applicable")
	}
	if g.NotRun > 0 {
		parts = append(parts, decimal(g.NotRun)+" not run")
	}
	s := strings.Join(parts, ", ") + " of " + decimal(g.Total)
	if n := len(v.stale); n > 0 {
		s += "; " + decimal(int64(n)) + " stale in the known-failures file"
	}
	return s
}

// known is how many failures were expected.
func (v *view) known() (n int64) {
	for _, yes := range v.excused {
		if yes {
			n++
		}
	}
	return n
}

// staleness says why a known failure is stale.
func (v *view) staleness(id CaseID) string {
	for i := range v.Cases {
		if v.Cases[i].ID == id {
			return "but it passed"
		}
	}
	return "but the manifest has no such case"
}

// number is n with a noun in the right form.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return decimal(int64(n)) + " " + noun + "s"
}

// verdict is the gate's verdict in one word.
func (v *view) verdict() string {
	switch {
	case v.Passed:
		return "passed"
	case v.Gate == nil, faulted(v.Cases):
		return "incomplete"
	case v.Gate.Passed+v.Gate.Failed == 0:
		return "empty"
	}
	return "failed"
}

// areas are the areas' names and scores in their order.
func (r *Readiness) areas() []struct {
	Name  string
	Score Score
} {
	a := r.Areas
	return []struct {
		Name  string
		Score Score
	}{
		{"protocol", a.Protocol}, {"catalog", a.Catalog}, {"context", a.Context},
		{"reliability", a.Reliability}, {"error-honesty", a.ErrorHonesty}, {"coverage", a.Coverage},
	}
}

// dash is s, or a hyphen in the place of nothing.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
