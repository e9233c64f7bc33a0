package scaffold

import (
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
)

// LatencyBudget is latencyBudget, for its table.
var LatencyBudget = latencyBudget

// Written is the manifest of a catalog all of whose candidates succeed, every
// unannotated tool attested.
func Written(entries []rawjson.Value) (*manifest.Manifest, []*Tool, error) {
	r := &run{o: Options{ConfirmReadOnly: true, Budget: client.NewBudget(nil)}}
	tools, _, err := r.toolsOf(entries)
	if err != nil {
		return nil, nil, err
	}
	w := newWriter()
	c := measure(entries)
	w.serverCases(&c, &client.Facts{})
	var succeeded []*Tool
	for _, t := range tools {
		if t.Decision.Candidate() {
			succeeded = append(succeeded, t)
			w.toolCases(t, 0, len(succeeded) == 1)
		}
	}
	w.payloadCase(succeeded)
	m, err := w.manifest()
	return m, tools, err
}
