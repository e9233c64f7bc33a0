package report

import "github.com/mcpeval/mcpeval/probes/reason"

// GeneratorName is the name of the program in its documents.
const GeneratorName = "mcpeval"

// New makes the document of a gate and judges it. Readiness is the caller's to
// add.
func New(version, server Label, manifest SHA256, cases []Case, rules Rules) (*Document, Outcome) {
	o := Judge(cases, rules)
	return &Document{
		Schema: Schema, Generator: Generator{Label{GeneratorName}, version}, Server: server,
		ManifestSHA256: manifest, Passed: o.Passed, Gate: &o.Gate, Cases: cases,
	}, o
}

// NewScore makes the document of a standard battery that was run without a gate:
// readiness, or why it could not be measured.
func NewScore(version, server Label, readiness *Readiness, problem reason.Label) *Document {
	return &Document{
		Schema: Schema, Generator: Generator{Label{GeneratorName}, version}, Server: server,
		Passed: readiness != nil, Readiness: readiness, ReadinessError: problem,
	}
}
