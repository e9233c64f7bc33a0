package main

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/mcpeval/mcpeval/projections/query"
)

// findingTypes are the types of a finding that say more than their Go kind does.
func findingTypes(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[int64]():
		return atLeast(0)
	case reflect.TypeFor[float64]():
		return &jsonschema.Schema{Type: "number", Minimum: "0"}
	}
	return nil
}

// findingSchema is the document of findings --format json. Its members are those
// of query.Finding, and there may be more, so that a column can be added.
func findingSchema() (*jsonschema.Schema, error) {
	r, err := reflector(findingTypes, "projections/query")
	if err != nil {
		return nil, err
	}
	r.AllowAdditionalProperties = true
	finding := r.Reflect(query.Finding{})
	finding.Version = ""
	finding.Title = "finding"
	refine := func(name string, s *jsonschema.Schema) {
		finding.Properties.Set(name, described(s, property(finding, name).Description))
	}
	// A class about the whole server has no tool, a failure without an error no text.
	refine("id", text("^finding-[0-9a-f]{16}$"))
	refine("server", text(labelPattern))
	refine("tool", anyOf(text(toolName), constant("")))
	refine("class", enum(query.ClassRecurringError, query.ClassUnstableCode, query.ClassFalseSuccess, query.ClassBlockedPath,
		query.ClassRecoversOnRetry, query.ClassRetryDidNotRecover, query.ClassHungCall, query.ClassStdoutNoise))
	refine("severity", enum("low", "medium", "high"))
	refine("state", enum(query.StateOpen, query.StateFixClaimed, query.StateVerifying, query.StateClosed))
	refine("failures", atLeast(1))
	refine("sessions", atLeast(2))
	refine("rate", &jsonschema.Schema{Type: "number", Minimum: "0"})
	refine("codes", list(&jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}))
	refine("retryable", orNull(boolean()))
	refine("regressed_by", orNull(uuidOf("7")))
	refine("template_id", text("^([0-9a-f]{16}|unanswered|annotated|stdout-noise|)$"))
	refine("repro", types("object", "string", "null"))
	refine("first_seen", text(instant))
	refine("last_seen", text(instant))
	refine("hint", &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))})
	refine("evidence", list(orNull(uuidOf("7"))))
	s := object(must("findings", list(ref("finding"))))
	s.Title = "mcpeval findings"
	s.Comments = "The members of a finding that are promised; there may be more."
	s.Definitions = jsonschema.Definitions{"finding": finding}
	return s, nil
}
