package promotion

// Group says by what failures are grouped.
type Group uint8

// The groups.
const (
	Errors    Group = iota // of one server, tool and error text
	Hung                   // calls of one server and tool that never returned
	Annotated              // calls of one server and tool that returned, with a remark
	Noise                  // runs of one server whose stdout is not all protocol
)

// What stands where a group has no template of an error text. A template is 16
// hex digits, so that none of these is one.
const (
	TemplateHung      = "unanswered"
	TemplateAnnotated = "annotated"
	TemplateNoise     = "stdout-noise"
)

// GroupOf tells groups by their template.
func GroupOf(template string) Group {
	switch template {
	case TemplateHung:
		return Hung
	case TemplateAnnotated:
		return Annotated
	case TemplateNoise:
		return Noise
	}
	return Errors
}

// CodeHung is the code of calls that never returned.
const CodeHung = "unanswered"

// The classes of a finding.
const (
	UnstableCode       = "unstable-error-code"
	FalseSuccess       = "false-success"
	BlockedPath        = "blocked-optimal-path"
	RecoversOnRetry    = "recovers-on-retry"
	RetryDidNotRecover = "retry-did-not-recover"
	RecurringError     = "recurring-error"
	HungCall           = "hung-call"
	StdoutNoise        = "stdout-noise"
)

// Class is the first that applies.
func (i *Issue) Class() string {
	retryable := i.Retryable != nil && *i.Retryable
	switch {
	case i.Group == Hung:
		return HungCall
	case i.Group == Noise:
		return StdoutNoise
	case i.Codes > 1:
		return UnstableCode
	case i.Annotated.FalseSuccess:
		return FalseSuccess
	case i.Annotated.BlockedPath:
		return BlockedPath
	case retryable && i.Recovered:
		return RecoversOnRetry
	case retryable:
		return RetryDidNotRecover
	}
	return RecurringError
}

// The severities.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// Severity of an issue with a score. Nothing is high before a probe has shown
// that it can be reproduced.
func (i *Issue) Severity(score, threshold float64) string {
	step := 0
	switch {
	case score >= 4*threshold:
		step = 2
	case score >= 2*threshold:
		step = 1
	}
	switch i.Class() {
	case FalseSuccess, BlockedPath:
		step++
	}
	limit := 1
	if i.Probed {
		limit = 2
	}
	return []string{Low, Medium, High}[min(step, limit)]
}

// Hint is what to do about a class on the server's side, in one line.
func Hint(class string) string {
	switch class {
	case UnstableCode:
		return "return one stable error code for one kind of failure, so that clients can branch on it"
	case FalseSuccess:
		return "do not report success when nothing was done: set isError, or say in the result what is missing"
	case BlockedPath:
		return "let the direct call do what the annotation names, or say in its description what must come first"
	case RecoversOnRetry:
		return "retry inside the server: the same call succeeds shortly afterwards"
	case RetryDidNotRecover:
		return "do not mark the error as retryable, or make the retry succeed"
	case HungCall:
		return "answer every call: give slow work a deadline, and return an error when it passes"
	case StdoutNoise:
		return "write nothing but JSON-RPC to stdout: send banners and logs to stderr"
	}
	return "fix the failure, or reject such arguments with an error that says what to pass instead"
}
