package standard

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// scores collects what the checks give.
type scores struct {
	areas  report.Areas
	lost   []report.Check
	passed int // checks of the protocol

	contention, payload reason.Label // why they were lost
}

const protocolChecks = 6

// lose notes a check that cost points.
func (s *scores) lose(id report.CheckID, t report.Tool, points float64, observed report.Value, why reason.Label) {
	// Points of less than a hundredth are shown as the least that is.
	s.lost = append(s.lost, report.Check{
		ID: id, Tool: t, Score: min(score(points), 9999), Observed: observed, Reason: why,
	})
}

// readiness is the result, its checks by area and in the catalog's order.
func (s *scores) readiness() *report.Readiness {
	order := report.CheckIDs()
	slices.SortStableFunc(s.lost, func(a, b report.Check) int {
		return cmp.Compare(slices.Index(order, a.ID), slices.Index(order, b.ID))
	})
	if s.lost == nil {
		s.lost = []report.Check{}
	}
	s.areas.Protocol = score(100 * float64(s.passed) / protocolChecks)
	return &report.Readiness{Standard: report.NewStandard(Version), Total: total(s.areas), Areas: s.areas, LostChecks: s.lost}
}

// protocol takes one of the area's checks, which are passed or lost.
func (s *scores) protocol(id report.CheckID, why reason.Label) {
	if why == "" {
		s.passed++
		return
	}
	s.lose(id, report.Tool{}, 0, report.Value{}, why)
}

// catalog judges each entry by the share of its checks.
func (s *scores) catalog(entries []rawjson.Value) {
	if len(entries) == 0 {
		s.lose(report.CheckDescription, report.Tool{}, 0, report.Int(0), reason.NoToolsListed)
		return
	}
	sum := 0.0
	for _, entry := range entries {
		checks := entryChecks(entry)
		passed := 0
		for _, c := range checks {
			if c.Reason == "" {
				passed++
				continue
			}
			s.lost = append(s.lost, c)
		}
		sum += float64(passed) / float64(len(checks))
	}
	s.areas.Catalog = score(100 * sum / float64(len(entries)))
}

// entryChecks are the checks of one entry, those that passed without a reason.
func entryChecks(entry rawjson.Value) []report.Check {
	shown := report.ToolOf(cmp.Or(nameOf(entry), " "))
	var checks []report.Check
	add := func(id report.CheckID, ok bool, observed report.Value, why reason.Label) {
		c := report.Check{ID: id, Tool: shown}
		if !ok {
			c.Observed, c.Reason = observed, why
		}
		checks = append(checks, c)
	}
	text, _ := entry.Get("description")
	description, _ := text.Text()
	length := utf8.RuneCountInString(strings.TrimSpace(description))
	add(report.CheckDescription, length >= minDescription, report.Int(int64(length)), reason.DescriptionTooShort)

	input, _ := entry.Get("inputSchema")
	if input.Kind() == rawjson.Object {
		undescribed, untyped := propertyFaults(input)
		add(report.CheckPropertyText, undescribed == 0, report.Int(int64(undescribed)), reason.PropertyUndescribed)
		add(report.CheckPropertyType, untyped == 0, report.Int(int64(untyped)), reason.PropertyUntyped)
	} else {
		add(report.CheckPropertyText, false, report.Value{}, reason.InvalidSchema)
		add(report.CheckPropertyType, false, report.Value{}, reason.InvalidSchema)
	}

	annotations, _ := entry.Get("annotations")
	says := func(hint string) bool {
		v, _ := annotations.Get(hint)
		return v.Kind() == rawjson.Bool
	}
	add(report.CheckReadOnlyHint, says("readOnlyHint"), report.Bool(false), reason.ReadOnlyHintMissing)
	if accessOf(entry) == writer {
		add(report.CheckDestructiveHint, says("destructiveHint"), report.Bool(false), reason.DestructiveHintMissing)
	}
	output, _ := entry.Get("outputSchema")
	add(report.CheckOutputSchema, output.Kind() == rawjson.Object, report.Bool(false), reason.OutputSchemaUndeclared)
	return checks
}

// propertyFaults counts the properties at the top of an input schema that have no
// description, and those without a type.
func propertyFaults(input rawjson.Value) (undescribed, untyped int) {
	properties, _ := input.Get("properties")
	for _, property := range properties.Members() {
		if !describes(property) && !describes(target(input, property)) {
			undescribed++
		}
		if !typed(property) {
			untyped++
		}
	}
	return undescribed, untyped
}

// typed reports whether a property says what it holds. An empty type says nothing.
func typed(property rawjson.Value) bool {
	for _, keyword := range []string{"enum", "const", "$ref", "anyOf", "oneOf"} {
		if _, ok := property.Get(keyword); ok {
			return true
		}
	}
	kind, _ := property.Get("type")
	text, _ := kind.Text()
	return text != "" || kind.Kind() == rawjson.Array && kind.Len() > 0
}

func describes(property rawjson.Value) bool {
	v, _ := property.Get("description")
	text, _ := v.Text()
	return strings.TrimSpace(text) != ""
}

// target is what a property's local $ref leads to, absent when it has none.
func target(root, property rawjson.Value) rawjson.Value {
	v, _ := property.Get("$ref")
	text, _ := v.Text()
	pointer, ok := strings.CutPrefix(text, "#/")
	if !ok {
		return rawjson.Value{}
	}
	at := root
	for token := range strings.SplitSeq(pointer, "/") {
		at, _ = at.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return at
}

// context judges what the catalog costs.
func (s *scores) context(catalog *battery.Catalog) {
	if len(catalog.Entries) == 0 {
		s.lose(report.CheckCatalogTokens, report.Tool{}, 0, report.Int(0), reason.NoToolsListed)
		return
	}
	tokens := falling(catalog.Tokens, tokensFull, tokensNone)
	if tokens < 100 {
		s.lose(report.CheckCatalogTokens, report.Tool{}, tokens, report.Int(int64(catalog.Tokens)), reason.CatalogTooHeavy)
	}
	heaviest := falling(catalog.Heaviest, heaviestFull, heaviestNone)
	if heaviest < 100 {
		s.lose(report.CheckHeaviestTool, heaviestTool(catalog), heaviest, report.Int(int64(catalog.Heaviest)), reason.ToolTooHeavy)
	}
	s.areas.Context = score((shareTokens*tokens + shareHeaviest*heaviest) / 100)
}

func heaviestTool(catalog *battery.Catalog) report.Tool {
	for _, entry := range catalog.Entries {
		if one := battery.NewCatalog([]rawjson.Value{entry}); one.Tokens == catalog.Heaviest {
			return report.ToolOf(cmp.Or(nameOf(entry), " "))
		}
	}
	return report.Tool{}
}

// behaviour judges the three areas that need calls. Every tool that does not say
// it writes counts in them, called or not.
func (s *scores) behaviour(tools []*tool) {
	var read []*tool
	for _, t := range tools {
		if t.access != writer {
			read = append(read, t)
		}
	}
	if len(read) == 0 {
		why := reason.NoToolToCall
		if len(tools) == 0 {
			why = reason.NoToolsListed
		}
		for _, id := range []report.CheckID{report.CheckSuccess, report.CheckContention, report.CheckPayload, report.CheckRefusal, report.CheckCoverage} {
			s.lose(id, report.Tool{}, 0, report.Int(0), why)
		}
		return
	}
	reliability, exercised, judged, honest := 0.0, 0, 0, 0
	for _, t := range read {
		reliability += s.reliability(t)
		if t.calls.made {
			exercised++
		} else {
			s.lose(report.CheckCoverage, t.shown, 0, report.Bool(false), cmp.Or(t.why, t.calls.failure))
		}
		if !t.refusal.judged {
			continue
		}
		judged++
		if t.refusal.lost == "" {
			honest++
		} else {
			s.lose(t.refusal.lost, t.shown, 0, report.Bool(false), t.refusal.reason)
		}
	}
	n := float64(len(read))
	s.areas.Reliability = score((shareTools*reliability/n + shareContention*s.once(report.CheckContention, s.contention) + sharePayload*s.once(report.CheckPayload, s.payload)) / 100)
	s.areas.Coverage = score(100 * float64(exercised) / n)
	if judged == 0 {
		s.lose(report.CheckRefusal, report.Tool{}, 0, report.Int(0), reason.NothingToRefuse)
		return
	}
	s.areas.ErrorHonesty = score(100 * float64(honest) / float64(judged))
}

// once is what a check that is made on one tool gives.
func (s *scores) once(id report.CheckID, why reason.Label) float64 {
	if why == "" {
		return 100
	}
	s.lose(id, report.Tool{}, 0, report.Bool(false), why)
	return 0
}

// reliability is the points of one tool: the mean of consistency, latency and
// conformance, times the share of calls that succeeded.
func (s *scores) reliability(t *tool) float64 {
	c := &t.calls
	if c.successes < callsPerTool {
		s.lose(report.CheckSuccess, t.shown, 100*float64(c.successes)/callsPerTool, report.Int(int64(c.successes)), cmp.Or(t.why, c.failure))
	}
	if c.successes == 0 {
		return 0
	}
	consistency := 100.0
	if len(c.outcomes) > 1 {
		consistency = 0
		s.lose(report.CheckConsistency, t.shown, 0, report.Int(int64(len(c.outcomes))), reason.OutcomeInconsistent)
	}
	latency := latencyPoints(c.median())
	if latency < 100 {
		s.lose(report.CheckLatency, t.shown, latency, report.Value{}, reason.LatencyTooHigh)
	}
	conformance := 100 * float64(c.conform) / float64(c.successes)
	if c.conform < c.successes {
		s.lose(report.CheckConformance, t.shown, conformance, report.Int(int64(c.conform)), c.misfit)
	}
	return (consistency + latency + conformance) / 3 * float64(c.successes) / callsPerTool
}
