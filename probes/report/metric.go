package report

import "slices"

// Metric names a measurement of a case.
type Metric string

// The metrics. A value counts unless its comment says otherwise.
const (
	LatencyMS          Metric = "latency_ms"           // milliseconds of the slowest attempt; the only one that differs from run to run
	ProtocolRevision   Metric = "protocol_revision"    // the revision used, as a number: 20251125
	Pages              Metric = "pages"                // of a listing
	Tools              Metric = "tools"                // in the catalog
	Resources          Metric = "resources"            // listed
	Templates          Metric = "resource_templates"   // listed
	Prompts            Metric = "prompts"              // listed
	CatalogBytes       Metric = "catalog_bytes"        // of all entries of tools/list
	TotalTokens        Metric = "total_tokens"         // of the catalog
	HeaviestToolTokens Metric = "heaviest_tool_tokens" // of one tool
	Successes          Metric = "successes"            // attempts that succeeded
	ErrorCodes         Metric = "error_codes"          // distinct ones
	Retryable          Metric = "retryable"            // whether the error says so
	Recovered          Metric = "recovered"            // whether a later attempt succeeded
	Handled            Metric = "handled"              // whether the large payload was accepted
	PayloadBytes       Metric = "payload_bytes"        // of the large argument
	ServerRequests     Metric = "server_requests"      // sampling or elicitation requests
	Notifications      Metric = "notifications"        // updates that arrived
	Values             Metric = "values"               // completion values
	StepsPassed        Metric = "steps_passed"         // of a workflow, over all repetitions
	Cancelled          Metric = "cancelled"            // whether the cancelled call ended as cancelled
	Versions           Metric = "versions"             // protocol versions the server lists
)

// Metrics are all metrics.
func Metrics() []Metric {
	return []Metric{
		LatencyMS, ProtocolRevision, Pages, Tools, Resources, Templates, Prompts,
		CatalogBytes, TotalTokens, HeaviestToolTokens, Successes, ErrorCodes, Retryable,
		Recovered, Handled, PayloadBytes, ServerRequests, Notifications, Values,
		StepsPassed, Cancelled, Versions,
	}
}

// Known reports whether m is one of Metrics.
func (m Metric) Known() bool { return slices.Contains(Metrics(), m) }

// Measurements are the measured values of a case.
type Measurements map[Metric]Value

// Bound names a bound of a case, as it is called in the manifest.
type Bound string

// The bounds.
const (
	MaxTools       Bound = "max_tools"
	MaxSchemaBytes Bound = "max_schema_bytes"
	MaxAttempts    Bound = "max_attempts"
	MaxTotalTokens Bound = "max_total_tokens"
	MaxToolTokens  Bound = "max_tool_tokens"
	MaxPages       Bound = "max_pages"
	MaxRequests    Bound = "max_requests"
	MaxValues      Bound = "max_values"
	SizeBytes      Bound = "size_bytes"
	ExpectRetry    Bound = "expect_retryable"
	ExpectHandled  Bound = "expect_handled"
	MaxLatencyMS   Bound = "max_latency_ms"
	GraceSeconds   Bound = "grace_seconds"
	MaxWaitSeconds Bound = "max_wait_seconds"
	TimeoutMS      Bound = "timeout_ms"
)

// Bounds are all bounds, those on time last.
func Bounds() []Bound {
	return []Bound{
		MaxTools, MaxSchemaBytes, MaxAttempts, MaxTotalTokens, MaxToolTokens, MaxPages,
		MaxRequests, MaxValues, SizeBytes, ExpectRetry, ExpectHandled,
		MaxLatencyMS, GraceSeconds, MaxWaitSeconds, TimeoutMS,
	}
}

// Known reports whether b is one of Bounds.
func (b Bound) Known() bool { return slices.Contains(Bounds(), b) }

// Time reports whether b is a bound on time: what was observed is then a boolean,
// since a figure would differ from run to run.
func (b Bound) Time() bool {
	return slices.Contains([]Bound{MaxLatencyMS, GraceSeconds, MaxWaitSeconds, TimeoutMS}, b)
}
