// Package scaffold writes the manifest of a live server: every case that needs no
// domain input.
//
//	Dial --> tools/list --> one Decision a tool --> checks of --tool and --arguments
//	                                                   |            (a dry run ends here)
//	                              up to 20 calls, one a candidate
//	                                                   |
//	                 Manifest: server-level cases, then those of each tool whose call succeeded
//
// Invariants:
//   - A tool annotated destructiveHint: true or readOnlyHint: false is never
//     called, and one without readOnlyHint only when the operator attests it.
//   - Nothing is called before the whole catalog is known and every name the
//     operator gave is checked.
//   - The same catalog and the same answers give the same manifest, but for the
//     latency bounds.
//   - Every tool has cases, or a reason why it has none.
//   - Results that may be shown hold labels, names of the tool-name grammar and
//     codes, never what the server said.
//
// Non-goals: cases that need expected inputs, slow tools or declared references:
// workflow, error-honesty, state-recovery, instruction-fidelity, cancellation,
// sampling, elicitation, resource-subscription, completion. Writing files.
package scaffold
