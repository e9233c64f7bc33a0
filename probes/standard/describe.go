package standard

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/probes/report"
)

// area is one of the six and its checks.
type area struct {
	name   string
	weight int
	worth  string // how the area's points are made of its checks
	why    string
	checks []rule
}

// rule is one check.
type rule struct {
	id     report.CheckID
	passes string
	worth  string // of the area's 100 points
	why    string
}

// areas are all that docs/standard.md says of them.
func areas() []area {
	points := func(n int) string { return fmt.Sprintf("%d points", n) }
	oneOf := rat(100, protocolChecks)
	return []area{{
		"protocol", weightProtocol, fmt.Sprintf("the share of the %d checks that passed", protocolChecks),
		"A client must be able to rely on the protocol before anything else counts. A check of what a server does not declare passes.",
		[]rule{
			{report.CheckUnknownMethod, "the method `mcpeval/no-such-method` is answered with JSON-RPC error -32601", oneOf, "clients find out what a server can do by asking"},
			{report.CheckLiveness, "`ping`, or `server/discover` from 2026-07-28 on, is answered with a result", oneOf, "clients that get no sign of life give the connection up"},
			{report.CheckUnknownTool, "the call of a tool that is not listed gets any JSON-RPC error or a result with `isError`", oneOf, "a misspelled call that looks like success goes unnoticed; servers refuse in many shapes, and all of them are refusals"},
			{report.CheckPagination, fmt.Sprintf("the pages of `tools/list` end within %d, every entry has a name and an input schema, no name comes twice", 20), oneOf, "one bad entry hides the whole catalog in many clients"},
			{report.CheckSurfaces, "the resources, templates and prompts that are declared can be listed to their end", oneOf, "what is declared is used"},
			{report.CheckNegotiation, "the version `" + bogusVersion + "`, which does not exist, is not agreed on, and one that is claimed is granted", oneOf, "a server that agrees to everything breaks with the first client that is newer"},
		},
	}, {
		"catalog", weightCatalog, "the mean over all entries of the share of their checks that passed",
		"The catalog is all that an agent knows of a server. An entry has five checks, and six when it says that it writes.",
		[]rule{
			{report.CheckDescription, fmt.Sprintf("the description has %d characters at least, without white space at its ends", minDescription), "one check of the entry", "less cannot say what a tool does and when to choose it"},
			{report.CheckPropertyText, "every property at the top of the input schema has a description, beside or behind a local `$ref`", "one check of the entry", "agents guess what is not described"},
			{report.CheckPropertyType, "every property at the top of the input schema has `type`, `enum`, `const`, `$ref`, `anyOf` or `oneOf`", "one check of the entry", "what may be anything cannot be checked or built"},
			{report.CheckReadOnlyHint, "`readOnlyHint` is declared", "one check of the entry", "without it a client must ask before each call"},
			{report.CheckDestructiveHint, "`destructiveHint` is declared, by a tool with `readOnlyHint` false; others do not have this check", "one check of the entry", "by default a writer counts as destructive"},
			{report.CheckOutputSchema, "`outputSchema` is declared", "one check of the entry", "without it an agent does not know what it will get"},
		},
	}, {
		"context", weightContext, fmt.Sprintf("%d%% tokens of the catalog, %d%% tokens of the heaviest tool", shareTokens, shareHeaviest),
		"Every session pays for the catalog before any work is done. A tool costs a quarter of the bytes of its compact entry, rounded up: an estimate that is the same for every model. Both curves are logarithmic, since twice the tokens hurt the same at every size.",
		[]rule{
			{report.CheckCatalogTokens, fmt.Sprintf("%d tokens at most give 100, %d or more 0, between them 100 * ln(%d / tokens) / ln(%d / %d)", tokensFull, tokensNone, tokensNone, tokensNone, tokensFull), points(shareTokens), "2000 tokens are a long page, 40000 a fifth of a usual context window"},
			{report.CheckHeaviestTool, fmt.Sprintf("%d tokens at most give 100, %d or more 0, between them 100 * ln(%d / tokens) / ln(%d / %d)", heaviestFull, heaviestNone, heaviestNone, heaviestNone, heaviestFull), points(shareHeaviest), "one tool should not crowd out the others"},
		},
	}, {
		"reliability", weightReliability, fmt.Sprintf("%d%% the mean over the tools, %d%% contention, %d%% payload. A tool has the mean of consistency, latency and output schema, times the share of its calls that succeeded", shareTools, shareContention, sharePayload),
		fmt.Sprintf("A call that the schema allows should succeed, each time. Each tool is called %d times with the same arguments; one that breaks the connection or stays silent for %s is not called again. Contention and payload weigh the same however many tools there are.", callsPerTool, callTimeout),
		[]rule{
			{report.CheckSuccess, fmt.Sprintf("all %d calls succeed", callsPerTool), "the share of calls that failed, of the tool's points", "a tool that needs luck is no tool"},
			{report.CheckConsistency, "all calls have the same outcome: success, `isError`, a JSON-RPC error with its code, or a broken connection", "a third of the tool's points", "agents retry without end what works by chance; lost only together with success"},
			{report.CheckLatency, latencyRule(), "a third of the tool's points, by band", "the median of the successful calls, so that one slow call does not count; bands, so that small differences do not"},
			{report.CheckConformance, "every result fits the declared `outputSchema`; a tool without one has all points, since catalog has charged it", "a third of the tool's points, by the share of results", "a promise that is broken is worse than none"},
			{report.CheckContention, "two clients of their own make the same call at once, on the first tool whose calls all succeeded, and both succeed", points(shareContention), "agents work side by side"},
			{report.CheckPayload, fmt.Sprintf("that tool is sent %d bytes in its first text property, or in `payload`, and answers or refuses cleanly, and the server lives on", payloadBytes), points(sharePayload), "agents paste whole files"},
		},
	}, {
		"error-honesty", weightErrorHonesty, "the share of judged tools that pass both checks",
		"A mistake must be visible to who made it. One call is made that the tool's schema certainly forbids: the required arguments left out; else, of the first property by name that has a type, a value of another type; else a property that `additionalProperties: false` forbids. A tool whose schema forbids nothing is not judged; when there is no other, the area has 0.",
		[]rule{
			{report.CheckRefusal, "the call is refused with error -32602, or with `isError` and a text", "the tool's share", "a success teaches that the mistake works, and an error without a reason teaches nothing"},
			{report.CheckRecovery, "a valid call after that is answered", "the tool's share", "a refusal must not break the session"},
		},
	}, {
		"coverage", weightCoverage, "the share of tools that answered a call with valid arguments, of all that do not say that they write",
		"A score is worth as much as it has seen, so that it stands beside the score.",
		[]rule{
			{report.CheckCoverage, "the tool was called and answered, be it with an error", "the tool's share", "what nobody can call without reading the source is of little use to an agent"},
		},
	}}
}

func rat(n, d int64) string { return big.NewRat(n, d).FloatString(2) + " points" }

func latencyRule() string {
	var parts []string
	for _, b := range bands() {
		parts = append(parts, fmt.Sprintf("up to %d ms %d", b.Upto/time.Millisecond, b.Points))
	}
	return "the median latency gives " + strings.Join(parts, ", ") + ", else 0"
}

// Describe is docs/standard.md.
func Describe() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from probes/standard by its tests; -update rewrites it. -->\n\n")
	fmt.Fprintf(&b, "# %s\n\n%s\n\n## The areas\n\n| area | weight | made of |\n| --- | ---: | --- |\n", report.NewStandard(Version), introduction)
	for _, a := range areas() {
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %s |\n", a.name, a.name, a.weight, a.worth)
	}
	b.WriteString("\n" + weights + "\n")
	for _, a := range areas() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nThe area: %s.\n\n| check | passes when | worth | why |\n| --- | --- | --- | --- |\n", a.name, a.why, a.worth)
		for _, c := range a.checks {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.id, c.passes, c.worth, c.why)
		}
	}
	b.WriteString(rules)
	return b.String()
}

const introduction = "`mcpeval score` gives every server 0 to 100 points by the same checks on the same curves, so that a number means the same everywhere. " +
	"It needs no manifest, judges what a server lists and does and never what its texts mean, and says of every lost point which check took it, why, and how to win it back: `mcpeval explain REASON` says more. " +
	"Another check, weight, curve or rule is another version of the standard; scores of different versions are not compared."

const weights = "The total is the sum of the areas, each times its weight in hundredths, rounded to hundredths of a point as the areas are. What an agent meets first and can least work around weighs most: " +
	"catalog and reliability. Protocol, context, errors and coverage follow with the same weight, since none of them makes up for another."

const rules = `
## What is called

- Tools with ` + "`readOnlyHint`" + ` false or ` + "`destructiveHint`" + ` true are never called, also when another entry of the same name says otherwise.
- Tools that are not ` + "`readOnlyHint`" + ` true are called only with ` + "`--confirm-read-only`" + `, by which you attest that they only read.
- Arguments come from the file of ` + "`--arguments`" + `, else they are built from the input schema by the first rule that applies: ` + "`$ref`" + `, ` + "`const`" + `, the first of ` + "`enum`" + `, ` + "`default`" + `, the first of ` + "`examples`" + `, the first branch of ` + "`anyOf`" + ` or ` + "`oneOf`" + `, then by type. They must fit the whole schema. When none can be built, the text report names the keyword that stopped it.
- A call may take 15 seconds. The server is asked for nothing but what is above, on connections of the battery's own, and what may hurt it comes last.
- Requests that the server makes meanwhile (sampling, elicitation, roots) are declined.

## What cannot be tested counts against the score

A tool that does not say that it writes counts in reliability, error-honesty and coverage, called or not: left out with ` + "`--skip-tool`" + `, not annotated, without arguments, it has 0 in each, so that neither silence nor leaving out ever raises a score. For the same reason contention and payload are lost when a tool was left out that stands before the first reliable one.
A server all of whose tools write has 0 in the three areas. A server that lists no tool has points for protocol only, and says so.

## What has no score

| label | when |
| --- | --- |
| ` + "`server-not-started`" + ` | the server never answered |
| ` + "`discovery-incomplete`" + ` | a page of ` + "`tools/list`" + ` failed, a cursor came again, or the twentieth page had one more |
| ` + "`evaluation-budget-exceeded`" + ` | five minutes or 4096 requests were used up, the gate's included |

` + "`readiness`" + ` is then null in the report and ` + "`mcpeval score`" + ` exits 3.

## What may differ between two runs

The latency bands, and nothing else unless the server itself differs. No observed value in a report is a time, and ` + "`mcpeval report DOC --digest`" + ` is the same for both.
`
