package report

import "github.com/mcpeval/mcpeval/probes/reason"

// Schema is the value of a document's first member. Raising it needs a reader of
// the old version beside the new one: reports are kept as baselines.
const Schema = "mcpeval.probe-report/v2"

// Document is the result of one evaluation. Its members are all there are, in
// this order; none is ever left out.
type Document struct {
	// Schema is the name and version of this form.
	Schema string `json:"schema"`
	// Generator is the program that made the document.
	Generator Generator `json:"generator"`
	// Server is the label the server was given.
	Server Label `json:"server"`
	// ManifestSHA256 is the digest of the manifest's bytes; null when there was no manifest.
	ManifestSHA256 SHA256 `json:"manifest_sha256" jsonschema:"nullable"`
	// Passed is the verdict of the gate; without a gate, whether readiness was measured.
	Passed bool `json:"passed"`
	// Gate counts the cases; null when no manifest was run.
	Gate *Gate `json:"gate" jsonschema:"nullable"`
	// Readiness is the standard battery's result; null when it was not run or could not be measured.
	Readiness *Readiness `json:"readiness" jsonschema:"nullable"`
	// ReadinessError says why readiness could not be measured.
	ReadinessError reason.Label `json:"readiness_error" jsonschema:"nullable"`
	// Cases are the selected cases in the manifest's order.
	Cases []Case `json:"cases"`
}

// Generator names the program that made a document.
type Generator struct {
	Name    Label `json:"name"`
	Version Label `json:"version"`
}

// Gate counts the cases by their verdicts.
type Gate struct {
	Passed        int64 `json:"passed"`
	Failed        int64 `json:"failed"`
	NotApplicable int64 `json:"not_applicable"`
	NotRun        int64 `json:"not_run"`
	Total         int64 `json:"total"`
}

// Case is the result of one case.
type Case struct {
	ID    CaseID      `json:"id"`
	Probe reason.Kind `json:"probe"`
	// Tool is the tool's name; null for a case without one, "unlisted" for a name outside the grammar.
	Tool Tool `json:"tool" jsonschema:"nullable"`
	// Passed is null for a case that did not apply or was not run.
	Passed Verdict `json:"passed" jsonschema:"nullable"`
	// Attempts is how often the case's call was made.
	Attempts int64 `json:"attempts"`
	// FirstFailure is the number of the first attempt that failed, from 1; null where only time decided.
	FirstFailure *int64 `json:"first_failure" jsonschema:"nullable"`
	// Reason is why the case did not pass.
	Reason reason.Label `json:"reason" jsonschema:"nullable"`
	// Hint is the remedy that belongs to the reason. Encode sets it.
	Hint Hint `json:"hint" jsonschema:"nullable"`
	// Detail is the bound that was broken, where there is one.
	Detail *Detail `json:"detail" jsonschema:"nullable"`
	// Measurements are what was measured; latency_ms is the only one that differs from run to run.
	Measurements Measurements `json:"measurements"`
}

// Hint is a text of the table of reasons, or null when empty.
type Hint string

// MarshalJSON writes null for the empty hint. Other hints are texts of this
// program.
func (h Hint) MarshalJSON() ([]byte, error) {
	if h == "" {
		return []byte("null"), nil
	}
	return appendText(nil, string(h)), nil
}

// Detail is a declared bound and what was seen in its place.
type Detail struct {
	Bound Bound `json:"bound"`
	// Limit is the declared value.
	Limit Value `json:"limit"`
	// Observed is the value found; for a bound on time it is false.
	Observed Value `json:"observed"`
}

// Over is the detail of a bound that was passed.
func Over(b Bound, limit, observed int64) *Detail {
	if b.Time() {
		return &Detail{b, Int(limit), Bool(false)}
	}
	return &Detail{b, Int(limit), Int(observed)}
}

// Unmet is the detail of an expectation that was not met.
func Unmet(b Bound, want bool) *Detail { return &Detail{b, Bool(want), Bool(!want)} }
