package recorder

import "time"

// Bounds of what a Correlator remembers.
const (
	maxWaiting  = 65_536 // requests without a response; then the oldest becomes unknown
	maxAnswered = 4_096  // ids of answered requests, to tell duplicates from orphans
	maxTasks    = 4_096  // progress tokens that outlive their request because it became a task
	maxLegs     = 1_024  // interim results that may still be retried
	maxAsked    = 64     // keys of one interim result's inputRequests
	maxNames    = 1_024  // tool names whose stored form is remembered
)

// pendingAfter is how long a request waits before a pending event keeps the
// evidence of it. Clients kill a hung recorder with SIGKILL.
const pendingAfter = 10 * time.Second
