package report

import (
	"github.com/mcpeval/mcpeval/probes/reason"
)

// Error says where a document is not what a document may be. It is made of names
// of this package only.
type Error struct {
	Path    string // of the member, such as cases[2].reason; "" for the whole
	Problem string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return "report: " + e.Problem
	}
	return "report: " + e.Path + ": " + e.Problem
}

// Validate checks everything that the types do not. The error is an *Error.
func (d *Document) Validate() error {
	if e := d.problem(); e != nil {
		return e
	}
	return nil
}

func (d *Document) problem() *Error {
	switch {
	case d.Schema != Schema:
		return &Error{"schema", "is not " + Schema}
	case d.Generator.Name == (Label{}):
		return &Error{"generator.name", "is missing"}
	case d.Generator.Version == (Label{}):
		return &Error{"generator.version", "is missing"}
	case d.Server == (Label{}):
		return &Error{"server", "is missing"}
	case (d.Gate == nil) != (d.ManifestSHA256 == SHA256{}):
		return &Error{"manifest_sha256", "must be null exactly when gate is"}
	case d.Readiness != nil && d.ReadinessError != "":
		return &Error{"readiness_error", "must be null when readiness is not"}
	case !unmeasured(d.ReadinessError):
		return &Error{"readiness_error", "is no reason for readiness to be unmeasured"}
	}
	seen := make(map[CaseID]bool, len(d.Cases))
	for i := range d.Cases {
		at := "cases[" + decimal(int64(i)) + "]"
		if seen[d.Cases[i].ID] {
			return &Error{at + ".id", "is there twice"}
		}
		seen[d.Cases[i].ID] = true
		if e := d.Cases[i].problem(); e != nil {
			return &Error{at + "." + e.Path, e.Problem}
		}
	}
	if e := d.verdictProblem(); e != nil {
		return e
	}
	if d.Readiness != nil {
		return d.Readiness.problem()
	}
	return nil
}

func unmeasured(l reason.Label) bool {
	if l == "" {
		return true
	}
	r, _ := reason.Of(l)
	return r.Class == reason.Unmeasured || r.Class == reason.Fault || r.Class == reason.NotRun
}

// verdictProblem holds gate and verdict against the cases. Known failures may
// let a gate pass that has failed cases, and a stale one may fail a gate that has
// none; what could not be judged never passes.
func (d *Document) verdictProblem() *Error {
	if d.Gate == nil {
		if len(d.Cases) > 0 {
			return &Error{"gate", "is missing"}
		}
		if d.Passed != (d.Readiness != nil) {
			return &Error{"passed", "is not whether readiness was measured"}
		}
		return nil
	}
	if *d.Gate != Count(d.Cases) {
		return &Error{"gate", "does not count the cases"}
	}
	if d.Passed && faulted(d.Cases) {
		return &Error{"passed", "is true although cases could not be judged"}
	}
	return nil
}

func (c *Case) problem() *Error {
	r, known := reason.Of(c.Reason)
	switch {
	case c.ID == (CaseID{}):
		return &Error{"id", "is missing"}
	case !c.Probe.Known():
		return &Error{"probe", "is no kind of probe"}
	case c.Reason != "" && !known:
		return &Error{"reason", "is no reason of this version"}
	case known && !r.Gives(c.Probe):
		return &Error{"reason", "is not one that this kind of probe gives"}
	case c.Passed != verdictOf(r.Class):
		return &Error{"passed", "does not fit the reason"}
	case c.Attempts < 0:
		return &Error{"attempts", "is negative"}
	case c.Attempts > 0 && r.Class == reason.NotRun:
		return &Error{"attempts", "must be 0 for a case that was not run"}
	case c.FirstFailure != nil && (c.Passed != Fail || *c.FirstFailure < 1 || *c.FirstFailure > c.Attempts):
		return &Error{"first_failure", "is no attempt that failed"}
	case c.FirstFailure != nil && c.Reason == reason.LatencyBudgetExceeded:
		return &Error{"first_failure", "must be null where only time decided"}
	}
	if c.Detail != nil {
		if e := c.Detail.problem(); e != nil {
			return &Error{"detail." + e.Path, e.Problem}
		}
		if c.Passed != Fail {
			return &Error{"detail", "must be null unless the case failed"}
		}
	}
	for m, v := range c.Measurements {
		if !m.Known() {
			return &Error{"measurements", "has a name that no probe measures"}
		}
		if v.IsZero() || v.n < 0 {
			return &Error{"measurements." + string(m), "is neither a count nor a boolean"}
		}
	}
	return nil
}

// verdictOf is the verdict of a case with a reason of this class.
func verdictOf(c reason.Class) Verdict {
	switch c {
	case 0:
		return Pass
	case reason.Failure, reason.Fault:
		return Fail
	}
	return Unjudged
}

func (d *Detail) problem() *Error {
	_, flag := d.Observed.Bool()
	switch {
	case !d.Bound.Known():
		return &Error{"bound", "is no bound of a manifest"}
	case d.Limit.IsZero() || d.Limit.n < 0:
		return &Error{"limit", "is neither a count nor a boolean"}
	case d.Observed.IsZero() || d.Observed.n < 0:
		return &Error{"observed", "is neither a count nor a boolean"}
	case d.Bound.Time() && !flag:
		return &Error{"observed", "must be a boolean for a bound on time"}
	}
	return nil
}

func (r *Readiness) problem() *Error {
	if r.Standard == (Standard{}) {
		return &Error{"readiness.standard", "is missing"}
	}
	for _, s := range []Score{r.Total, r.Areas.Protocol, r.Areas.Catalog, r.Areas.Context, r.Areas.Reliability, r.Areas.ErrorHonesty, r.Areas.Coverage} {
		if s < 0 || s > maxScore {
			return &Error{"readiness", "has a score outside 0 to 100"}
		}
	}
	for i, c := range r.LostChecks {
		at := "readiness.lost_checks[" + decimal(int64(i)) + "]."
		switch {
		case !c.ID.Known():
			return &Error{at + "id", "is no check of the standard"}
		case c.Score < 0 || c.Score >= maxScore:
			return &Error{at + "score", "is outside 0 to 100, or lost nothing"}
		case c.Reason != "" && !c.Reason.Known():
			return &Error{at + "reason", "is no reason of this version"}
		}
	}
	return nil
}
