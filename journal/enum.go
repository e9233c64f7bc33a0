package journal

// Type is an event type.
type Type uint8

// The event types.
const (
	TypeCapture Type = iota + 1
	TypeHandshake
	TypeCall
	TypeNotification
	TypeUnparsed
	TypeAnnotation
	TypeVerification
	TypeReadiness
	TypePending
	TypeGap
	TypeEnd
)

var typeNames = []string{"", "capture", "handshake", "call", "notification", "unparsed", "annotation", "verification", "readiness", "pending", "gap", "end"}

func (t Type) String() string { return typeNames[t] }

// Kind tells captured traffic from what probes caused.
type Kind uint8

// The kinds.
const (
	Real Kind = iota + 1
	Synthetic
)

var kindNames = []string{"", "real", "synthetic"}

func (k Kind) String() string { return kindNames[k] }

// Origin is the side that sent a request or notification.
type Origin uint8

// The origins.
const (
	FromClient Origin = iota + 1
	FromServer
)

var originNames = []string{"", "client", "server"}

func (o Origin) String() string { return originNames[o] }

// Direction is the way a frame travels.
type Direction uint8

// The directions.
const (
	Outbound Direction = iota + 1 // client to server
	Inbound                       // server to client
)

var directionNames = []string{"", "outbound", "inbound"}

func (d Direction) String() string { return directionNames[d] }

// Origin is the side that sends in this direction.
func (d Direction) Origin() Origin { return Origin(d) }

// Opposite is the other direction.
func (d Direction) Opposite() Direction { return 3 - d }

// RecorderKind names what wrote a capture.
type RecorderKind uint8

// The recorders.
const (
	RecorderShim RecorderKind = iota + 1
	RecorderShimHTTP
	RecorderProbe
	RecorderScore
	RecorderVerify
	RecorderAnnotate
)

var recorderNames = []string{"", "shim", "shim-http", "probe", "score", "verify", "annotate"}

func (r RecorderKind) String() string { return recorderNames[r] }

// Lifecycle tells revisions with a handshake from those without one.
type Lifecycle uint8

// The lifecycles.
const (
	Stateful Lifecycle = iota + 1
	Stateless
)

var lifecycleNames = []string{"", "stateful", "stateless"}

func (l Lifecycle) String() string { return lifecycleNames[l] }

// Outcome says how a call ended.
type Outcome uint8

// The outcomes of a call.
const (
	OutcomeOK            Outcome = iota + 1
	OutcomeError                 // a JSON-RPC error, a tool error, or an HTTP failure
	OutcomeInputRequired         // 2026-07-28: an interim result that asks for input
	OutcomeCancelled             // the requester cancelled and no result came
	OutcomeUnanswered            // the connection ended first
	OutcomeUnknown               // success cannot be told
)

var outcomeNames = []string{"", "ok", "error", "input_required", "cancelled", "unanswered", "unknown"}

func (o Outcome) String() string { return outcomeNames[o] }

// AnnotationKind classifies an annotation.
type AnnotationKind uint8

// The annotation kinds.
const (
	BlockedOptimalPath AnnotationKind = iota + 1
	UndocumentedBehavior
	FalseSuccess
	InstructionDivergence
	Workaround
)

var annotationNames = []string{"", "blocked-optimal-path", "undocumented-behavior", "false-success", "instruction-divergence", "workaround"}

func (a AnnotationKind) String() string { return annotationNames[a] }

// ParseAnnotationKind finds a kind by its name.
func ParseAnnotationKind(s string) (AnnotationKind, bool) {
	i := indexName(annotationNames, s)
	return AnnotationKind(i), i > 0
}

// Tri is a bool that may be absent.
type Tri uint8

// The values of a Tri.
const (
	Absent Tri = iota
	False
	True
)

// TriOf is True or False.
func TriOf(b bool) Tri {
	if b {
		return True
	}
	return False
}

// indexName is the index of s in names, or 0.
func indexName[S string | []byte](names []string, s S) int {
	for i := 1; i < len(names); i++ {
		if names[i] == string(s) {
			return i
		}
	}
	return 0
}
