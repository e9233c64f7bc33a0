package reason

// Failures of tool calls and of what they return.
const (
	UnexpectedOutcome        Label = "unexpected-outcome"
	MissingField             Label = "missing-field"
	ValueMismatch            Label = "value-mismatch"
	ErrorCodeMismatch        Label = "error-code-mismatch"
	InvalidSchema            Label = "invalid-schema"
	MissingRequiredArgument  Label = "missing-required-argument"
	ExpectedError            Label = "expected-error"
	UnstableErrorCode        Label = "unstable-error-code"
	RetryabilityMismatch     Label = "retryability-mismatch"
	RetryDidNotRecover       Label = "retry-did-not-recover"
	FailureNotObserved       Label = "failure-not-observed"
	RecoveryFailed           Label = "recovery-failed"
	ValidationFailed         Label = "validation-failed"
	ContendedClientFailed    Label = "contended-client-failed"
	LatencyBudgetExceeded    Label = "latency-budget-exceeded"
	PayloadUnhandled         Label = "payload-unhandled"
	OutputSchemaMissing      Label = "output-schema-declared-but-missing"
	OutputSchemaFieldMissing Label = "output-schema-field-missing"
	OutputSchemaInvalid      Label = "output-schema-invalid-result"
)

// Failures of the catalog and of listings.
const (
	DiscoveryLimitExceeded   Label = "discovery-limit-exceeded"
	TokenBudgetExceeded      Label = "token-budget-exceeded"
	PaginationInvalidEntry   Label = "pagination-invalid-entry"
	PaginationDuplicateTool  Label = "pagination-duplicate-tool"
	PaginationStalledCursor  Label = "pagination-stalled-cursor"
	PaginationLimitExceeded  Label = "pagination-limit-exceeded"
	SurfaceInvalidEnvelope   Label = "surface-invalid-envelope"
	SurfaceStalledCursor     Label = "surface-stalled-cursor"
	NegotiationEchoedUnknown Label = "negotiation-echoed-unknown"
	NegotiationInvalid       Label = "negotiation-invalid-version"
	NegotiationInconsistent  Label = "negotiation-inconsistent-support"
)

// Failures of what servers do beyond answering calls.
const (
	CancellationIgnored       Label = "cancellation-ignored"
	CancellationErrored       Label = "cancellation-errored"
	SamplingInvalidRequest    Label = "sampling-invalid-request"
	SamplingRequestFlood      Label = "sampling-request-flood"
	SamplingStalledCall       Label = "sampling-stalled-call"
	ElicitationInvalidRequest Label = "elicitation-invalid-request"
	ElicitationRequestFlood   Label = "elicitation-request-flood"
	ElicitationStalledCall    Label = "elicitation-stalled-call"
	ResourceUnreadable        Label = "resource-unreadable"
	SubscriptionRejected      Label = "subscription-rejected"
	SubscriptionMissing       Label = "subscription-notification-missing"
	CompletionInvalidRequest  Label = "completion-invalid-request"
	CompletionValueFlood      Label = "completion-value-flood"
	CompletionArgumentUnknown Label = "completion-argument-unknown"
	CompletionStalledRequest  Label = "completion-stalled-request"
)

// What keeps a case or a run from a verdict. The reasons of cases that do not
// apply are spelled with underscores, as the report has them.
const (
	TransportTimeout         Label = "transport-timeout"
	TransportClosed          Label = "transport-closed"
	TransportError           Label = "transport-error"
	EvaluationBudgetExceeded Label = "evaluation-budget-exceeded"
	ServerNotStarted         Label = "server-not-started"
	CapabilityAbsent         Label = "capability_absent"
	NotInRevision            Label = "not_in_revision"
	Unobservable             Label = "unobservable"
	DiscoveryIncomplete      Label = "discovery-incomplete"
	StaleKnownFailure        Label = "stale-known-failure"
)

// What costs points of readiness, beside the failures above.
const (
	UnknownMethodAccepted    Label = "unknown-method-accepted"
	NoSignOfLife             Label = "no-sign-of-life"
	UnknownToolAccepted      Label = "unknown-tool-accepted"
	DescriptionTooShort      Label = "description-too-short"
	PropertyUndescribed      Label = "property-undescribed"
	PropertyUntyped          Label = "property-untyped"
	ReadOnlyHintMissing      Label = "read-only-hint-missing"
	DestructiveHintMissing   Label = "destructive-hint-missing"
	OutputSchemaUndeclared   Label = "output-schema-undeclared"
	CatalogTooHeavy          Label = "catalog-too-heavy"
	ToolTooHeavy             Label = "tool-too-heavy"
	CallFailed               Label = "call-failed"
	OutcomeInconsistent      Label = "outcome-inconsistent"
	LatencyTooHigh           Label = "latency-too-high"
	InvalidArgumentsAccepted Label = "invalid-arguments-accepted"
	RefusalUnclear           Label = "refusal-unclear"
	NothingToRefuse          Label = "nothing-to-refuse"
	NoReliableTool           Label = "no-reliable-tool"
	ToolUnannotated          Label = "tool-unannotated"
	ToolSkipped              Label = "tool-skipped"
	ArgumentsUnbuildable     Label = "arguments-unbuildable"
	NoToolsListed            Label = "no-tools-listed"
	NoToolToCall             Label = "no-tool-to-call"
)
