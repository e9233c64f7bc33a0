package generate

import (
	"slices"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Finding is what has to be known about a finding.
type Finding struct {
	ID    string // finding- and 16 hex digits
	Tool  string
	Class Class
	Rate  float64 // failures / calls
	// Retryable is what all failures said; nil when they differ, or none said it.
	Retryable *bool
	// Repro is the shape of the first failure's arguments; empty when it had none.
	Repro []byte
}

// Class is the class of a finding.
type Class string

// The classes.
const (
	UnstableCode       Class = "unstable-error-code"
	FalseSuccess       Class = "false-success"
	BlockedPath        Class = "blocked-optimal-path"
	RecoversOnRetry    Class = "recovers-on-retry"
	RetryDidNotRecover Class = "retry-did-not-recover"
	RecurringError     Class = "recurring-error"
	HungCall           Class = "hung-call"
	StdoutNoise        Class = "stdout-noise"
)

// Classes lists the classes.
func Classes() []Class {
	return []Class{UnstableCode, FalseSuccess, BlockedPath, RecoversOnRetry, RetryDidNotRecover, RecurringError, HungCall, StdoutNoise}
}

// Semantic reports whether the class is about what a successful call returns,
// which only a person can know.
func (c Class) Semantic() bool { return c == FalseSuccess || c == BlockedPath }

// Refusal is why there is no case for a finding, or why a case does not speak for
// it.
type Refusal struct {
	Problem string
	Next    string // what to do about it
}

func (e *Refusal) Error() string { return e.Problem }

// unlisted stands for the name of a tool that was not kept.
const unlisted = "unlisted"

// callable refuses a finding that is about no tool that can be called.
func (f *Finding) callable() error {
	const next = "it leaves the list when it is no longer seen; mcpeval findings has the hint for the server's side"
	if !slices.Contains(Classes(), f.Class) {
		return &Refusal{f.ID + " is of a class that this version does not know", "mcpeval version"}
	}
	if f.Class == StdoutNoise {
		return &Refusal{f.ID + " is about what the server writes between its messages (stdout-noise): it has no tool that a case could call", next}
	}
	if _, ok := sanitize.ParseTool([]byte(f.Tool)); !ok || f.Tool == unlisted {
		return &Refusal{f.ID + " has no tool that a case could call: its name was not kept", next}
	}
	return nil
}
