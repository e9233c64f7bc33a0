// Package index is the SQLite read model: its schema, the workers that fill it,
// and the only way to open its file.
//
//	Batch (events that are new, rows that appear or go, places that moved)
//	   |
//	   v
//	Writer.Apply --> worker calls        calls, replaced
//	             --> worker captures     captures (facts), events
//	             --> worker annotations  annotations
//	             --> worker stats        totals, tool_stats, tool_latency, tool_response, session_stats
//	             --> worker issues       issues, issue_failures, issue_counts, issue_sessions, stdio_runs, findings
//	             --> worker verifications, readiness
//	             --> worker lifecycle    finding_lifecycle: a fold over verifications and failures
//	             --> ...                 one file a worker
//	   |
//	   v
//	Writer.Commit: the only thing that ever changes what readers see
//
// Invariants:
//
//   - A worker's tables are a function of the set of events: any slicing and
//     any order of the same events gives one digest. Surrogate ids (calls.id,
//     captures.id, sources.id) never reach a digest or an output.
//   - findings is refilled from the counters at the end of every cycle, and by
//     Writer.Promote, in the same transaction as meta's threshold and as_of.
//   - index.db is changed only in place and only inside one transaction. Nothing
//     is ever renamed over it: SQLite finds -wal and -journal by name, and a file
//     put in the place of a live or crashed database takes over a log that is
//     not its own, without any error.
//   - Only OpenWriter and OpenReader name the file. The writer keeps a read-only
//     connection open beside its own, so that closing after a refusal cannot
//     checkpoint an older log into the file.
//   - Where an event stands (file, line, offset, digest) is in the index, so that
//     readers never need the ledger.
//
// Non-goals: deciding which events are new (package projections does, by the
// ledger) and questions of readers (package query).
package index
