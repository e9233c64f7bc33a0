package portability

// Family is a family of clients.
type Family string

// The families.
const (
	TypeScript1 Family = "TypeScript SDK 1"
	TypeScript2 Family = "TypeScript SDK 2"
	Go          Family = "Go SDK"
	Python      Family = "Python SDK"
)

// Families are all of them, in their order.
func Families() []Family { return []Family{TypeScript1, TypeScript2, Go, Python} }

// Effect is what a client does about a cause.
type Effect string

// The effects.
const (
	NoConnection Effect = "cannot connect"
	NoTools      Effect = "loses every tool"
	NoAnswer     Effect = "loses the answer"
	EndOfSession Effect = "ends the session"
)

// Cause is something in a catalog or an answer that not every client takes.
type Cause string

// The causes.
const (
	StrayText       Cause = "stray-text"
	StrayJSON       Cause = "stray-json"
	InvalidUTF8     Cause = "invalid-utf8"
	ByteOrderMark   Cause = "byte-order-mark"
	TrailingBlank   Cause = "trailing-blank"
	SeveralLines    Cause = "several-lines"
	SeveralMessages Cause = "several-messages"
	Batch           Cause = "batch"
	NoVersion       Cause = "no-version"
	ErrorWithoutID  Cause = "error-without-id"
	TextID          Cause = "text-id"
	FloatID         Cause = "float-id"
	ExtraMember     Cause = "extra-member"
	NullError       Cause = "null-error"
	ResultAndError  Cause = "result-and-error"
	NoResult        Cause = "no-result"
	BadError        Cause = "bad-error"
	NoErrorMessage  Cause = "no-error-message"
	NullResult      Cause = "null-result"
	BadResult       Cause = "bad-result"
	NullMember      Cause = "null-member"

	UnknownRevision Cause = "unknown-revision"
	NoServerInfo    Cause = "no-server-info"
	NoCapabilities  Cause = "no-capabilities"
	BadCapability   Cause = "bad-capability"

	NoToolList        Cause = "no-tool-list"
	BadCursor         Cause = "bad-cursor"
	NoToolName        Cause = "no-tool-name"
	BadToolText       Cause = "bad-tool-text"
	InputNoObject     Cause = "input-no-object"
	BooleanProperty   Cause = "boolean-property"
	BadRequired       Cause = "bad-required"
	BadAnnotation     Cause = "bad-annotation"
	OutputNoObject    Cause = "output-no-object"
	OutputUnusable    Cause = "output-unusable"
	OutputUnfulfilled Cause = "output-unfulfilled"

	NoContent      Cause = "no-content"
	NullContent    Cause = "null-content"
	BadContent     Cause = "bad-content"
	UnknownContent Cause = "unknown-content"
	PartOfContent  Cause = "part-of-content"
	BadBase64      Cause = "bad-base64"
	BadIsError     Cause = "bad-is-error"
	NullIsError    Cause = "null-is-error"
	BadStructured  Cause = "bad-structured"
)

// rule is a cause in words, and whom it breaks. An effect of "" is that of losing
// the message: its connection, its tools or its answer.
type rule struct {
	cause  Cause
	text   string // a subject and a verb, without a full stop
	fix    string
	breaks map[Family]Effect
}

func breaking(families ...Family) map[Family]Effect {
	m := make(map[Family]Effect, len(families))
	for _, f := range families {
		m[f] = ""
	}
	return m
}

// rules are the table, in the order of rows.
func rules() []rule {
	ts := []Family{TypeScript1, TypeScript2}
	lenientGo := []Family{TypeScript1, TypeScript2, Python}
	lenientPython := []Family{TypeScript1, TypeScript2, Go}
	goEnds := map[Family]Effect{Go: EndOfSession}
	const log = "write logs to stderr; stdout is for messages only"
	return []rule{
		{StrayText, "stdout holds a line that is no JSON", log, goEnds},
		{StrayJSON, "stdout holds JSON that is no JSON-RPC message", log, goEnds},
		{InvalidUTF8, "stdout holds bytes that are no UTF-8", "write UTF-8 only", map[Family]Effect{Python: EndOfSession}},
		{ByteOrderMark, "a line begins with a byte order mark", "write UTF-8 without a byte order mark", breaking(Families()...)},
		{TrailingBlank, "a line ends with blanks after the message", "end the line with the message", goEnds},
		{SeveralLines, "a message is spread over several lines", "write each message on one line", breaking(lenientGo...)},
		{SeveralMessages, "a line holds several messages", "end each message with a line feed", breaking(Families()...)},
		{Batch, "an answer comes as a batch", "answer with a single message", breaking(lenientGo...)},
		{NoVersion, "an answer does not say jsonrpc 2.0", "give every message \"jsonrpc\": \"2.0\"", breaking(Families()...)},
		{ErrorWithoutID, "an error has no id", "give an error the id of its request, and send none for a notification", goEnds},
		{TextID, "a number comes back as a text in id", "send the id back as it came", breaking(Go)},
		{FloatID, "an integer comes back in another form in id", "send the id back as it came", breaking(Python)},
		{ExtraMember, "an answer has members beside jsonrpc, id, result and error", "move them into the result, under _meta", breaking(ts...)},
		{NullError, "an answer has a result and a null error", "leave error out of an answer that has a result", breaking(ts...)},
		{ResultAndError, "an answer has a result and an error", "send either result or error", breaking(Families()...)},
		{NoResult, "an answer has neither result nor error", "send either result or error", breaking(Families()...)},
		{BadError, "an error is no object with an integer code and a message", "make error {\"code\": integer, \"message\": text}", breaking(Families()...)},
		{NoErrorMessage, "an error has no message", "give the error a message", breaking(lenientGo...)},
		{NullResult, "a result is null", "answer with an object, {} at least", breaking(lenientGo...)},
		{BadResult, "a result is no object", "answer with an object", breaking(Families()...)},
		{NullMember, "an optional member is null", "leave the member out where it has no value", breaking(ts...)},

		{UnknownRevision, "the server answers with a revision that no client knows", "answer with a published revision", breaking(Families()...)},
		{NoServerInfo, "the server does not say its name and version", "give serverInfo a name and a version", breaking(lenientGo...)},
		{NoCapabilities, "the server sends no capabilities", "send capabilities, {} at least", breaking(lenientGo...)},
		{BadCapability, "a capability is no object", "declare a capability as an object, {} at least", breaking(Families()...)},

		{NoToolList, "tools is no array", "answer tools/list with an array of tools", breaking(Families()...)},
		{BadCursor, "nextCursor is no text", "make nextCursor a text, and leave it out on the last page", breaking(Families()...)},
		{NoToolName, "a tool has no name", "give every tool a name", breaking(Families()...)},
		{BadToolText, "a tool's description or title is no text", "make it a text", breaking(Families()...)},
		{InputNoObject, "an input schema does not say type object", "give the inputSchema \"type\": \"object\"", breaking(lenientGo...)},
		{BooleanProperty, "a property of an input schema is true or false", "write {} for a property that takes anything", breaking(TypeScript1)},
		{BadRequired, "required is no array", "make required an array of names", breaking(lenientGo...)},
		{BadAnnotation, "a hint among the annotations is no boolean", "make the hint true or false", breaking(lenientPython...)},
		{OutputNoObject, "an output schema does not say type object", "give the outputSchema \"type\": \"object\"", breaking(lenientGo...)},
		{OutputUnusable, "an output schema cannot be compiled", "mend the outputSchema, and keep $ref within it",
			map[Family]Effect{TypeScript1: NoTools, TypeScript2: NoAnswer, Python: NoAnswer}},
		{OutputUnfulfilled, "a result does not fit the output schema of its tool", "send structuredContent that fits, or drop the outputSchema", breaking(lenientGo...)},

		{NoContent, "a result has no content", "send content, [] at least", breaking(Python)},
		{NullContent, "content is null", "send content, [] at least", breaking(lenientGo...)},
		{BadContent, "content is no array of objects with a type", "make content an array of content blocks", breaking(Families()...)},
		{UnknownContent, "a content block has a type that the protocol does not have", "use text, image, audio, resource or resource_link", breaking(Families()...)},
		{PartOfContent, "a content block lacks a member", "give the block every member that its type requires", breaking(lenientGo...)},
		{BadBase64, "the data of a content block is no base64", "encode the data as base64", breaking(lenientPython...)},
		{BadIsError, "isError is no boolean", "make isError true or false", breaking(lenientPython...)},
		{NullIsError, "isError is null", "leave isError out where it has no value", breaking(lenientGo...)},
		{BadStructured, "structuredContent is no object", "make structuredContent an object", breaking(lenientGo...)},
	}
}
