package client

import "slices"

// Lifecycle is how a session begins, if there is one.
type Lifecycle uint8

// The lifecycles.
const (
	Stateful  Lifecycle = iota + 1 // initialize
	Stateless                      // _meta on every request
)

// The revisions that are spoken.
const (
	Revision2024  = "2024-11-05"
	Revision2025a = "2025-03-26"
	Revision2025b = "2025-06-18"
	Revision2025c = "2025-11-25"
	Revision2026  = "2026-07-28"
)

// Auto lets the server's answers decide on the revision.
const Auto = "auto"

// Revisions lists the revisions that are spoken, oldest first.
func Revisions() []string {
	return []string{Revision2024, Revision2025a, Revision2025b, Revision2025c, Revision2026}
}

func stateful(revision string) bool {
	return revision != Revision2026 && slices.Contains(Revisions(), revision)
}

// newestStateful is the newest stateful revision among those a server lists, or
// "".
func newestStateful(listed []string) string {
	for _, r := range slices.Backward(Revisions()) {
		if stateful(r) && slices.Contains(listed, r) {
			return r
		}
	}
	return ""
}
