package reason

import "github.com/mcpeval/mcpeval/probes/manifest"

// interactionReasons are the failures of what servers do beyond answering calls.
func interactionReasons() []Reason {
	return []Reason{
		{
			Label: CancellationIgnored, Class: Failure,
			Meaning: "the cancelled call was carried to its end and answered as if nothing had been cancelled",
			Fix:     "stop the work when notifications/cancelled names its request, and send no result",
			Explain: "The call is made once to the end and once cancelled on the way. Silence within the grace period passes, and so does an answer that says it was cancelled.",
			Kinds:   []Kind{manifest.KindCancellation},
		},
		{
			Label: CancellationErrored, Class: Failure,
			Meaning: "cancelling the call brought an error, or the server no longer answered after it",
			Fix:     "treat notifications/cancelled as a notification: no answer to it, nothing else of the session touched",
			Explain: "A request that races with its cancellation is normal. The server must live on and answer the next request.",
			Kinds:   []Kind{manifest.KindCancellation},
		},
		{
			Label: SamplingInvalidRequest, Class: Failure,
			Meaning: "the server's sampling/createMessage request is not well formed",
			Fix:     "send messages with role and content, and a positive maxTokens",
			Explain: "Clients reject such a request, and the tool that waits for its answer hangs or fails.",
			Kinds:   []Kind{manifest.KindSampling},
		},
		{
			Label: SamplingRequestFlood, Class: Failure,
			Meaning: "one call caused more sampling requests than the case allows",
			Fix:     "bound the number of sampling requests a call makes, and stop on a refusal",
			Explain: "Each request costs the user a model call, and often a question. max_requests is what the case grants.",
			Kinds:   []Kind{manifest.KindSampling},
		},
		{
			Label: SamplingStalledCall, Class: Failure,
			Meaning: "the call did not complete after its sampling requests were answered",
			Fix:     "handle every answer to a sampling request, refusals included, and finish the call",
			Explain: "The requests were answered at once. Waiting for an answer that is read by nobody else, on the same thread that waits, is the usual cause.",
			Kinds:   []Kind{manifest.KindSampling},
		},
		{
			Label: ElicitationInvalidRequest, Class: Failure,
			Meaning: "the server's elicitation request has no message or no flat requestedSchema, or came undeclared",
			Fix:     "send a message and a requestedSchema of type object with primitive properties, and only to clients that declare elicitation",
			Explain: "Clients make a form of requestedSchema; nested objects and arrays of objects cannot become one.",
			Kinds:   []Kind{manifest.KindElicitation},
		},
		{
			Label: ElicitationRequestFlood, Class: Failure,
			Meaning: "one call asked the user more often than the case allows",
			Fix:     "ask once for everything a call needs, and stop on decline and cancel",
			Explain: "Every request interrupts a person. max_requests is what the case grants.",
			Kinds:   []Kind{manifest.KindElicitation},
		},
		{
			Label: ElicitationStalledCall, Class: Failure,
			Meaning: "the call did not complete after the user's answer",
			Fix:     "handle accept, decline and cancel, and finish the call in each case",
			Explain: "The answer that the case names was given at once. A tool that only knows accept waits for ever.",
			Kinds:   []Kind{manifest.KindElicitation},
		},
		{
			Label: ResourceUnreadable, Class: Failure,
			Meaning: "the resource could not be read",
			Fix:     "answer resources/read for every URI that is listed or documented, with contents that carry the URI",
			Explain: "Only a resource that can be read can be watched. The case's URI was refused, or the answer had no contents.",
			Kinds:   []Kind{manifest.KindResourceSubscription},
		},
		{
			Label: SubscriptionRejected, Class: Failure,
			Meaning: "the server declares subscriptions but refused to subscribe or to unsubscribe",
			Fix:     "implement resources/subscribe and resources/unsubscribe (subscriptions/listen when stateless), or declare subscribe false",
			Explain: "What is declared must work. A method that is declared and answers -32601 is worse than one that is not declared.",
			Kinds:   []Kind{manifest.KindResourceSubscription},
		},
		{
			Label: SubscriptionMissing, Class: Failure,
			Meaning: "no update of the subscribed resource arrived in time",
			Fix:     "send notifications/resources/updated with the subscribed URI whenever the resource changes",
			Explain: "The trigger, when the case has one, succeeded; then max_wait_seconds passed. An update of a part of the resource counts too.",
			Kinds:   []Kind{manifest.KindResourceSubscription},
		},
		{
			Label: CompletionInvalidRequest, Class: Failure,
			Meaning: "completion/complete was refused, or its answer is not well formed",
			Fix:     "answer with completion.values, an array of strings, for every prompt argument and template you declare",
			Explain: "total, when it is there, must be an integer not below the number of values, and hasMore a boolean.",
			Kinds:   []Kind{manifest.KindCompletion},
		},
		{
			Label: CompletionValueFlood, Class: Failure,
			Meaning: "the answer has more values than allowed",
			Fix:     "return at most 100 values, the best first, and say hasMore",
			Explain: "The specification allows 100 values; a case may demand fewer.",
			Kinds:   []Kind{manifest.KindCompletion},
		},
		{
			Label: CompletionArgumentUnknown, Class: Failure,
			Meaning: "the server does not know the argument or the reference that the case names",
			Fix:     "complete every argument that prompts/list or the resource templates declare, or correct the case",
			Explain: "The answer was error -32602. Check the spelling of the reference in the manifest first.",
			Kinds:   []Kind{manifest.KindCompletion},
		},
		{
			Label: CompletionStalledRequest, Class: Failure,
			Meaning: "completion/complete was not answered in time",
			Fix:     "answer completions at once, with fewer values when they are slow to find",
			Explain: "Completions are asked for at every keystroke; a late one is of no use.",
			Kinds:   []Kind{manifest.KindCompletion},
		},
	}
}
