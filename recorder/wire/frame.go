package wire

import "github.com/mcpeval/mcpeval/journal/rawjson"

// Class says what a frame turned out to be.
type Class uint8

// The classes of a frame.
const (
	Blank   Class = iota + 1 // only white space; forwarded and ignored
	NotJSON                  // no JSON text, or invalid UTF-8
	NotRPC                   // JSON, but no JSON-RPC message or batch of them
	RPC                      // one JSON-RPC message, or a batch
)

// Frame is one line of the stdio transport, one HTTP body, or one SSE event.
// It and everything it refers to is valid until the function it was emitted to
// returns; a Frame of ScanBody until the Scanner's next use.
type Frame struct {
	Class     Class
	Bytes     int64     // without the line ending
	Batch     bool      // an array of messages; false unless Class is RPC
	Truncated bool      // values or messages were dropped because they were too much to keep
	Messages  []Message // one, or the members of a batch; empty unless Class is RPC
	Unparsed  int       // members of a batch that are no JSON-RPC messages
	Dropped   int       // messages of a batch after the first MaxBatch
}

// MaxBatch is how many messages of a batch are kept.
const MaxBatch = 10_000

// MessageKind is the kind of a JSON-RPC message.
type MessageKind uint8

// The kinds of a message. A response that has neither result nor error, or
// both, is a Response too: see Message.HasResult and Message.HasError.
const (
	Request MessageKind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message, as far as a recorder needs it. A member that
// is absent, or was dropped because of its size, is the zero Value. Repeated
// members: the last one counts.
type Message struct {
	Kind MessageKind
	// ID is zero for a notification and for a response with a null or missing
	// id. Only in a Truncated frame can it be zero for a request: its id was
	// too large to keep.
	ID            ID
	Bytes         int64  // of this message's JSON text
	AmbiguousKeys int    // repeated and case-variant keys among the members looked at
	Method        []byte // decoded; nil for a response

	HasParams, HasResult, HasError bool
	Params                         Params
	Result                         Result
	Error                          Error
}

// Params holds the members of params that recorders look at.
type Params struct {
	Kind            rawjson.Kind  // of params itself
	Name            rawjson.Value // tools/call, prompts/get
	Arguments       rawjson.Value
	Meta            rawjson.Value // _meta
	Cursor          rawjson.Value
	RequestID       rawjson.Value // notifications/cancelled
	ProgressToken   rawjson.Value // notifications/progress
	ProtocolVersion rawjson.Value // initialize
	Capabilities    rawjson.Value // initialize
	RequestState    rawjson.Value // multi-round-trip retry
	InputResponses  rawjson.Value
	Task            rawjson.Value
	URI             rawjson.Value
}

// Result holds the members of result that recorders look at.
type Result struct {
	Kind              rawjson.Kind // of the result itself
	IsError           rawjson.Value
	Type              rawjson.Value // resultType
	Content           rawjson.Value
	Structured        rawjson.Value // structuredContent
	Tools             rawjson.Value
	NextCursor        rawjson.Value
	ProtocolVersion   rawjson.Value
	Capabilities      rawjson.Value
	SupportedVersions rawjson.Value
	RequestState      rawjson.Value
	InputRequests     rawjson.Value
	Task              rawjson.Value
	Meta              rawjson.Value
}

// Error holds the members of error that recorders look at.
type Error struct {
	Kind    rawjson.Kind // of the error member itself
	Code    rawjson.Value
	Message rawjson.Value
	Data    rawjson.Value
}
