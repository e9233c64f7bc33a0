package battery

import (
	"strings"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

// GateError is returned before the server is started, when mutating cases may
// not run.
type GateError struct {
	Refused []manifest.Refusal
}

func (e *GateError) Error() string {
	var b strings.Builder
	b.WriteString("mutating cases may not run:")
	for _, r := range e.Refused {
		b.WriteString("\n  " + r.ID + " " + string(r.Reason))
	}
	return b.String()
}

// AccessError is returned before any tool is called, when read-only cases name
// tools that the server annotates as writers.
type AccessError struct {
	Cases []string // their ids, in the manifest's order
}

func (e *AccessError) Error() string {
	return "read_only cases name tools that write, as the server says (readOnlyHint false or destructiveHint true); declare access mutating and a sandbox: " +
		strings.Join(e.Cases, ", ")
}

// checkAccess holds the read-only cases against the catalog.
func (r *run) checkAccess(cases []manifest.Case) error {
	var refused []string
	for _, c := range cases {
		if c.Base().Access != manifest.ReadOnly {
			continue
		}
		for _, call := range manifest.ToolCalls(c) {
			if r.catalog.Writes(call.Tool) {
				refused = append(refused, c.Base().ID)
				break
			}
		}
	}
	if refused != nil {
		return &AccessError{Cases: refused}
	}
	return nil
}
