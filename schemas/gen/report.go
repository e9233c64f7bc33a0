package main

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

const labelPattern = "^[A-Za-z0-9_.:-]{1,128}$"

// reportTypes are the types of a report that say more than their Go kind does.
func reportTypes(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[report.Label]():
		return text(labelPattern)
	case reflect.TypeFor[report.CaseID]():
		return text("^[A-Za-z][A-Za-z0-9_.:-]{0,63}$")
	case reflect.TypeFor[report.Tool]():
		return text("^[A-Za-z0-9_.:/-]{1,128}$")
	case reflect.TypeFor[report.SHA256]():
		return text("^[0-9a-f]{64}$")
	case reflect.TypeFor[report.Standard]():
		return text("^mcpeval-standard/[1-9][0-9]{0,3}$")
	case reflect.TypeFor[report.Hint]():
		return &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}
	case reflect.TypeFor[report.Verdict]():
		return boolean()
	case reflect.TypeFor[report.Value]():
		return anyOf(atLeast(0), boolean())
	case reflect.TypeFor[report.Score]():
		return &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "100"}
	case reflect.TypeFor[reason.Label]():
		return ref("Reason")
	case reflect.TypeFor[reason.Kind]():
		return ref("Kind")
	case reflect.TypeFor[report.Metric]():
		return enum(report.Metrics()...)
	case reflect.TypeFor[report.Bound]():
		return enum(report.Bounds()...)
	case reflect.TypeFor[report.CheckID]():
		return enum(report.CheckIDs()...)
	case reflect.TypeFor[report.Change]():
		return enum(report.Changes()...)
	case reflect.TypeFor[report.Field]():
		return enum(report.Fields()...)
	case reflect.TypeFor[int64]():
		return atLeast(0)
	}
	return nil
}

// reflectReport reads a document's type and adds what its parts share.
func reflectReport(document any, version string) (*jsonschema.Schema, error) {
	r, err := reflector(reportTypes, "probes/report")
	if err != nil {
		return nil, err
	}
	s := r.Reflect(document)
	s.Properties.Set("schema", described(constant(version), property(s, "schema").Description))
	s.Definitions["Reason"] = enum(reason.Labels()...)
	s.Definitions["Kind"] = enum(reason.Kinds()...)
	s.Definitions["Measurements"].PropertyNames = enum(report.Metrics()...)
	detail := s.Definitions["Detail"]
	var times []report.Bound
	for _, b := range report.Bounds() {
		if b.Time() {
			times = append(times, b)
		}
	}
	detail.AllOf = []*jsonschema.Schema{when([]member{must("bound", enum(times...))}, []member{must("observed", boolean())})}
	return s, nil
}

func reportSchema() (*jsonschema.Schema, error) {
	s, err := reflectReport(report.Document{}, report.Schema)
	if err != nil {
		return nil, err
	}
	s.Title = "mcpeval probe report"
	s.Comments = "Not expressed here: case ids are unique, gate counts the cases, first_failure is at most attempts, a reason is one that its kind of probe gives, scores have at most two decimals (multipleOf fails on them in validators that use floating point)."
	property(s, "readiness_error").OneOf[0] = enum(labels(reason.Unmeasured, reason.Fault, reason.NotRun)...)
	s.AllOf = []*jsonschema.Schema{
		when([]member{must("gate", null())}, []member{must("manifest_sha256", null()), must("cases", &jsonschema.Schema{MaxItems: new(uint64(0))})}),
		when([]member{must("manifest_sha256", null())}, []member{must("gate", null())}),
		when([]member{must("readiness", not(null()))}, []member{must("readiness_error", null())}),
	}
	c := s.Definitions["Case"]
	c.AllOf = append(verdictRules(), hintRules()...)
	s.Definitions["Check"].AllOf = hintRules()
	return s, nil
}

// hintRules say that there is a hint exactly where there is a reason.
func hintRules() []*jsonschema.Schema {
	return []*jsonschema.Schema{
		when([]member{must("reason", null())}, []member{must("hint", null())}),
		when([]member{must("reason", not(null()))}, []member{must("hint", not(null()))}),
	}
}

// labels are the reasons of some classes.
func labels(classes ...reason.Class) []reason.Label {
	var list []reason.Label
	for _, r := range reason.All() {
		for _, c := range classes {
			if r.Class == c {
				list = append(list, r.Label)
			}
		}
	}
	return list
}

// verdictRules say which reasons go with a verdict.
func verdictRules() []*jsonschema.Schema {
	nothing := func() []member { return []member{must("first_failure", null()), must("detail", null())} }
	return []*jsonschema.Schema{
		when([]member{must("passed", constant(true))}, append(nothing(), must("reason", null()))),
		when([]member{must("passed", constant(false))}, []member{must("reason", enum(labels(reason.Failure, reason.Fault)...)), must("first_failure", orNull(atLeast(1)))}),
		when([]member{must("passed", null())}, append(nothing(), must("reason", enum(labels(reason.NotApplicable, reason.NotRun)...)))),
		when([]member{must("reason", enum(labels(reason.NotRun)...))}, []member{must("attempts", constant(0))}),
		when([]member{must("reason", enum(reason.LatencyBudgetExceeded))}, []member{must("first_failure", null())}),
	}
}

func diffSchema() (*jsonschema.Schema, error) {
	s, err := reflectReport(report.Diff{}, report.DiffSchema)
	if err != nil {
		return nil, err
	}
	s.Title = "mcpeval probe diff"
	s.Comments = "Not expressed here: case ids are unique, summary counts the cases."
	s.Definitions["State"].AllOf = verdictRules()
	c := s.Definitions["DiffCase"]
	property(c, "fields").UniqueItems = true
	both := []member{must("base", not(null())), must("current", not(null()))}
	none := must("fields", &jsonschema.Schema{MaxItems: new(uint64(0))})
	some := must("fields", &jsonschema.Schema{MinItems: new(uint64(1))})
	rule := func(of report.Change, then ...member) *jsonschema.Schema {
		return when([]member{must("change", constant(string(of)))}, then)
	}
	c.AllOf = []*jsonschema.Schema{
		rule(report.Regressed, append(both, some)...), rule(report.Fixed, append(both, some)...), rule(report.Changed, append(both, some)...),
		rule(report.Unchanged, append(both, none)...),
		rule(report.Added, must("base", null()), must("current", not(null())), none),
		rule(report.Removed, must("base", not(null())), must("current", null()), none),
	}
	return s, nil
}
