// Package guidance compares what a server's instructions say with the catalogs
// that its clients see.
//
//	profile (none, roots, sampling, elicitation, all)
//	   '--client.Dial--> instructions --backticks--> names --+
//	                 '-> tools/list ------------------------ +--> Report: candidates, requirements
//
// A server may list tools only for clients that declare a capability, and still
// send all of them to those tools. A name in backticks that is a tool for some
// other client, and none for this one, is a candidate for review: whether the
// sentence is wrong is for a person to say.
//
// Invariants:
//   - No tool is called.
//   - The report holds tool names in their grammar, labels and counts, and nothing
//     else of the instructions.
//   - A candidate is never a failure. Only a tool that was required is one.
//
// Non-goals: judging prose, names without backticks, tools that no profile lists.
package guidance
