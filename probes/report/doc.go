// Package report is what an evaluation says: the document, its gate, and every
// form it is shown in.
//
//	verdicts --> Document --Validate--> Encode --> JSON --Read--> Document
//	                |    \
//	              Judge   Text, Markdown, SARIF, JUnit, Digest
//	                |
//	       verdict, exit code         two or more Documents --> Diff, Comparison
//
// Invariants:
//   - A document holds labels of closed sets, names of closed grammars, integers
//     and booleans, and nothing else: what a server or a manifest says in free
//     text has no place to stand in. Every form is made from it.
//   - The same run gives the same bytes. The measurement latency_ms is the only
//     number that may differ between two runs; detail and first_failure never
//     hold what only time decided.
//   - Read accepts exactly what Encode writes, but for white space, the order of
//     members, and the wording of hints, which are taken from the table.
//   - Errors about a document that is read say where it is wrong and never quote
//     it.
//
// The protocol revision, notes, prices and the place among public servers are
// context: they stand in text and Markdown and never in a document.
//
// Non-goals: running cases, reading files, the journal.
package report
