package reason

import "github.com/mcpeval/mcpeval/probes/manifest"

// catalogReasons are the failures of the catalog, of listings and of the
// protocol's negotiation.
func catalogReasons() []Reason {
	return []Reason{
		{
			Label: DiscoveryLimitExceeded, Class: Failure,
			Meaning: "the catalog has more tools, or takes more bytes, than the case allows",
			Fix:     "merge or drop tools, shorten descriptions and schemas, or raise the bound knowingly",
			Explain: "Every session pays for the catalog before any work is done. Bytes are those of each entry of tools/list written compactly; bound says which of the two limits was passed.",
			Kinds:   []Kind{manifest.KindDiscoveryCost},
		},
		{
			Label: TokenBudgetExceeded, Class: Failure,
			Meaning: "the catalog, or one tool, costs more tokens than the case allows",
			Fix:     "shorten descriptions, enumerations and nested schemas, beginning with the heaviest tool",
			Explain: "A tool costs a quarter of its bytes, rounded up. This is an estimate that is the same for every model, so that it can be compared.",
			Kinds:   []Kind{manifest.KindTokenCost},
		},
		{
			Label: PaginationInvalidEntry, Class: Failure,
			Meaning: "a page of tools/list is not well formed, or an entry is no tool",
			Fix:     "return an array of tools on every page, each with a name and an inputSchema, and a string as nextCursor or none",
			Explain: "One bad entry hides the whole catalog in many clients. The entry is not named, since its name may be what is wrong.",
			Kinds:   []Kind{manifest.KindPagination},
		},
		{
			Label: PaginationDuplicateTool, Class: Failure,
			Meaning: "the listing has the same tool twice",
			Fix:     "give each tool one name, and let a cursor begin behind the last entry of its page",
			Explain: "Names must be unique over all pages. A tool that stands at the end of one page and the start of the next is the usual off-by-one.",
			Kinds:   []Kind{manifest.KindPagination},
		},
		{
			Label: PaginationStalledCursor, Class: Failure,
			Meaning: "a cursor came again, so that the listing would never end",
			Fix:     "advance the cursor on every page, and leave nextCursor out on the last",
			Explain: "Clients that trust the server loop for ever here. A page with the same cursor as an earlier one ends the walk.",
			Kinds:   []Kind{manifest.KindPagination},
		},
		{
			Label: PaginationLimitExceeded, Class: Failure,
			Meaning: "the listing has more pages than the case allows",
			Fix:     "return more tools on each page, or raise max_pages knowingly",
			Explain: "After the last allowed page there was still a cursor. Every page is a round trip before any work is done.",
			Kinds:   []Kind{manifest.KindPagination},
		},
		{
			Label: SurfaceInvalidEnvelope, Class: Failure,
			Meaning: "a declared listing of resources, templates or prompts failed or is not well formed",
			Fix:     "answer resources/list, resources/templates/list and prompts/list with their arrays, or do not declare the capability",
			Explain: "What a server declares, clients call. Only declared capabilities are asked for; an empty array is a good answer.",
			Kinds:   []Kind{manifest.KindSurfaceListing},
		},
		{
			Label: SurfaceStalledCursor, Class: Failure,
			Meaning: "a listing of resources, templates or prompts never ends, or has more pages than allowed",
			Fix:     "advance the cursor on every page, and leave nextCursor out on the last",
			Explain: "A cursor came again, or max_pages pages were not enough.",
			Kinds:   []Kind{manifest.KindSurfaceListing},
		},
		{
			Label: NegotiationEchoedUnknown, Class: Failure,
			Meaning: "the server accepted a protocol version that does not exist",
			Fix:     "answer an unknown version with one you support (initialize) or with error -32022 (stateless requests)",
			Explain: "A server that echoes whatever it is asked for claims to speak protocols nobody has written. Clients then use features it does not have.",
			Kinds:   []Kind{manifest.KindProtocolNegotiation},
		},
		{
			Label: NegotiationInvalid, Class: Failure,
			Meaning: "the server named no usable protocol version",
			Fix:     "answer with a version of the specification, in the form YYYY-MM-DD",
			Explain: "protocolVersion, or an entry of supportedVersions, is missing or is no date-shaped version.",
			Kinds:   []Kind{manifest.KindProtocolNegotiation},
		},
		{
			Label: NegotiationInconsistent, Class: Failure,
			Meaning: "the server does not serve a protocol version that it claimed to support",
			Fix:     "list and accept the same versions everywhere: what you answer once must be granted when it is asked for",
			Explain: "The version the server answered with was then asked for, and was not granted; or the request that named no valid version got an answer whose list of versions is not what the server said before.",
			Kinds:   []Kind{manifest.KindProtocolNegotiation},
		},
	}
}
