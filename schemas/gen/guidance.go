package main

import (
	"github.com/invopop/jsonschema"

	"github.com/mcpeval/mcpeval/probes/guidance"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// guidanceSchema is the document of guidance --format json.
func guidanceSchema() (*jsonschema.Schema, error) {
	profile := func() *jsonschema.Schema { return enum(guidance.Profiles()...) }
	tool := func() *jsonschema.Schema {
		return described(text(toolName), "unlisted for a name outside the grammar.")
	}
	profiles := list(object(
		must("profile", profile()),
		must("error", described(orNull(enum(reason.ServerNotStarted, reason.DiscoveryIncomplete, reason.EvaluationBudgetExceeded)), "Why the profile could not be measured.")),
		must("instructions", described(boolean(), "Whether the server sent any.")),
		must("tools", described(atLeast(0), "How many tools are listed.")),
		must("named", described(atLeast(0), "How many tools, of any profile, the instructions name in backticks.")),
	))
	n := uint64(len(guidance.Profiles()))
	profiles.MinItems, profiles.MaxItems = &n, &n
	s := object(
		must("schema", constant(guidance.Schema)),
		must("generator", object(must("name", text(labelPattern)), must("version", text(labelPattern)))),
		must("server", text(labelPattern)),
		must("passed", described(orNull(boolean()), "Whether every profile lists every required tool; null when none was required, or when a profile could not be measured and no tool is missing.")),
		must("profiles", profiles),
		must("candidates", described(list(object(must("profile", profile()), must("tool", tool()), must("listed_by", list(profile())))), "For a person to review: tools that the instructions name to a client that does not have them.")),
		must("required", list(object(must("tool", tool()), must("missing", described(list(profile()), "The measured profiles that do not list it."))))),
	)
	s.Title = "mcpeval guidance report"
	return s, nil
}
