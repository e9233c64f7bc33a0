package journal

import (
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Schema is the value of the first field of every version 1 line. Raising it
// needs a new decoder beside the old one and a frozen fixture of the old
// version: old lines stay readable for ever.
const Schema = "mcpeval.event/v1"

// MaxLine is the most bytes a line may have, its newline included.
const MaxLine = 64 << 10

// Event is one immutable line of a capture log. Every leaf of it is a type of
// journal/sanitize, a closed enumeration, an integer, a bool, a time or a UUID,
// so that it cannot hold raw traffic.
type Event struct {
	Capture uuid.UUID        // identity.capture_id, a UUIDv4
	ID      uuid.UUID        // identity.event_id, a UUIDv7
	Prev    Prev             // zero for seq 1
	Seq     int64            // >= 1, contiguous within the capture
	TS      time.Time        // UTC, whole milliseconds
	Session sanitize.Session // never zero
	Server  sanitize.Label   // never zero
	Kind    Kind
	Body    Body // a pointer to one of the types below, never nil; it decides the line's "type"
	Legacy  bool // read from a line without schema: identity may be zero, Prev is
}

// Body is the part of an event that depends on its type. The implementations
// in this package are all there are.
type Body interface {
	// Type names the event type as it stands on the line.
	Type() Type
	appendFields(b []byte) []byte
}

// CaptureStart is event 1 of every capture.
type CaptureStart struct {
	Recorder RecorderKind
	Version  sanitize.Label  // of mcpeval
	OS, Arch sanitize.Label  // runtime.GOOS and GOARCH
	SaltID   sanitize.SaltID // tells captures made with different salts apart
}

// Handshake is what client and server agreed on.
type Handshake struct {
	Protocol         sanitize.Revision // negotiated protocol version; "unlisted" when it is no date
	Lifecycle        Lifecycle
	ClientCaps       sanitize.Capabilities
	ClientCapsOthers int64 // declared capabilities outside the specification
	ServerCaps       sanitize.Capabilities
	ServerCapsOthers int64
}

// Call is one request with the outcome of its response.
type Call struct {
	Origin        Origin
	Method        sanitize.Method
	Tool          sanitize.Tool  // zero unless tools/call
	Args          sanitize.Shape // zero unless tools/call
	LatencyUS     int64          // microseconds from the request's last byte read to the response's; -1 when there was no response
	RequestBytes  int64          // of the frame without its line ending
	ResponseBytes int64          // -1 when there was no response
	Outcome       Outcome
	Error         *CallError // nil unless Outcome is OutcomeError
	Cancelled     bool       // the requester sent notifications/cancelled
	Task          bool       // the result was a task handle
	Truncated     bool       // the frame was too large for its arguments or error text to be kept
	LegOf         uuid.UUID  // first leg of the multi-round-trip operation; uuid.Nil when none
	Pending       uuid.UUID  // the pending event this call replaces; uuid.Nil when none
	AmbiguousKeys int64      // repeated and case-variant keys the recorder looked at
	ShimSelfUS    int64      // microseconds the recorder itself added, request and response together
}

// CallError is the content-free description of a failure.
type CallError struct {
	Code       sanitize.Code // zero when absent
	Layer      sanitize.Layer
	Retryable  Tri
	Kind       sanitize.Bucket
	TemplateID sanitize.TemplateID // zero when there was no text
}

// Notification is a message that expects no answer.
type Notification struct {
	Origin Origin
	Method sanitize.Method
}

// Unparsed is a frame that is no JSON-RPC message. It says nothing but its
// direction: no size, no hash, no bytes.
type Unparsed struct {
	Direction Direction
}

// Annotation is a person's remark about a call: the one prose channel.
type Annotation struct {
	Target     uuid.UUID        // the annotated event; uuid.Nil for a record without identity
	LegacySess sanitize.Session // with LegacySeq, the address of a record without identity
	LegacySeq  int64
	Label      AnnotationKind
	Note       sanitize.Note
}

// Verification is the result of one verify run.
type Verification struct {
	Finding    sanitize.FindingID
	Case       sanitize.Label
	Passed     bool
	Reason     sanitize.Label  // failure reason; zero when passed
	Definition sanitize.Digest // keyed digest of case, timeout and target
}

// Readiness is the result of one standard battery. Scores are hundredths of a
// point, 0 to 10000; -1 is not measured.
type Readiness struct {
	Standard                                                               sanitize.Label
	Total, Protocol, Catalog, Context, Reliability, ErrorHonesty, Coverage int64
}

// Pending is a request that was still open when the client went away or after
// ten seconds of waiting. The call that ends it names it in Call.Pending; one
// that nothing names was never answered.
type Pending struct {
	Origin       Origin
	Method       sanitize.Method
	Tool         sanitize.Tool
	Args         sanitize.Shape
	RequestBytes int64
}

// Gap counts what could not be recorded since the previous gap.
type Gap struct {
	Outbound, Inbound Traffic
}

// Traffic is an amount of frames and bytes in one direction.
type Traffic struct {
	Frames, Bytes int64
}

// End closes a capture that ended in order.
type End struct {
	Events            int64 // lines of this capture, this one included
	Outbound, Inbound Traffic
	StrayBefore       int64 // stdout lines that are no JSON-RPC, before the handshake
	StraySession      int64 // the same, later
	Orphans           int64 // responses without a request
	Duplicates        int64 // further responses to an answered request
	Late              int64 // responses after notifications/cancelled
	Progress          int64 // unknown or finished progress tokens
	Direction         int64 // messages in a direction their revision does not allow
	ExitCode          int64 // of the child; -1 when it did not exit by itself or there is none
	Signal            int64 // number of the signal that ended the child; 0 for none
	Killed            bool  // the recorder had to kill the child
}

// Prev is the first 128 bits of the SHA-256 of the previous line.
type Prev [16]byte

// The types of an event.
func (*CaptureStart) Type() Type { return TypeCapture }
func (*Handshake) Type() Type    { return TypeHandshake }
func (*Call) Type() Type         { return TypeCall }
func (*Notification) Type() Type { return TypeNotification }
func (*Unparsed) Type() Type     { return TypeUnparsed }
func (*Annotation) Type() Type   { return TypeAnnotation }
func (*Verification) Type() Type { return TypeVerification }
func (*Readiness) Type() Type    { return TypeReadiness }
func (*Pending) Type() Type      { return TypePending }
func (*Gap) Type() Type          { return TypeGap }
func (*End) Type() Type          { return TypeEnd }
