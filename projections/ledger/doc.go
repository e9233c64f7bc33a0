// Package ledger is the identity authority of the journal, a bbolt file: which
// event IDs exist, with what content, where, and since which run; and the
// witness of what was ever seen here.
//
//	events    event ID (16 bytes)  -> run, line digest, source, line, offset
//	witness   capture ID (16)      -> highest seq, that line's digest, ended, removed
//	meta      ledger_id, last_run, since
//
// Invariants:
//
//   - An entry counts when its run was committed by the index, or is the current
//     run. Any other is as if absent, and is overwritten: so a refused or killed
//     run leaves nothing behind but a number that is never used again.
//   - A run's number is durable before the first entry with it.
//   - The witness only grows. It says what was read here once, whatever the
//     index knows now, and a new ledger takes it over from the old one.
//   - Writes go in batches sorted by key: one transaction of hundreds of
//     thousands of random keys is quadratic in bbolt.
//
// Non-goals: readers. Only the holder of the index lock opens the file.
package ledger
