package client

import (
	"errors"
	"strconv"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// FaultKind is the label of a Fault, one of the reports' failure reasons.
type FaultKind string

// The kinds of faults.
const (
	TransportTimeout FaultKind = "transport-timeout"
	TransportClosed  FaultKind = "transport-closed"
	TransportError   FaultKind = "transport-error"
	ServerNotStarted FaultKind = "server-not-started"
	BudgetExceeded   FaultKind = "evaluation-budget-exceeded"
)

// Detail says more about a Fault. It is a fixed text.
type Detail string

// The details.
const (
	NoAnswerInTime    Detail = "no answer in time"
	SilentStart       Detail = "no answer before the startup timeout"
	ServerExited      Detail = "the server exited"
	ServerClosed      Detail = "the server closed its output"
	ConnectionLost    Detail = "the connection ended before the answer"
	ConnectFailed     Detail = "cannot connect"
	ConnectTimeout    Detail = "connecting took too long"
	WriteFailed       Detail = "cannot write the request"
	CommandFailed     Detail = "the command cannot be started"
	URLRefused        Detail = "the URL is refused"
	BadAuthorization  Detail = "MCPEVAL_HTTP_AUTHORIZATION is no valid header value"
	Unauthorized      Detail = "the server needs authorization"
	RedirectRefused   Detail = "the server redirects, which is not followed"
	HTTPStatus        Detail = "the HTTP status is no success"
	SessionLost       Detail = "the server does not know the session any more"
	WrongMediaType    Detail = "the answer is neither JSON nor an event stream"
	NoAnswer          Detail = "the answer is empty"
	MalformedAnswer   Detail = "the answer is no JSON-RPC response"
	InvalidUTF8       Detail = "the answer is not valid UTF-8"
	MismatchedID      Detail = "an answer came with another id"
	TooLarge          Detail = "the answer is too large"
	RequestFlood      Detail = "the server sent too many requests of its own"
	OldTransport      Detail = "this is an HTTP+SSE endpoint of 2024-11-05, which is not spoken: use its Streamable HTTP URL"
	NoCommonRevision  Detail = "no protocol revision in common"
	HandshakeRefused  Detail = "the server answered initialize with an error"
	HandshakeInvalid  Detail = "the answer to initialize is not valid"
	DiscoverRefused   Detail = "the server does not speak the revision that was asked for"
	OutOfTime         Detail = "five minutes are over"
	OutOfRequests     Detail = "4096 requests are used up"
	Stopped           Detail = "the run was stopped"
	ConnectionIsOver  Detail = "the connection is closed"
	TooManyRounds     Detail = "the server asked for too many rounds"
	ParamsNotAnObject Detail = "params are no JSON object"
)

// Fault is why a call, or a start, came to no answer. Its text holds fixed labels
// and numbers only.
type Fault struct {
	Kind   FaultKind
	Detail Detail

	// Status is the HTTP status that came, or 0.
	Status int
	// Exit is how the server's process ended, if it has.
	Exit *process.Exit
	// StderrBytes is how much the server wrote to stderr. What it wrote is not
	// kept.
	StderrBytes int64
	// Start says why the command cannot be started.
	Start *process.StartError
	// RPC is a JSON-RPC error that came with the fault but answers no request of
	// ours by its id. It is traffic.
	RPC *RPCError

	// refused is why a URL is refused.
	refused error
}

func (f *Fault) Error() string {
	text := string(f.Kind) + ": " + string(f.Detail)
	if f.Status != 0 {
		text += " (HTTP " + strconv.Itoa(f.Status) + ")"
	}
	switch {
	case f.Start != nil:
		text += ": " + f.Start.Error()
	case f.refused != nil:
		text += ": " + f.refused.Error()
	case f.Exit != nil && f.Exit.Signal != nil:
		text += " (signal " + f.Exit.Signal.String() + ", " + strconv.FormatInt(f.StderrBytes, 10) + " bytes on stderr)"
	case f.Exit != nil:
		text += " (code " + strconv.Itoa(f.Exit.Code) + ", " + strconv.FormatInt(f.StderrBytes, 10) + " bytes on stderr)"
	}
	return text
}

// ErrCancelled is returned by a call that its caller cancelled by closing the
// stream of its answer.
var ErrCancelled = errors.New("the call was cancelled")

// KindOf is the kind of the Fault in err, or "" when there is none.
func KindOf(err error) FaultKind {
	var f *Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}

func fault(kind FaultKind, detail Detail) *Fault { return &Fault{Kind: kind, Detail: detail} }
