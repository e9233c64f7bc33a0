package demo

import (
	"errors"
	"slices"
)

// The revisions of the specification that the server speaks. They are dates,
// so that they compare as text.
const (
	revision2024   = "2024-11-05"
	revision2025a  = "2025-03-26" // adds annotations, batches, Streamable HTTP
	revision2025b  = "2025-06-18" // adds titles, structured output, elicitation; removes batches
	revision2025c  = "2025-11-25"
	revisionModern = "2026-07-28" // no handshake: every request says its revision
)

// revisions are all revisions, the newest first.
func revisions() []string {
	return []string{revisionModern, revision2025c, revision2025b, revision2025a, revision2024}
}

// ErrProtocol is returned for an Options.Protocol that names no protocol.
var ErrProtocol = errors.New("the protocol is legacy, modern, both or a revision")

// spoken are the revisions that a protocol stands for, the newest first.
func spoken(protocol string) ([]string, error) {
	all := revisions()
	switch {
	case protocol == "" || protocol == "both":
		return all, nil
	case protocol == "legacy":
		return all[1:], nil
	case protocol == "modern":
		return all[:1], nil
	case slices.Contains(all, protocol):
		return []string{protocol}, nil
	}
	return nil, ErrProtocol
}

// speaksModern tells whether requests without a handshake are served.
func (s *Server) speaksModern() bool { return s.spoken[0] == revisionModern }

// stateful are the spoken revisions that have a handshake, the newest first.
func (s *Server) stateful() []string {
	if s.speaksModern() {
		return s.spoken[1:]
	}
	return s.spoken
}

// negotiate answers the revision of initialize: the one asked for when it has a
// handshake and is spoken, else the newest that is; "" when there is none.
func (s *Server) negotiate(asked string) string {
	known := s.stateful()
	switch {
	case slices.Contains(known, asked):
		return asked
	case len(known) > 0:
		return known[0]
	}
	return ""
}
