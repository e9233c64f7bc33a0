// Package standard is the battery that gives every server a score of readiness:
// the same checks on the same curves, without a manifest. docs/standard.md is
// generated from it.
//
//	connect --tools/list--> catalog --annotations--> writers: never called
//	   |                       |                     unannotated: only when attested
//	   |                       '--probes/synth, or --arguments--> three calls, one refusal
//	   '--own checks, and cases of probes/battery--> checks --weights, curves--> report.Readiness
//
// Invariants:
//   - A tool of which any entry says readOnlyHint false or destructiveHint true is
//     never called, and one that is not read-only by every entry only when the
//     operator attests it. Nothing else that a server says opens a tool.
//   - What cannot be tested counts against the score: a tool that is not called
//     gets 0 wherever calls are judged, and leaving tools out never raises it.
//   - What cannot be measured has no score at all: a server that does not start, a
//     catalog that does not end, a budget that is used up.
//   - Every lost point is a report.Check with a reason; what is observed is a count
//     or a boolean, never a time.
//   - Two runs differ only through the latency bands, as far as the server itself
//     does not differ.
//
// Non-goals: judging the meaning of texts, retrying, journaling.
package standard
