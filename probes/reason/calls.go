package reason

import "github.com/mcpeval/mcpeval/probes/manifest"

// callReasons are the failures of tool calls and of what they return.
func callReasons() []Reason {
	return []Reason{
		{
			Label: UnexpectedOutcome, Class: Failure,
			Meaning: "the call succeeded where an error was expected, or failed where it should succeed",
			Fix:     "make the tool accept the case's arguments, or return isError with a text that says what is wrong with them",
			Explain: "A call fails when its answer is a JSON-RPC error or a result with isError true. The case's arguments are in the manifest: call the tool with them by hand. " +
				"In degradation-over-n, first_failure is the number of the first attempt that failed: one above 1 means that the tool wears out, and state it keeps between calls is the place to look.",
			Kinds: []Kind{manifest.KindSchemaGuessability, manifest.KindDegradationOverN, manifest.KindInstructionFidelity, manifest.KindLatencyBudget, manifest.KindPayloadBounds, manifest.KindOutputSchema, manifest.KindCancellation, manifest.KindSampling, manifest.KindElicitation, manifest.KindResourceSubscription, manifest.KindWorkflow},
		},
		{
			Label: MissingField, Class: Failure,
			Meaning: "a field or path that the case requires is not in the result",
			Fix:     "return the field in structuredContent, also when its value is empty or null",
			Explain: "Results are read from structuredContent, and only when there is none from the first text content that is a JSON object. " +
				"Agents are told about the field by a description or an instruction; when it comes and goes, they guess.",
			Kinds: []Kind{manifest.KindInstructionFidelity, manifest.KindWorkflow},
		},
		{
			Label: ValueMismatch, Class: Failure,
			Meaning: "a field of the result has another value than the case expects",
			Fix:     "return the value that the tool's description promises for these arguments, in the type it promises",
			Explain: "Values are compared by type and content: 1 is not \"1\", and 1 equals 1.0. The report names neither value, as both may be private; run the call by hand to see them.",
			Kinds:   []Kind{manifest.KindInstructionFidelity, manifest.KindWorkflow},
		},
		{
			Label: ErrorCodeMismatch, Class: Failure,
			Meaning: "the call failed as expected, but with another error code",
			Fix:     "return one documented code for this failure, in error.code or in structuredContent.code",
			Explain: "Agents branch on codes. A code that differs from the documented one sends them down the wrong path, however good the text is.",
			Kinds:   []Kind{manifest.KindInstructionFidelity, manifest.KindWorkflow},
		},
		{
			Label: InvalidSchema, Class: Failure,
			Meaning: "a schema that the tool declares is no valid JSON Schema, or its input schema does not describe an object",
			Fix:     "declare a JSON Schema 2020-12 with type object at its root, every required name in properties, and no reference outside the document",
			Explain: "A client builds arguments from this schema. A missing type, a name in required that properties does not have, a $ref that leads nowhere or to another document: each leaves it guessing. " +
				"References are never followed outside the schema, so a remote $ref counts as broken.",
			Kinds: []Kind{manifest.KindSchemaGuessability, manifest.KindOutputSchema},
		},
		{
			Label: MissingRequiredArgument, Class: Failure,
			Meaning: "the case does not supply an argument that the input schema requires",
			Fix:     "give the parameter a default and take it off required, or add the argument to the case in the manifest",
			Explain: "Schema-guessability asks whether the arguments an agent would send fit the schema. Nothing was called: the tool says that it needs more than the case gives.",
			Kinds:   []Kind{manifest.KindSchemaGuessability},
		},
		{
			Label: ExpectedError, Class: Failure,
			Meaning: "the first call of the case succeeded, although the case expects it to fail",
			Fix:     "answer this failure with isError true or a JSON-RPC error, never with a result that only talks about it",
			Explain: "An error that looks like success is the costliest kind: the agent goes on with a wrong result. Check that the tool reports the failure of what it calls in turn.",
			Kinds:   []Kind{manifest.KindErrorHonesty},
		},
		{
			Label: UnstableErrorCode, Class: Failure,
			Meaning: "the same call failed with different error codes",
			Fix:     "map each cause of failure to one fixed code, and keep texts, counters and identifiers out of it",
			Explain: "The call is repeated with the same arguments. A code that changes, or that comes and goes, cannot be handled by anyone.",
			Kinds:   []Kind{manifest.KindErrorHonesty},
		},
		{
			Label: RetryabilityMismatch, Class: Failure,
			Meaning: "whether the error says it can be retried is not what the case expects, or not what happened",
			Fix:     "set retryable in error.data (or structuredContent) to true only where the same call can succeed later, else to false",
			Explain: "An error marked as not retryable must stay one when the call is repeated. One that is wrongly marked makes agents give up on what would work, or hammer what never will.",
			Kinds:   []Kind{manifest.KindErrorHonesty},
		},
		{
			Label: RetryDidNotRecover, Class: Failure,
			Meaning: "the error says it can be retried, but no retry within the bound succeeded",
			Fix:     "mark the error as not retryable, or make the tool recover within the number of attempts",
			Explain: "The call was repeated up to max_attempts times without waiting. If recovery takes time, say how long in the error and raise max_attempts only if agents would really try that often.",
			Kinds:   []Kind{manifest.KindErrorHonesty},
		},
		{
			Label: FailureNotObserved, Class: Failure,
			Meaning: "the step that should fail succeeded, so that recovery could not be judged",
			Fix:     "return an error for the failure step's arguments, or choose others in the manifest",
			Explain: "State-recovery runs three calls in one session: one that must fail, one that recovers, one that proves it. The first one did not fail.",
			Kinds:   []Kind{manifest.KindStateRecovery},
		},
		{
			Label: RecoveryFailed, Class: Failure,
			Meaning: "after the expected failure, the recovery call failed too",
			Fix:     "leave no half-done state behind when a call fails, so that the next one starts clean",
			Explain: "The server did not get over its own error within the session. Agents cannot restart servers; a session that is spoiled by one failure is lost.",
			Kinds:   []Kind{manifest.KindStateRecovery},
		},
		{
			Label: ValidationFailed, Class: Failure,
			Meaning: "failure and recovery went as expected, but the call that proves it failed",
			Fix:     "make the recovery call restore what the failed call broke, not only answer",
			Explain: "The recovery call reported success, yet the state it should have restored is not there.",
			Kinds:   []Kind{manifest.KindStateRecovery},
		},
		{
			Label: ContendedClientFailed, Class: Failure,
			Meaning: "one of two clients that called at the same moment failed",
			Fix:     "keep no state that is shared between sessions without a lock, and bind no fixed port, file or temporary name",
			Explain: "Two clients initialized on their own and made the same call together. Over stdio these are two processes: what they share is files, ports and services.",
			Kinds:   []Kind{manifest.KindContention},
		},
		{
			Label: LatencyBudgetExceeded, Class: Failure,
			Meaning: "the slowest attempt took longer than the case allows",
			Fix:     "answer within the budget: cache, page or stream, or return a handle and let the client fetch the result",
			Explain: "Each attempt is measured from the last byte of the request to the response. The time the server takes to start never counts. The measured figure stands in measurements under latency_ms and nowhere else, since it is the only one that differs from run to run.",
			Kinds:   []Kind{manifest.KindLatencyBudget},
		},
		{
			Label: PayloadUnhandled, Class: Failure,
			Meaning: "the server did not handle the large argument as the case demands",
			Fix:     "accept the size that the case names, or refuse it with an error at once and go on serving",
			Explain: "A clean refusal is enough unless the case sets expect_handled. A server that dies, hangs or breaks the transport is reported as such.",
			Kinds:   []Kind{manifest.KindPayloadBounds},
		},
		{
			Label: OutputSchemaMissing, Class: Failure,
			Meaning: "the tool declares an outputSchema, but its result has no structuredContent",
			Fix:     "return structuredContent on every success of the tool, or take the outputSchema off",
			Explain: "A declared outputSchema is a promise: clients reject such a result outright. Results with isError true are exempt.",
			Kinds:   []Kind{manifest.KindOutputSchema},
		},
		{
			Label: OutputSchemaFieldMissing, Class: Failure,
			Meaning: "a field that the outputSchema requires is not in structuredContent",
			Fix:     "return every required field, or take it off required in the outputSchema",
			Explain: "Only required names are meant here, at any depth; every other breach of the schema is output-schema-invalid-result.",
			Kinds:   []Kind{manifest.KindOutputSchema},
		},
		{
			Label: OutputSchemaInvalid, Class: Failure,
			Meaning: "structuredContent breaks the declared outputSchema",
			Fix:     "validate results against the outputSchema in the server's own tests, nulls and empty lists included",
			Explain: "The whole schema is evaluated as JSON Schema 2020-12, or the dialect it names. Common causes are null where a type is declared, numbers sent as strings, and additionalProperties false. " +
				"Patterns that cannot be evaluated here never count against the server.",
			Kinds: []Kind{manifest.KindOutputSchema},
		},
	}
}
