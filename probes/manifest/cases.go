package manifest

import "encoding/json"

// Access says what a case does to its server.
type Access string

// The accesses.
const (
	ReadOnly Access = "read_only"
	Mutating Access = "mutating"
)

// Head is what every case has.
type Head struct {
	ID      string `json:"id" jsonschema:"pattern=^[A-Za-z][A-Za-z0-9_.:-]*$,maxLength=64"`
	Probe   Kind   `json:"probe"`
	Access  Access `json:"access" jsonschema:"enum=read_only,enum=mutating"`
	Sandbox string `json:"sandbox,omitempty" jsonschema:"pattern=^[A-Za-z][A-Za-z0-9_.:-]*$,maxLength=64"`

	// Line is where the case begins in its file, counted from 1; 0 when it comes
	// from none.
	Line int `json:"-"`
}

// Base returns h.
func (h *Head) Base() *Head { return h }

// Call is a tool and its arguments, an object.
type Call struct {
	Tool      string          `json:"tool" jsonschema:"minLength=1,maxLength=256"`
	Arguments json.RawMessage `json:"arguments" jsonschema:"type=object"`
}

// Calls returns the one call.
func (c *Call) Calls() []Call { return []Call{*c} }

// DiscoveryCost bounds the catalog's size.
type DiscoveryCost struct {
	Head
	MaxTools       int `json:"max_tools" jsonschema:"minimum=1,maximum=10000"`
	MaxSchemaBytes int `json:"max_schema_bytes" jsonschema:"minimum=1,maximum=10000000"`
}

// SchemaGuessability asks whether the schema tells enough to call the tool.
type SchemaGuessability struct {
	Head
	Call
}

// ErrorHonesty asks whether an error keeps what it says.
type ErrorHonesty struct {
	Head
	Call
	MaxAttempts     int  `json:"max_attempts" jsonschema:"minimum=2,maximum=20"`
	ExpectRetryable bool `json:"expect_retryable"`
}

// StateRecovery makes a tool fail, recover and prove it.
type StateRecovery struct {
	Head
	FailureTool         string          `json:"failure_tool" jsonschema:"minLength=1,maxLength=256"`
	FailureArguments    json.RawMessage `json:"failure_arguments" jsonschema:"type=object"`
	RecoveryTool        string          `json:"recovery_tool" jsonschema:"minLength=1,maxLength=256"`
	RecoveryArguments   json.RawMessage `json:"recovery_arguments" jsonschema:"type=object"`
	ValidationTool      string          `json:"validation_tool" jsonschema:"minLength=1,maxLength=256"`
	ValidationArguments json.RawMessage `json:"validation_arguments" jsonschema:"type=object"`
}

// Calls returns the three calls in order.
func (c *StateRecovery) Calls() []Call {
	return []Call{
		{c.FailureTool, c.FailureArguments},
		{c.RecoveryTool, c.RecoveryArguments},
		{c.ValidationTool, c.ValidationArguments},
	}
}

// Contention makes the same call from two clients at once.
type Contention struct {
	Head
	Call
}

// TokenCost bounds what the catalog costs a model.
type TokenCost struct {
	Head
	MaxTotalTokens int `json:"max_total_tokens" jsonschema:"minimum=1,maximum=1000000"`
	MaxToolTokens  int `json:"max_tool_tokens,omitempty" jsonschema:"minimum=1,maximum=100000"`
}

// DegradationOverN repeats a call.
type DegradationOverN struct {
	Head
	Call
	MaxAttempts int `json:"max_attempts" jsonschema:"minimum=2,maximum=100"`
}

// InstructionFidelity compares a result with what is expected.
type InstructionFidelity struct {
	Head
	Call
	Expect Expect `json:"expect"`
}

// LatencyBudget bounds how long a call takes.
type LatencyBudget struct {
	Head
	Call
	Attempts     int `json:"attempts" jsonschema:"minimum=1,maximum=20"`
	MaxLatencyMS int `json:"max_latency_ms" jsonschema:"minimum=1,maximum=600000"`
}

// Pagination walks the catalog's pages.
type Pagination struct {
	Head
	MaxPages int `json:"max_pages" jsonschema:"minimum=1,maximum=1000"`
}

// PayloadBounds sends a large argument.
type PayloadBounds struct {
	Head
	Call
	Field         string `json:"field" jsonschema:"minLength=1,maxLength=256"`
	SizeBytes     int    `json:"size_bytes" jsonschema:"minimum=1,maximum=16000000"`
	ExpectHandled bool   `json:"expect_handled"`
}

// SurfaceListing lists the resources, templates and prompts that are declared.
type SurfaceListing struct {
	Head
	MaxPages int `json:"max_pages" jsonschema:"minimum=1,maximum=1000"`
}

// OutputSchema holds a result against the declared schema.
type OutputSchema struct {
	Head
	Call
}

// Cancellation cancels a slow call.
type Cancellation struct {
	Head
	Call
	GraceSeconds int    `json:"grace_seconds" jsonschema:"minimum=1,maximum=60"`
	Reason       string `json:"reason" jsonschema:"pattern=^[A-Za-z][A-Za-z0-9_.:-]*$,maxLength=64"`
}

// ProtocolNegotiation offers a version that does not exist.
type ProtocolNegotiation struct {
	Head
	BogusVersion string `json:"bogus_version" jsonschema:"pattern=^[0-9]{4}-[0-9]{2}-[0-9]{2}$"`
}

// Sampling answers what a tool asks of a model.
type Sampling struct {
	Head
	Call
	MaxRequests int `json:"max_requests" jsonschema:"minimum=1,maximum=10"`
}

// Elicitation answers what a tool asks of a user.
type Elicitation struct {
	Head
	Call
	MaxRequests int    `json:"max_requests" jsonschema:"minimum=1,maximum=10"`
	Respond     string `json:"respond" jsonschema:"enum=accept,enum=decline,enum=cancel"`
}

// ResourceSubscription subscribes to a resource and waits for an update.
type ResourceSubscription struct {
	Head
	URI              string          `json:"uri" jsonschema:"minLength=1,maxLength=2048"`
	TriggerTool      string          `json:"trigger_tool,omitempty" jsonschema:"minLength=1,maxLength=256"`
	TriggerArguments json.RawMessage `json:"trigger_arguments,omitempty" jsonschema:"type=object"`
	MaxWaitSeconds   int             `json:"max_wait_seconds" jsonschema:"minimum=1,maximum=60"`
}

// Calls returns the trigger, if there is one.
func (c *ResourceSubscription) Calls() []Call {
	if c.TriggerTool == "" {
		return nil
	}
	arguments := c.TriggerArguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	return []Call{{c.TriggerTool, arguments}}
}

// Completion asks for completions of an argument.
type Completion struct {
	Head
	RefType       string `json:"ref_type" jsonschema:"enum=ref/prompt,enum=ref/resource"`
	RefURI        string `json:"ref_uri" jsonschema:"minLength=1,maxLength=2048"`
	ArgumentName  string `json:"argument_name" jsonschema:"minLength=1,maxLength=256"`
	ArgumentValue string `json:"argument_value" jsonschema:"maxLength=4096"`
	MaxValues     int    `json:"max_values" jsonschema:"minimum=1,maximum=100"`
}

// Workflow runs steps in one session. It is read-only.
type Workflow struct {
	Head
	Repetitions int    `json:"repetitions" jsonschema:"minimum=1,maximum=20"`
	Steps       []Step `json:"steps" jsonschema:"minItems=2,maxItems=32"`
}

// Step is one step of a Workflow.
type Step struct {
	Call
	Expect Expect `json:"expect"`
}

// Calls returns the steps' calls in order.
func (c *Workflow) Calls() []Call {
	var calls []Call
	for i := range c.Steps {
		calls = append(calls, c.Steps[i].Call)
	}
	return calls
}

// Expect is what a result is compared with.
type Expect struct {
	Outcome string `json:"outcome" jsonschema:"enum=ok,enum=error"`

	// For ok. Paths are JSON pointers.
	RequiredResultFields []string          `json:"required_result_fields,omitempty"`
	Equals               map[string]Scalar `json:"equals,omitempty"`
	RequiredResultPaths  []Pointer         `json:"required_result_paths,omitempty"`
	EqualsPaths          PointerScalars    `json:"equals_paths,omitempty"`

	// ErrorCode, for error, is a string or an integer.
	ErrorCode Code `json:"error_code,omitempty"`
}

// ToolCalls returns the calls a case makes, in order; nil for a case that
// names no tool.
func ToolCalls(c Case) []Call {
	if caller, ok := c.(interface{ Calls() []Call }); ok {
		return caller.Calls()
	}
	return nil
}
