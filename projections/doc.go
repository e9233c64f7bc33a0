// Package projections keeps the read models of a journal: Refresh runs one
// cycle, Promote decides again which issues are findings, Replay makes an index
// as of an earlier time, Audit checks what is there against the logs, Digest
// compares.
//
//	store/*.jsonl --look--> plan --read--> batch --stage--> batch --apply--> index.db
//	                                        |        |                         |
//	                        (goroutine 1: decode)  (goroutine 2: ledger.db)  (caller: SQLite)
//
// One cycle, in order, all under the index lock:
//
//  1. look at the store; nothing changed: done, the ledger is not opened
//  2. decide: full when asked, when index or ledger is missing, damaged or not
//     the other's, or when a source vanished, shrank or has another tail
//  3. reserve a run number in the ledger (of a full rebuild: in ledger.db.tmp)
//  4. read new lines in path order, check every identity against the ledger,
//     write the rows into one open transaction
//  5. a conflict: roll back; the run number is burnt, nothing visible changed
//  6. write the witness; of a full rebuild, sync ledger.db.tmp and rename it
//  7. COMMIT: the only publish; then a checkpoint, best effort
//
// Invariants:
//
//   - index.db is never renamed over and changes only at 7. A reader sees the
//     old content or the new, whole.
//   - A crash before 7 leaves the old index, and ledger entries that do not
//     count because their run was never committed; or a ledger whose ID is not
//     the one the index names. Either way the next cycle converges to the
//     content of a full rebuild.
//   - Incremental and full give the same content, which Digest shows.
//   - Records without identity are never merged and nothing is invented for
//     them.
//
// Non-goals: what to show (package query), and repairing logs.
package projections
