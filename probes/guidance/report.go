package guidance

import (
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// Schema is the value of a report's first member.
const Schema = "mcpeval.guidance-report/v1"

// Report is the document. Its lists are never nil.
type Report struct {
	// Schema is the name and version of this form.
	Schema    string           `json:"schema"`
	Generator report.Generator `json:"generator"`
	Server    report.Label     `json:"server"`
	// Passed is whether every profile lists every required tool; null when none
	// was required, or when a profile could not be measured and no tool is missing.
	Passed *bool `json:"passed"`
	// Profiles are in the order of Profiles.
	Profiles []Seen `json:"profiles"`
	// Candidates are for a person to review, by profile and tool.
	Candidates []Candidate `json:"candidates"`
	// Required are the tools that were required, as they were given.
	Required []Requirement `json:"required"`
}

// Seen is what a client of one profile sees.
type Seen struct {
	Profile Profile `json:"profile"`
	// Error is why the profile could not be measured, null when it was. The counts
	// are then 0.
	Error reason.Label `json:"error"`
	// Instructions is whether the server sent any.
	Instructions bool `json:"instructions"`
	// Tools is how many tools are listed.
	Tools int `json:"tools"`
	// Named is how many tools, of any profile, the instructions name in backticks.
	Named int `json:"named"`
}

// Candidate is a tool that the instructions name to a client that does not have
// it.
type Candidate struct {
	Profile Profile     `json:"profile"`
	Tool    report.Tool `json:"tool"`
	// ListedBy are the profiles that list it.
	ListedBy []Profile `json:"listed_by"`
}

// Requirement is a tool that every client must have.
type Requirement struct {
	Tool report.Tool `json:"tool"`
	// Missing are the measured profiles that do not list it.
	Missing []Profile `json:"missing"`
}

// Incomplete reports whether a profile could not be measured.
func (r *Report) Incomplete() bool {
	for _, s := range r.Profiles {
		if s.Error != "" {
			return true
		}
	}
	return false
}

// Failed reports whether a required tool is missing.
func (r *Report) Failed() bool { return r.Passed != nil && !*r.Passed }
