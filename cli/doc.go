// Package cli is the command line: one file a verb.
//
//	os.Args --> Main --> split at "--" --> verb: parse into xOptions --> runX --> library
//	              |                                                        |
//	              +-- exit code <-- one switch over the error <------------+
//
// A verb's Action only parses; its runX only calls the packages below and
// renders what they return. Whatever is also of use to mcpeval's own MCP
// endpoint lives in server/app.
//
// Invariants: everything after the first "--" belongs to the command a verb
// starts and is never interpreted. Errors go to stderr and say what was wrong,
// where, and what to do next; stdout carries results only. With --format json
// stdout is one JSON object. Tables are aligned and coloured on a terminal and
// tab-separated elsewhere; progress is shown on a terminal's stderr only.
//
// Non-goals: configuration files, aliases, plugins, a verbose mode. Nothing
// raw from traffic may be printed, so there is no flag that does it.
package cli
