// Package corpus is our collection of public servers, scored with the standard
// battery, and the place of a score among them.
//
//	servers.tsv --collect.sh--> reports --gen--> corpus.json --embedded--> Public
//	                                       \---> docs/state-of-mcp-servers.md
//
// Invariants: a server whose tools need something that was not there when it was
// scored (a network, a browser, a database) has no total, and no score is placed
// against it; scores of another standard are never compared.
//
// Non-goals: running servers, which is the standard battery's.
package corpus

//go:generate go run ./gen -docs ../../docs/state-of-mcp-servers.md
