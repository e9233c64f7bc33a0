package report

import (
	"slices"

	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// DiffSchema is the value of a diff's first member.
const DiffSchema = "mcpeval.probe-diff/v2"

// Change says what became of a case between two documents.
type Change string

// The changes.
const (
	// Regressed: the case fails now and did not fail before, or passed before and
	// is not run any more.
	Regressed Change = "regressed"
	// Fixed: the case failed before and passes now.
	Fixed Change = "fixed"
	// Changed: anything else about the case differs, latencies aside.
	Changed Change = "changed"
	// Unchanged: nothing differs but latencies.
	Unchanged Change = "unchanged"
	// Added: only the current document has the case.
	Added Change = "added"
	// Removed: only the base document has the case.
	Removed Change = "removed"
)

// Changes are all changes, the ones that matter most first.
func Changes() []Change {
	return []Change{Regressed, Fixed, Changed, Added, Removed, Unchanged}
}

// Diff compares two documents case by case.
type Diff struct {
	// Schema is the name and version of this form.
	Schema string `json:"schema"`
	// Generator is the program that made the diff.
	Generator Generator `json:"generator"`
	Base      Side      `json:"base"`
	Current   Side      `json:"current"`
	Summary   Summary   `json:"summary"`
	// Cases are those of the current document in its order, then the removed ones.
	Cases []DiffCase `json:"cases"`
}

// Side is one document of a comparison.
type Side struct {
	Server Label `json:"server"`
	// ManifestSHA256 is the digest of the manifest's bytes; null when there was no manifest.
	ManifestSHA256 SHA256 `json:"manifest_sha256" jsonschema:"nullable"`
	Passed         bool   `json:"passed"`
	// Gate counts the cases; null when no manifest was run.
	Gate *Gate `json:"gate" jsonschema:"nullable"`
	// Readiness is null when it was not measured.
	Readiness *Points `json:"readiness" jsonschema:"nullable"`
	// ReadinessError says why readiness could not be measured.
	ReadinessError reason.Label `json:"readiness_error" jsonschema:"nullable"`
}

// Points are a readiness score with the one area that says how far it can be
// trusted.
type Points struct {
	Standard Standard `json:"standard"`
	Total    Score    `json:"total"`
	// Coverage is the area of that name: how much of the server the score has seen.
	Coverage Score `json:"coverage"`
}

func (p *Points) text() string {
	return p.Total.String() + " (coverage " + p.Coverage.String() + ")"
}

// Summary counts the cases of a diff by what became of them.
type Summary struct {
	Regressed int64 `json:"regressed"`
	Fixed     int64 `json:"fixed"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Added     int64 `json:"added"`
	Removed   int64 `json:"removed"`
	Total     int64 `json:"total"`
}

// DiffCase is one case of a diff.
type DiffCase struct {
	ID     CaseID      `json:"id"`
	Probe  reason.Kind `json:"probe"`
	Change Change      `json:"change"`
	// Fields are the members of the case that differ, latencies aside; empty for added and removed cases.
	Fields []Field `json:"fields"`
	// Base is null for an added case.
	Base *State `json:"base" jsonschema:"nullable"`
	// Current is null for a removed case.
	Current *State `json:"current" jsonschema:"nullable"`
}

// State is a case's result without what names the case.
type State struct {
	Tool         Tool         `json:"tool" jsonschema:"nullable"`
	Passed       Verdict      `json:"passed" jsonschema:"nullable"`
	Attempts     int64        `json:"attempts"`
	FirstFailure *int64       `json:"first_failure" jsonschema:"nullable"`
	Reason       reason.Label `json:"reason" jsonschema:"nullable"`
	Detail       *Detail      `json:"detail" jsonschema:"nullable"`
	Measurements Measurements `json:"measurements"`
}

// Field names a member of a case that may differ.
type Field string

// The fields.
const (
	FieldProbe        Field = "probe"
	FieldTool         Field = "tool"
	FieldPassed       Field = "passed"
	FieldAttempts     Field = "attempts"
	FieldFirstFailure Field = "first_failure"
	FieldReason       Field = "reason"
	FieldDetail       Field = "detail"
	FieldMeasurements Field = "measurements"
)

// Fields are all fields, in the order of a case's members.
func Fields() []Field {
	return []Field{FieldProbe, FieldTool, FieldPassed, FieldAttempts, FieldFirstFailure, FieldReason, FieldDetail, FieldMeasurements}
}

// Compare makes the diff from base to current. The error is that of Validate.
func Compare(generator Generator, base, current *Document) (*Diff, error) {
	for _, d := range []*Document{base, current} {
		if err := d.Validate(); err != nil {
			return nil, err
		}
	}
	d := &Diff{Schema: DiffSchema, Generator: generator, Base: sideOf(base), Current: sideOf(current), Cases: []DiffCase{}}
	before := casesByID(base)
	after := casesByID(current)
	for i := range current.Cases {
		c := &current.Cases[i]
		if old, ok := before[c.ID]; ok {
			d.Cases = append(d.Cases, diffOf(old, c))
		} else {
			d.Cases = append(d.Cases, DiffCase{c.ID, c.Probe, Added, []Field{}, nil, stateOf(c)})
		}
	}
	for i := range base.Cases {
		c := &base.Cases[i]
		if _, ok := after[c.ID]; !ok {
			d.Cases = append(d.Cases, DiffCase{c.ID, c.Probe, Removed, []Field{}, stateOf(c), nil})
		}
	}
	for _, c := range d.Cases {
		d.Summary.Total++
		*d.Summary.of(c.Change)++
	}
	return d, nil
}

func (s *Summary) of(c Change) *int64 {
	switch c {
	case Regressed:
		return &s.Regressed
	case Fixed:
		return &s.Fixed
	case Changed:
		return &s.Changed
	case Added:
		return &s.Added
	case Removed:
		return &s.Removed
	}
	return &s.Unchanged
}

// Exit is the exit code of a diff: 1 when it has a regression and those are asked
// for, or any change at all and those are.
func (d *Diff) Exit(onRegression, onChange bool) int {
	switch {
	case onRegression && d.Summary.Regressed > 0, onChange && d.Summary.Unchanged < d.Summary.Total:
		return ExitFailed
	}
	return ExitPassed
}

// Encode writes the diff, in the form of Document.Encode.
func (d *Diff) Encode() ([]byte, error) { return document.Encode(d) }

func casesByID(d *Document) map[CaseID]*Case {
	m := make(map[CaseID]*Case, len(d.Cases))
	for i := range d.Cases {
		m[d.Cases[i].ID] = &d.Cases[i]
	}
	return m
}

func sideOf(d *Document) Side {
	s := Side{Server: d.Server, ManifestSHA256: d.ManifestSHA256, Passed: d.Passed, Gate: d.Gate, ReadinessError: d.ReadinessError}
	if d.Readiness != nil {
		s.Readiness = &Points{d.Readiness.Standard, d.Readiness.Total, d.Readiness.Areas.Coverage}
	}
	return s
}

func stateOf(c *Case) *State {
	m := c.Measurements
	if m == nil {
		m = Measurements{}
	}
	return &State{c.Tool, c.Passed, c.Attempts, c.FirstFailure, c.Reason, c.Detail, m}
}

func diffOf(old, now *Case) DiffCase {
	fields := []Field{}
	for _, f := range Fields() {
		if !same(f, old, now) {
			fields = append(fields, f)
		}
	}
	d := DiffCase{now.ID, now.Probe, Changed, fields, stateOf(old), stateOf(now)}
	switch {
	case len(fields) == 0:
		d.Change = Unchanged
	case now.Passed == Fail && old.Passed != Fail && reason.ClassOf(old.Reason) != reason.NotRun,
		old.Passed == Pass && reason.ClassOf(now.Reason) == reason.NotRun:
		d.Change = Regressed
	case old.Passed == Fail && now.Passed == Pass:
		d.Change = Fixed
	}
	return d
}

func same(f Field, a, b *Case) bool {
	switch f {
	case FieldProbe:
		return a.Probe == b.Probe
	case FieldTool:
		return a.Tool == b.Tool
	case FieldPassed:
		return a.Passed == b.Passed
	case FieldAttempts:
		return a.Attempts == b.Attempts
	case FieldFirstFailure:
		return equal(a.FirstFailure, b.FirstFailure)
	case FieldReason:
		return a.Reason == b.Reason
	case FieldDetail:
		return equal(a.Detail, b.Detail)
	}
	return !slices.ContainsFunc(Metrics(), func(m Metric) bool {
		return m != LatencyMS && a.Measurements[m] != b.Measurements[m]
	})
}

func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
