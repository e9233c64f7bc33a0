// Package demo is a small MCP server. It makes every probe testable and the
// README runnable with nothing else installed.
//
//	stdin, POST --message--> exchange --dispatch--> reply --> stdout, JSON or SSE
//	                            |          |
//	                   session, revision   +-- tools, resources, prompts, completion
//	                                       +-- one Aspect, which breaks one thing
//
// It speaks both lifecycles over stdio and Streamable HTTP: initialize and
// sessions for the revisions 2024-11-05 to 2025-11-25, and server/discover with
// _meta on every request for 2026-07-28. A connection over stdio, or an
// endpoint, may mix them, since each request says which one it is.
//
// Manifest is the manifest of all probe kinds that the clean server passes. The
// effects of an aspect say which of its cases then fail and with which reason.
//
// Invariants: without an aspect the server follows the specification of the
// revision in use; with one it differs from that in the way the aspect's text
// says and in no other. The same input gives the same output, but for the
// session IDs over HTTP. What the server remembers ends with it, and nothing is
// written anywhere. An observer sees names that this package knows, never values.
//
// Non-goals: the HTTP+SSE transport of 2024-11-05, resumable streams, tasks,
// other hosts than the local one.
package demo
