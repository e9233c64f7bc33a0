package report

import (
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/reason"
)

func (r *reader) document(v rawjson.Value) *Document {
	m := r.object(v, "", "schema", "generator", "server", "manifest_sha256", "passed", "gate", "readiness", "readiness_error", "cases")
	if r.err != nil {
		return nil
	}
	d := &Document{Schema: r.text(m[0], "schema")}
	g := r.object(m[1], "generator", "name", "version")
	d.Generator = Generator{r.label(g[0], "generator.name"), r.label(g[1], "generator.version")}
	d.Server = r.label(m[2], "server")
	if s := r.optText(m[3], "manifest_sha256"); s != "" {
		var err error
		if d.ManifestSHA256, err = ParseSHA256(s); err != nil {
			r.fail("manifest_sha256", "is no SHA-256 in lower-case hex")
		}
	}
	d.Passed = r.bool(m[4], "passed")
	if !isNull(m[5]) {
		d.Gate = r.gate(m[5])
	}
	if !isNull(m[6]) {
		d.Readiness = r.readiness(m[6])
	}
	d.ReadinessError = r.reason(m[7], "readiness_error")
	if m[8].Kind() != rawjson.Array {
		r.fail("cases", "is no array")
	}
	for c := range m[8].Elements() {
		d.Cases = append(d.Cases, r.oneCase(c, "cases["+decimal(int64(len(d.Cases)))+"]"))
	}
	return d
}

func (r *reader) gate(v rawjson.Value) *Gate {
	m := r.object(v, "gate", "passed", "failed", "not_applicable", "not_run", "total")
	if r.err != nil {
		return nil
	}
	return &Gate{r.count(m[0], "gate.passed"), r.count(m[1], "gate.failed"), r.count(m[2], "gate.not_applicable"), r.count(m[3], "gate.not_run"), r.count(m[4], "gate.total")}
}

func (r *reader) oneCase(v rawjson.Value, path string) (c Case) {
	m := r.object(v, path, "id", "probe", "tool", "passed", "attempts", "first_failure", "reason", "hint", "detail", "measurements")
	if r.err != nil {
		return c
	}
	id, err := NewCaseID(r.text(m[0], path+".id"))
	if err != nil {
		r.fail(path+".id", "is no case id")
	}
	c.ID = id
	c.Probe = reason.Kind(r.text(m[1], path+".probe"))
	c.Tool = r.tool(m[2], path+".tool")
	if !isNull(m[3]) {
		c.Passed = Fail
		if r.bool(m[3], path+".passed") {
			c.Passed = Pass
		}
	}
	c.Attempts = r.count(m[4], path+".attempts")
	if !isNull(m[5]) {
		c.FirstFailure = new(r.count(m[5], path+".first_failure"))
	}
	c.Reason = r.reason(m[6], path+".reason")
	r.hint(m[7], path+".hint", c.Reason)
	if !isNull(m[8]) {
		c.Detail = r.detail(m[8], path+".detail")
	}
	c.Measurements = r.measurements(m[9], path+".measurements")
	return c
}

// hint checks only that there is one exactly where there is a reason: its wording
// may be that of another version.
func (r *reader) hint(v rawjson.Value, path string, l reason.Label) {
	if (r.optText(v, path) == "") != (l == "") {
		r.fail(path, "does not fit the reason")
	}
}

func (r *reader) detail(v rawjson.Value, path string) *Detail {
	m := r.object(v, path, "bound", "limit", "observed")
	if r.err != nil {
		return nil
	}
	return &Detail{Bound(r.text(m[0], path+".bound")), r.value(m[1], path+".limit"), r.value(m[2], path+".observed")}
}

func (r *reader) measurements(v rawjson.Value, path string) Measurements {
	all := Measurements{}
	if v.Kind() != rawjson.Object {
		r.fail(path, "is no object")
	}
	for key, value := range v.Members() {
		name := Metric(key.Text())
		if !name.Known() {
			r.fail(path, "has a name that no probe measures")
			return nil
		}
		at := path + "." + string(name)
		if _, twice := all[name]; twice {
			r.fail(at, "is repeated")
		}
		all[name] = r.value(value, at)
	}
	return all
}

func (r *reader) readiness(v rawjson.Value) *Readiness {
	const at = "readiness"
	m := r.object(v, at, "standard", "total", "areas", "lost_checks")
	if r.err != nil {
		return nil
	}
	standard, ok := parseStandard(r.text(m[0], at+".standard"))
	if !ok {
		r.fail(at+".standard", "is no standard")
	}
	s := &Readiness{Standard: standard, Total: r.score(m[1], at+".total")}
	names := []string{"protocol", "catalog", "context", "reliability", "error_honesty", "coverage"}
	into := []*Score{&s.Areas.Protocol, &s.Areas.Catalog, &s.Areas.Context, &s.Areas.Reliability, &s.Areas.ErrorHonesty, &s.Areas.Coverage}
	for i, area := range r.object(m[2], at+".areas", names...) {
		*into[i] = r.score(area, at+".areas."+names[i])
	}
	if m[3].Kind() != rawjson.Array {
		r.fail(at+".lost_checks", "is no array")
	}
	for c := range m[3].Elements() {
		s.LostChecks = append(s.LostChecks, r.check(c, at+".lost_checks["+decimal(int64(len(s.LostChecks)))+"]"))
	}
	return s
}

func (r *reader) check(v rawjson.Value, path string) (c Check) {
	m := r.object(v, path, "id", "tool", "score", "observed", "reason", "hint")
	if r.err != nil {
		return c
	}
	c.ID = CheckID(r.text(m[0], path+".id"))
	c.Tool = r.tool(m[1], path+".tool")
	c.Score = r.score(m[2], path+".score")
	if !isNull(m[3]) {
		c.Observed = r.value(m[3], path+".observed")
	}
	c.Reason = r.reason(m[4], path+".reason")
	r.hint(m[5], path+".hint", c.Reason)
	return c
}
