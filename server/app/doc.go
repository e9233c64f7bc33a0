// Package app holds the use cases that more than one front end offers: the
// doctor's checks, the maintenance of the journal, and the evaluation of servers:
// scaffold, probe, compare.
//
//	cli ------+
//	          +--> app --> projections, journal
//	server/mcp+     |
//	                '--> probes, with one capture of synthetic calls a run
//
// A use case is a function from an Options struct to a value that the caller
// renders. It prints nothing, reads no environment and knows no flag.
//
// Invariants: results are share-safe; a finding about a journal line names its
// file and line and never what the line holds. Nothing here repairs or removes
// anything unless its name says so.
//
// Non-goals: rendering, exit codes.
package app
