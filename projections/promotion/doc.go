// Package promotion is the arithmetic that makes findings of issues. It reads
// nothing and keeps nothing.
//
//	counters of an issue --Class--> class
//	        |    as-of --Score----> score --threshold--> finding, severity
//	        v
//	  at least two sessions
//
//	score = lower bound of the rate of failures (Wilson, 95%)
//	        x 0.5^(age in days / 14) x log2(1 + cost) x (1 + log2(blast))
//
// Invariants: a function of its arguments alone; more failures of as many
// calls, a later last failure, more cost or blast never lower a score.
//
// Non-goals: where counters come from (package index) and the lifecycle of a
// finding (package lifecycle).
package promotion
