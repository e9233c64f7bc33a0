// Package reason is the closed table of what a probe can say about a case: one
// label for each way to fail, not to apply, or not to be judged.
//
//	probe kind --Label--> report --Of--> meaning, fix
//	                        |
//	         mcpeval explain --Of--> meaning, fix, explanation, kinds
//
// Invariants:
//   - Every label has a meaning, a fix on the server's side, an explanation and
//     a class; nothing in the table depends on a run or on a server.
//   - A label is API: it is never renamed or given another sense. New ones may
//     come.
//   - What is given away shares nothing that can be changed.
//
// Non-goals: deciding which reason holds (the probes do), exit codes
// (probes/report).
package reason
