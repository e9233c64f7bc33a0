package reason

import "github.com/mcpeval/mcpeval/probes/manifest"

// runReasons are what keeps a case, the readiness battery or the gate from a
// verdict, or decides it without a case.
func runReasons() []Reason {
	return []Reason{
		{
			Label: TransportTimeout, Class: Fault,
			Meaning: "the server did not answer in time",
			Fix:     "answer every request, also with an error; a tool that needs longer should report progress or be given time in the manifest",
			Explain: "Over stdio a call may take 30 seconds. Over HTTP the first byte of an answer must come within 5 seconds; timeout_ms in the manifest (100 to 600000) lengthens that wait and bounds a whole call on both transports. " +
				"Once a JSON body has begun, each further read may take 5 seconds. An event stream may stay silent as long as its case's own timeout: a comment line every second keeps it alive. " +
				"How long the server takes to start is bounded by --startup-timeout and never counts here. The next case begins on a new connection, and the run exits 3.",
			Kinds: Kinds(),
		},
		{
			Label: TransportClosed, Class: Fault,
			Meaning: "the connection ended before the answer",
			Fix:     "keep the server alive through every request: catch what a handler throws and answer with an error",
			Explain: "The process exited, closed its stdout, or dropped the HTTP connection while a request was open. Run the server by hand with the case's arguments and read its stderr, which mcpeval never shows. The next case begins on a new connection, and the run exits 3.",
			Kinds:   Kinds(),
		},
		{
			Label: TransportError, Class: Fault,
			Meaning: "the answer broke the protocol: malformed, mismatched, oversized, or an HTTP status that is no success",
			Fix:     "write exactly one JSON-RPC message a line (or a body), with the request's id and either result or error",
			Explain: "A result and an error at once, neither of them, an id that was never sent, an HTTP body over 8 MiB or a line over 16 MiB, a redirect: none of these is an answer. " +
				"When tools/list fails on a page, or has a cursor after twenty pages, no case can be prepared: all but pagination get this reason with 0 attempts, and pagination says what is wrong.",
			Kinds: Kinds(),
		},
		{
			Label: EvaluationBudgetExceeded, Class: Fault,
			Meaning: "the run had used its five minutes or its 4096 requests before this case ended",
			Fix:     "make the server answer sooner, or select fewer cases with --probe and split the manifest",
			Explain: "One budget covers the gate and the standard battery, over all connections, handshakes and pages included. Cases that had ended keep their verdicts. The run exits 3.",
			Kinds:   Kinds(),
		},
		{
			Label: ServerNotStarted, Class: NotRun,
			Meaning: "the server never answered its first request, so no case was run",
			Fix:     "run the command by hand: it must stay alive, read JSON-RPC from stdin and answer initialize or server/discover on stdout",
			Explain: "The command was not found, exited, stayed silent for --startup-timeout (60 s), or the URL could not be reached or speaks no Streamable HTTP. This is one cause, not one failure for each case: every case is not run, and the run exits 3. " +
				"The older HTTP+SSE transport of 2024-11-05 is not spoken.",
			Kinds: Kinds(),
		},
		{
			Label: CapabilityAbsent, Class: NotApplicable,
			Meaning: "the server does not declare what this case is about",
			Fix:     "nothing to fix; declare the capability when it is meant to be there",
			Explain: "A server is judged by what it declares. The case neither passes nor fails; a gate in which no case was judged fails unless --allow-empty.",
			Kinds:   []Kind{manifest.KindSurfaceListing, manifest.KindOutputSchema, manifest.KindCancellation, manifest.KindSampling, manifest.KindElicitation, manifest.KindResourceSubscription, manifest.KindCompletion},
		},
		{
			Label: NotInRevision, Class: NotApplicable,
			Meaning: "the protocol revision in use does not have what this case is about",
			Fix:     "nothing to fix; use --protocol to probe another revision that the server supports",
			Explain: "Output schemas and elicitation, for example, came with 2025-06-18. The case neither passes nor fails.",
			Kinds:   []Kind{manifest.KindOutputSchema, manifest.KindSampling, manifest.KindElicitation, manifest.KindResourceSubscription, manifest.KindCompletion, manifest.KindCancellation, manifest.KindProtocolNegotiation},
		},
		{
			Label: Unobservable, Class: NotApplicable,
			Meaning: "what this case is about cannot be seen from outside on this transport",
			Fix:     "nothing to fix; probe the server over the other transport, or choose a slower call",
			Explain: "A cancelled stateless call over HTTP is cancelled by closing its connection, after which nothing can be heard; a call that ends before it can be cancelled shows nothing either. The case neither passes nor fails.",
			Kinds:   []Kind{manifest.KindCancellation, manifest.KindSampling, manifest.KindElicitation, manifest.KindResourceSubscription, manifest.KindProtocolNegotiation},
		},
		{
			Label: DiscoveryIncomplete, Class: Unmeasured,
			Meaning: "tools/list failed on a page, or still had a cursor after twenty pages, so readiness was not measured",
			Fix:     "let tools/list end within twenty pages, every one of them well formed",
			Explain: "Readiness is a mean over the whole catalog; over a part of it, it would be another number. --probe pagination tells what is wrong with the listing.",
		},
		{
			Label: StaleKnownFailure, Class: Gate,
			Meaning: "the known-failures file lists a case that passed, or that the manifest does not have",
			Fix:     "take the case's line out of the known-failures file",
			Explain: "A line that is kept after its case was fixed would hide the next failure. It fails the gate like a failed case. A case that was not selected, does not apply or could not be judged is not stale.",
		},
	}
}
