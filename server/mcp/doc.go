// Package mcp is the MCP endpoint for coding agents: the use cases of server/app
// as tools, over Streamable HTTP on loopback or over stdio.
//
//	HTTP --> admission --> loopback.Guard --> front --screen--> SDK --> tools --> app
//	             |              |               |                         |
//	          too many,      browsers:       no JSON-RPC: an answer       '-- evaluations: one at a time
//	          too slow:      4xx             of our own
//	          closed
//	stdio --> wire --screen------------------------------------> SDK
//
// The official SDK speaks the protocol, stateless on both wires of its life
// cycles. What it answers otherwise than with JSON-RPC, or not at all, is caught
// in front of it. The catalog of tools is catalog.json.
//
// Evaluations hang off a registry of ours and not off the SDK's contexts: for
// clients before 2026-07-28 neither a lost connection nor a cancellation would
// reach them. Sessions are minted in front of the SDK, so that it stays
// stateless, and are only names for whose request is whose.
//
// Invariants:
//   - A tool that starts processes is neither listed nor callable without
//     Options.AllowSpawn.
//   - No arguments authorize mutation or another machine.
//   - Arguments that break a tool's schema never reach the tool.
//   - An evaluation ends with its client, with its cancellation or with the
//     endpoint, and no process that it started lives on.
//   - Answers are share-safe. Errors never quote what was sent.
//   - The index is never made here, unless Options.Reindex is set.
//
// Non-goals: authentication, TLS, resumable streams, server requests.
package mcp
