// Package portability says which client families drop a server's tools, fail or
// hang on what the server sends.
//
//	client.Options.Tap --frames--> Watch --causes--> Rows: client, effect, cause, fix
//
// The families differ more than the protocol allows for: one skips a log line on
// stdout that ends the session of another, which in turn reads a null description
// that makes every tool vanish for the first. The table was measured with the
// official SDKs, TypeScript 1.32 and 2.4, Go 1.8 and Python 2.3, and the end-to-end
// test measures it again.
//
// Invariants:
//   - Nothing here has a part in a score.
//   - Rows are texts of this package, tool names in their grammar and counts.
//     They never quote traffic.
//   - Memory is bounded, whatever the server sends.
//
// Non-goals: what models and their providers accept, and what is not seen on the
// wire, such as an answer whose line never ends.
package portability
