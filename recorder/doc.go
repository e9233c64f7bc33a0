// Package recorder turns the frames of MCP traffic into journal events.
//
//	frames of a client --.                          .--> journal.Writer (or any Sink)
//	                      > Correlator --bodies--> -|
//	frames of a server --'   |                      '--> one event a call, notification, unparsed frame ...
//	                         '-- requests wait for their response
//
//	bytes of stdio --Lines--> wire.Scanner x2 --frames--> Capture --> Correlator --> journal.Writer
//	frames of HTTP --------------------------------------'                              |
//	                                         write(2), fsync on their own goroutines <--'
//
// A Correlator is pure: no I/O of its own, no goroutine, no clock but the times
// it is given, no knowledge of a transport. A Capture gives it a home, a log and
// somebody's bytes.
//
// Invariants:
//   - Every request is exactly one call event, whatever becomes of it, unless
//     the sink fails.
//   - Nothing of a frame outlives the call that brought it, but what
//     journal/sanitize has made of it, and keyed hashes that link the legs of a
//     multi-round-trip operation.
//   - Memory is bounded, whatever comes: see the limits in limits.go.
//   - Recording never costs anyone their server: whatever goes wrong in a
//     Capture ends the recording, says so in one constant line, and is otherwise
//     silent.
//
// Non-goals: forwarding bytes (recorder/stdio, recorder/http), finding frames
// and messages in them (recorder/wire), deciding what a stored event may hold
// (journal/sanitize).
package recorder
