package reason

// pointsReasons are why a check of readiness lost points, where no kind of probe
// gives the same reason. docs/standard.md has the checks.
func pointsReasons() []Reason {
	rows := []Reason{
		{
			Label:   UnknownMethodAccepted,
			Meaning: "a method that does not exist was not answered with error -32601",
			Fix:     "answer unknown methods with the JSON-RPC error -32601, over HTTP too",
			Explain: "Clients find out what a server can do by asking, and -32601 is the only answer that tells a missing method from a broken one.",
		},
		{
			Label:   NoSignOfLife,
			Meaning: "the server did not answer a sign of life with a result",
			Fix:     "answer ping, or server/discover from 2026-07-28 on, with a result at any time",
			Explain: "Clients ask it before they give a connection up. A server that does not answer is restarted in the middle of its work.",
		},
		{
			Label:   UnknownToolAccepted,
			Meaning: "the call of a tool that does not exist looked like a success",
			Fix:     "refuse unknown tools with a JSON-RPC error or a result that has isError",
			Explain: "An agent that misspells a name must learn that nothing was done. Any JSON-RPC error and any result with isError is a refusal; what looks like success is none.",
		},
		{
			Label:   DescriptionTooShort,
			Meaning: "the tool's description has fewer than 40 characters",
			Fix:     "say what the tool does, what it needs and when another tool is the better one",
			Explain: "The description is all that an agent has to choose by. Characters are counted without white space at both ends.",
		},
		{
			Label:   PropertyUndescribed,
			Meaning: "properties of the tool's input have no description",
			Fix:     "give every property of the input schema a description, with its unit and an example",
			Explain: "Agents fill in what they can guess and guess what is not described. The properties at the top of the input schema count, with the description beside or behind a $ref.",
		},
		{
			Label:   PropertyUntyped,
			Meaning: "properties of the tool's input have no type",
			Fix:     "give every property a type, enum, const, $ref, anyOf or oneOf",
			Explain: "A property that may be anything can neither be checked by a client nor built by an agent that has never seen one.",
		},
		{
			Label:   ReadOnlyHintMissing,
			Meaning: "the tool does not say whether it only reads",
			Fix:     "set annotations.readOnlyHint to true or false",
			Explain: "Without the hint clients must ask their user before every call, and nothing can be tested without risk: such a tool is called only with --confirm-read-only.",
		},
		{
			Label:   DestructiveHintMissing,
			Meaning: "the tool writes and does not say whether it destroys",
			Fix:     "set annotations.destructiveHint on every tool with readOnlyHint false",
			Explain: "By default a tool that writes counts as destructive. One that only adds can say so and be called with fewer questions.",
		},
		{
			Label:   OutputSchemaUndeclared,
			Meaning: "the tool declares no output schema",
			Fix:     "declare outputSchema and return structuredContent that fits it",
			Explain: "With an output schema an agent knows what it will get before it calls, and results can be checked. Output schemas came with revision 2025-06-18.",
		},
		{
			Label:   CatalogTooHeavy,
			Meaning: "the catalog costs more than 2000 tokens",
			Fix:     "shorten descriptions, enumerations and nested schemas, or split the server",
			Explain: "Every session pays for the catalog before any work is done. A tool costs a quarter of its bytes, rounded up.",
		},
		{
			Label:   ToolTooHeavy,
			Meaning: "the heaviest tool costs more than 500 tokens",
			Fix:     "move what is rarely needed out of the tool's schema, and split what it does",
			Explain: "One tool should not crowd out the others. A tool costs a quarter of its bytes, rounded up.",
		},
		{
			Label:   CallFailed,
			Meaning: "calls with arguments that fit the tool's schema failed",
			Fix:     "let calls succeed that the schema allows, or narrow the schema; examples and defaults in it are used as arguments",
			Explain: "Three calls are made with the same arguments, built from the input schema or taken from the --arguments file. When the tool needs a value that nobody can guess, put an example into its schema or give one with --arguments.",
		},
		{
			Label:   OutcomeInconsistent,
			Meaning: "the same call made three times had different outcomes",
			Fix:     "make the outcome depend on the arguments only, and retry in the server what fails by chance",
			Explain: "An outcome is a success, a result with isError, a JSON-RPC error with its code, or a broken connection. Agents that see different outcomes for one call retry without end.",
		},
		{
			Label:   LatencyTooHigh,
			Meaning: "the tool's median answer takes more than 100 milliseconds",
			Fix:     "answer sooner: cache, or return a handle for work that takes long",
			Explain: "The median of the successful calls gives 100 points up to 100 ms, 80 up to 300, 50 up to 1000, 20 up to 3000 and none beyond. It is the only part of the score that time decides.",
		},
		{
			Label:   InvalidArgumentsAccepted,
			Meaning: "arguments that break the tool's own input schema were accepted",
			Fix:     "check arguments against the schema, and refuse with -32602 or with isError and a text",
			Explain: "One call is made that the schema certainly forbids: required arguments left out, else a value of the wrong type, else a property that is not allowed. A success teaches agents that their mistakes work.",
		},
		{
			Label:   RefusalUnclear,
			Meaning: "arguments that break the input schema were refused without saying why",
			Fix:     "refuse invalid arguments with error -32602, or with isError and a text that says what is wrong",
			Explain: "Other error codes read as a broken server, and isError without a text leaves an agent to guess.",
		},
		{
			Label:   NothingToRefuse,
			Meaning: "no tool has an input schema that arguments could break",
			Fix:     "declare required properties and types, or additionalProperties false where a tool takes nothing",
			Explain: "Whether a server refuses what it must can only be seen where its schemas forbid something.",
		},
		{
			Label:   NoReliableTool,
			Meaning: "no tool succeeded three times, so that this could not be tested",
			Fix:     "make one read-only tool callable with arguments from its schema, or give them with --arguments",
			Explain: "Contention and the large payload are tried on the first tool of the catalog whose three calls succeeded.",
		},
		{
			Label:   ToolUnannotated,
			Meaning: "the tool does not say that it only reads, so that it was not called",
			Fix:     "set annotations.readOnlyHint; --confirm-read-only attests it for one run",
			Explain: "A tool that may write is never called unasked. What cannot be tested counts against the score: a tool must not gain by keeping silent.",
		},
		{
			Label:   ToolSkipped,
			Meaning: "the tool was left out with --skip-tool",
			Fix:     "run without --skip-tool for this tool",
			Explain: "A tool that is left out counts like one that failed, so that leaving it out never raises the score.",
		},
		{
			Label:   ArgumentsUnbuildable,
			Meaning: "no arguments could be built from the tool's input schema",
			Fix:     "put an example, default or enum into the schema where a pattern or a rule needs a special value, or use --arguments",
			Explain: "What keeps arguments from being built also keeps agents from guessing them. The text report names the keyword that stopped it.",
		},
		{
			Label:   NoToolsListed,
			Meaning: "the server lists no tool",
			Fix:     "list tools; a server that needs a login before should list those that do the login",
			Explain: "An empty catalog costs nothing and is worth nothing: every area but protocol is 0.",
		},
		{
			Label:   NoToolToCall,
			Meaning: "every tool says that it writes, so that none was called",
			Fix:     "offer read-only tools beside those that write",
			Explain: "Tools with readOnlyHint false or destructiveHint true are never called. What cannot be tested counts against the score.",
		},
	}
	for i := range rows {
		rows[i].Class = Points
	}
	return rows
}
