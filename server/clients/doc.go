// Package clients edits the configuration files of MCP clients, so that their
// stdio servers run below the shim, and takes those edits back.
//
//	Places --> Open --> parse --> Wrap or Unwrap --> Write
//	(a system)  file     tree      edits of its text   backup, atomic rename
//	                                  |
//	                                  +--> Diff, with every other value masked
//
// A file is never decoded and written anew: its text is parsed for positions
// only, and what changes is a few spans of it. Comments, the order of keys,
// indentation, line ends and a byte order mark stay because they are not
// touched.
//
// Invariants: Unwrap(Wrap(text)) is text, byte for byte, for every text that
// parses and has nothing wrapped. Wrap of what is wrapped changes nothing. Errors name a file and a
// position, never what stands there; Diff shows commands and what the shim was
// given, and no other value, because configurations hold secrets.
//
// Non-goals: knowing what clients make of a file that is not JSON, servers that
// extensions bring along, and configurations that a project shares, unless they
// are named.
package clients
