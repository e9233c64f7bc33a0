// Package demo is a small MCP server for stdio. It makes every probe testable
// and the README runnable with nothing else installed.
//
//	stdin --line--> Serve: decode, route --answer--> stdout
//	                         |
//	                         +-- tools (weather, notes), read-only and deterministic
//	                         +-- one Aspect, which breaks exactly one thing
//
// It speaks both lifecycles: initialize for the revisions 2024-11-05 to
// 2025-11-25, and server/discover with _meta on every request for 2026-07-28.
// A session may mix them, since each request says which one it is.
//
// Invariants: without an aspect it follows the specification of the revision
// in use; with one it differs from that in the way the aspect's text says and
// in no other. The same input gives the same output.
//
// Non-goals: prompts, resources, HTTP, state across sessions.
package demo
