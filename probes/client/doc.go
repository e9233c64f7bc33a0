// Package client is the raw MCP client of the probes. It speaks JSON-RPC itself,
// over stdio and Streamable HTTP, because it must see the faults that an SDK
// hides.
//
//	Dial --spawn or connect--> server/discover --+--> stateless (2026-07-28)
//	                                             '--> initialize: stateful (2024-11-05 to 2025-11-25)
//	Conn.Call --Budget--> transport --frame--> server
//	              |           '--> inbound: response -> its call; notification -> observer;
//	              |                server request -> answered or declined; anything else -> counted
//	              '--> *Fault when the transport, and not the server's answer, ends the call
//
// Lenient in what it goes on through, strict in what it reports: banners, blank
// lines, stray, late and repeated responses are counted and passed over; what
// breaks a call is a Fault with a fixed label.
//
// Invariants:
//   - Every call ends: by its answer, its timeout, the end of the connection or
//     the end of the budget. Nothing waits without a timer.
//   - A Fault's text is fixed labels and numbers; it never quotes traffic, and
//     neither does anything else here. The Authorization value is in no text.
//   - Ids are unique in a Conn and never reused, whatever became of the request.
//   - JSON is read case-sensitively and numbers stay as received.
//   - Redirects are never followed. Nothing outlives Close: no process of the
//     server's group, no goroutine, no connection.
//
// Non-goals: judging answers, retrying tool calls, the HTTP+SSE transport of
// 2024-11-05, OAuth.
package client
