// Package sanitize owns the types of everything in an event that came from
// traffic. Raw input goes in, a token of a closed grammar comes out, and nothing
// outside this package can build one any other way: an event cannot hold raw
// content.
//
//	traffic --XOf, Sanitizer, Catalog--> Tool, Shape, Code ... --String--> line
//	                  |                        ^
//	               Screen                      |
//	line -------------- ParseX (grammar) ------'
//	stored text --Suspicious--> a constant reason
//
// Invariants:
//   - Whatever a constructor gives, the Parse function of its type accepts: the
//     two share one grammar. It is frozen for each version of the event.
//   - The grammar is syntactic; only constructors judge what a text looks like
//     (Screen). A better screen never makes an old line unreadable.
//   - Constructors copy; nothing aliases a read buffer.
//   - Errors are constants and never quote the input.
//   - Time is linear in the input and every output is bounded.
//
// The constructors for legacy values treat a stored text as traffic: what the
// grammar allows and the screen passes stays, anything else becomes its bucket.
//
// Non-goals: reading or writing lines, deciding what a message means, validating
// arguments against schemas.
package sanitize
