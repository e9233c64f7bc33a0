// Package lockfile keeps what a server's tools are defined as, so that a change
// of it is noticed.
//
//	tools/list --> New --> Lock --> Encode --> a file to commit
//	                         |                      |
//	                         +--> Compare <-- Parse-+
//	                                 |
//	                                 +--> changes: tool, field, kind, severity
//
// A Lock holds names, types, what is required, annotations, and digests of
// everything else: of prose, of defaults, of the rules that a schema adds. It
// holds no text that a server wrote but names, and of these only such as are
// plain; others stand as their digest.
//
// Invariants: the same definitions make the same bytes, in whatever order tools,
// members, required names, enumerations and alternatives came. Any other change
// of a definition changes the Lock, but for _meta, which servers fill as they
// like.
//
// Non-goals: resources and prompts, which change as they should; a judgement of
// the definitions, which is the battery's.
package lockfile
