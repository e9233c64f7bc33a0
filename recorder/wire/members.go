package wire

import "github.com/mcpeval/mcpeval/journal/rawjson"

// slot is a member that a Scanner looks at.
type slot uint8

// The slots. Those of one object stand together; the zero slot is any other
// member.
const (
	noSlot slot = iota

	slotJSONRPC
	slotID
	slotMethod
	slotParams
	slotResult
	slotError

	paramName
	paramArguments
	paramMeta
	paramCursor
	paramRequestID
	paramProgressToken
	paramProtocolVersion
	paramCapabilities
	paramRequestState
	paramInputResponses
	paramTask
	paramURI

	resultIsError
	resultType
	resultContent
	resultStructured
	resultTools
	resultNextCursor
	resultProtocolVersion
	resultCapabilities
	resultSupportedVersions
	resultRequestState
	resultInputRequests
	resultTask
	resultMeta

	errorCode
	errorMessage
	errorData

	slots // how many there are
)

// slotSet is a set of slots.
type slotSet uint64

func (s slotSet) has(x slot) bool { return s>>x&1 == 1 }

// between is the set of the slots from first to last.
func between(first, last slot) slotSet { return 1<<(last+1) - 1<<first }

// object is an object whose members have slots.
type object uint8

const (
	noObject object = iota
	inMessage
	inParams
	inResult
	inError
)

// names are the slots' keys in order, per object.
func (o object) names() (first slot, names []string) {
	switch o {
	case inMessage:
		return slotJSONRPC, messageNames[:]
	case inParams:
		return paramName, paramNames[:]
	case inResult:
		return resultIsError, resultNames[:]
	case inError:
		return errorCode, errorNames[:]
	}
	return noSlot, nil
}

var (
	messageNames = [...]string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramNames   = [...]string{
		"name", "arguments", "_meta", "cursor", "requestId", "progressToken", "protocolVersion",
		"capabilities", "requestState", "inputResponses", "task", "uri",
	}
	resultNames = [...]string{
		"isError", "resultType", "content", "structuredContent", "tools", "nextCursor", "protocolVersion",
		"capabilities", "supportedVersions", "requestState", "inputRequests", "task", "_meta",
	}
	errorNames = [...]string{"code", "message", "data"}
)

// maxKeyBytes is the longest a key with a slot can be written: each character
// as an escape of six bytes, and the quotes.
const maxKeyBytes = 6*len("structuredContent") + 2

// find looks a key up, a string as it was received. exact is false for a case
// variant of the slot's key.
func (o object) find(raw []byte) (found slot, exact bool) {
	if len(raw) > maxKeyBytes {
		return noSlot, false
	}
	first, names := o.names()
	body := raw[1 : len(raw)-1]
	for i, name := range names {
		if string(body) == name {
			return first + slot(i), true
		}
	}
	key := rawjson.TrustedKey(raw)
	for i, name := range names {
		if key.Is(name) {
			return first + slot(i), true
		}
		if key.Folds(name) {
			found = first + slot(i)
		}
	}
	return found, false
}

// value is where a message keeps the value of a slot.
func (m *Message) value(s slot) *rawjson.Value {
	switch s {
	case paramName:
		return &m.Params.Name
	case paramArguments:
		return &m.Params.Arguments
	case paramMeta:
		return &m.Params.Meta
	case paramCursor:
		return &m.Params.Cursor
	case paramRequestID:
		return &m.Params.RequestID
	case paramProgressToken:
		return &m.Params.ProgressToken
	case paramProtocolVersion:
		return &m.Params.ProtocolVersion
	case paramCapabilities:
		return &m.Params.Capabilities
	case paramRequestState:
		return &m.Params.RequestState
	case paramInputResponses:
		return &m.Params.InputResponses
	case paramTask:
		return &m.Params.Task
	case paramURI:
		return &m.Params.URI
	case resultIsError:
		return &m.Result.IsError
	case resultType:
		return &m.Result.Type
	case resultContent:
		return &m.Result.Content
	case resultStructured:
		return &m.Result.Structured
	case resultTools:
		return &m.Result.Tools
	case resultNextCursor:
		return &m.Result.NextCursor
	case resultProtocolVersion:
		return &m.Result.ProtocolVersion
	case resultCapabilities:
		return &m.Result.Capabilities
	case resultSupportedVersions:
		return &m.Result.SupportedVersions
	case resultRequestState:
		return &m.Result.RequestState
	case resultInputRequests:
		return &m.Result.InputRequests
	case resultTask:
		return &m.Result.Task
	case resultMeta:
		return &m.Result.Meta
	case errorCode:
		return &m.Error.Code
	case errorMessage:
		return &m.Error.Message
	case errorData:
		return &m.Error.Data
	}
	return nil
}
