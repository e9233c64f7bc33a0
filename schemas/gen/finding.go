package main

import "github.com/invopop/jsonschema"

// findingSchema is the document of findings --format json. It is written by hand,
// from what is promised about a finding: the members named here are there in every
// version, and further ones may be, so that a column can be added.
func findingSchema() (*jsonschema.Schema, error) {
	finding := open(
		must("id", described(text("^finding-[0-9a-f]{16}$"), "The same across rebuilds, and on every machine with the same salt.")),
		must("server", text(labelPattern)),
		must("tool", described(text(toolName), "unlisted for a name outside the grammar.")),
		must("class", enum("recurring-error", "unstable-error-code", "false-success", "blocked-optimal-path", "recovers-on-retry", "retry-did-not-recover", "hung-call", "stdout-noise")),
		must("severity", enum("low", "medium", "high")),
		must("state", enum("open", "fix-claimed", "verifying", "closed", "regressed")),
		must("score", &jsonschema.Schema{Type: "number", Minimum: "0"}),
		must("failures", atLeast(1)),
		must("calls", described(atLeast(0), "Calls to the tool, failed or not.")),
		must("sessions", described(atLeast(0), "Distinct sessions with a failure.")),
		must("last_seen", text(instant)),
		must("hint", described(&jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}, "What to change in the server, by class.")),
		must("evidence", described(list(orNull(uuidOf("7"))), "The event ids of the failures; null for a record that has none.")),
	)
	finding.Title = "finding"
	s := object(must("findings", list(ref("finding"))))
	s.Title = "mcpeval findings"
	s.Comments = "The members of a finding that are promised; there may be more."
	s.Definitions = jsonschema.Definitions{"finding": finding}
	return s, nil
}
