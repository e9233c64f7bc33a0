// Package httpshim is the Streamable HTTP shim: a loopback proxy that forwards
// every byte as it comes and records what passes.
//
//	client --> loopback.Guard --> proxy --> upstream
//	client <-- every read flushed -- proxy <-- upstream
//	                                  |
//	             exchange: begun, answered, chunk ..., ended
//	                                  |  put before the bytes are passed on
//	                                  v
//	                     queue (bounded; what does not fit is a gap)
//	                                  |
//	                                  v  one goroutine
//	            scribe: bodies --wire--> frames --> recorder.Capture
//	                     one for each Mcp-Session-Id, one for all the rest
//
// Invariants:
//   - Forwarding never waits for recording, and goes on when recording cannot.
//   - A request is in the queue before upstream can see it, and so before its
//     response can exist.
//   - A request body is read to its end before anything goes upstream: servers
//     that answer early otherwise cost the tail of their answers.
//   - An upstream's status is passed on as it is. A status of our own means that
//     upstream could not be reached, or that a bound was exceeded.
//   - Memory is bounded: bodies, events, the queue, the open captures.
//   - Session ids, header values and bodies stay in memory; captures hold what
//     journal/sanitize lets through.
//
// Non-goals: following redirects, retries, authentication, TLS towards the
// client, HTTP/2, and the 2024-11-05 transport (an "endpoint" event), which
// passes but is not recorded.
package httpshim
