// Package battery runs the cases of a manifest against a server and says what
// became of each.
//
//	Config --gates--> Dial --> discovery --access--> cases, one at a time --> report.Document
//	                             |                     |
//	                          Catalog                 env: connections, calls, attempts, measurements
//	                                                   '--> probe of the case's kind --> verdict or fault
//	client.Tap --tape, a channel a connection--> Journal (recorder.Capture)
//
// Invariants:
//   - Cases run in the manifest's order, one at a time; the verdict of one does
//     not depend on another's. Cases whose calls depend on what a session
//     remembers get a session of their own, and what a case does to the server
//     is charged to it.
//   - Nothing that only time decides reaches a case, but latency_ms.
//   - Nothing is called before both gates of every mutating case are open and
//     every read-only case is checked against the server's annotations.
//   - A fault ends its case and its connection, never the run; only the end of
//     the budget and of the context do.
//   - Results hold labels, bounds and counts; what the server sent stays here.
//
// Non-goals: rendering, exit codes of the command, readiness, the store that a
// journal writes to.
package battery
