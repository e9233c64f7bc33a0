package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
)

// The numbers of the cases.
const (
	maxPages        = 5
	surfacePages    = 100
	attempts        = 5
	latencyAttempts = 3
	payloadBytes    = 1_000_000
	payloadField    = "payload"
	bogusVersion    = "2999-01-01"
)

// The ranges of a manifest that a measured catalog may leave.
const (
	mostTools       = 10_000
	mostBytes       = 10_000_000
	mostTokens      = 1_000_000
	mostTokensATool = 100_000
)

// writer collects the cases in their order.
type writer struct {
	cases []manifest.Case
	ids   map[string]bool
}

func newWriter() *writer { return &writer{ids: make(map[string]bool)} }

// add gives a case its id and its place.
func (w *writer) add(c manifest.Case, kind manifest.Kind, tool string) {
	head := c.Base()
	head.Probe, head.Access, head.ID = kind, manifest.ReadOnly, w.id(string(kind), tool)
	w.cases = append(w.cases, c)
}

// maxID is the length of a case's id.
const maxID = 64

// id is kind:tool within the grammar of ids, with a number where that is taken.
func (w *writer) id(kind, tool string) string {
	base := kind
	if tool != "" {
		base += ":" + idPart(tool)
	}
	id := base[:min(len(base), maxID)]
	for n := 2; w.ids[id]; n++ {
		suffix := "." + strconv.Itoa(n)
		id = base[:min(len(base), maxID-len(suffix))] + suffix
	}
	w.ids[id] = true
	return id
}

// idPart is a tool's name within the grammar of ids. Reports show ids, so that a
// name that looks like a credential is no part of one.
func idPart(tool string) string {
	part := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_.:-", c) {
			return c
		}
		return '_'
	}, tool)
	if sanitize.Screen([]byte(tool)) || sanitize.Screen([]byte(part)) {
		return "unlisted"
	}
	return part
}

// serverCases writes the cases of the server as a whole. It reports whether the
// catalog is larger than a budget may be.
func (w *writer) serverCases(catalog *battery.Catalog, facts *client.Facts) (clamped bool) {
	budget := func(measured, most int) int {
		clamped = clamped || measured > most
		return min(max(measured, 1), most)
	}
	w.add(&manifest.DiscoveryCost{
		MaxTools:       budget(len(catalog.Entries), mostTools),
		MaxSchemaBytes: budget(catalog.Bytes, mostBytes),
	}, manifest.KindDiscoveryCost, "")
	tokens := &manifest.TokenCost{MaxTotalTokens: budget(catalog.Tokens, mostTokens)}
	if catalog.Heaviest <= mostTokensATool {
		tokens.MaxToolTokens = catalog.Heaviest
	}
	w.add(tokens, manifest.KindTokenCost, "")
	w.add(&manifest.Pagination{MaxPages: maxPages}, manifest.KindPagination, "")
	w.add(&manifest.ProtocolNegotiation{BogusVersion: bogusVersion}, manifest.KindProtocolNegotiation, "")
	if facts.Declares("resources") || facts.Declares("prompts") {
		w.add(&manifest.SurfaceListing{MaxPages: surfacePages}, manifest.KindSurfaceListing, "")
	}
	return clamped
}

// toolCases writes the cases of a tool that was called with success, and for the
// first such tool the contention case.
func (w *writer) toolCases(t *Tool, latency time.Duration, first bool) {
	before := len(w.cases)
	call := manifest.Call{Tool: t.name, Arguments: t.arguments}
	w.add(&manifest.SchemaGuessability{Call: call}, manifest.KindSchemaGuessability, t.name)
	w.add(&manifest.DegradationOverN{Call: call, MaxAttempts: attempts}, manifest.KindDegradationOverN, t.name)
	w.add(&manifest.LatencyBudget{Call: call, Attempts: latencyAttempts, MaxLatencyMS: latencyBudget(latency)}, manifest.KindLatencyBudget, t.name)
	if output, _ := t.entry.Get("outputSchema"); !output.IsZero() && output.Kind() != rawjson.Null {
		w.add(&manifest.OutputSchema{Call: call}, manifest.KindOutputSchema, t.name)
	}
	if first {
		w.add(&manifest.Contention{Call: call}, manifest.KindContention, t.name)
	}
	t.Cases = len(w.cases) - before
}

// latencyBudget is four times what was measured, in milliseconds: rounded up to
// 100, and between 1 and 60 seconds.
func latencyBudget(measured time.Duration) int {
	const (
		step  = 100 * time.Millisecond
		least = time.Second
		most  = time.Minute
	)
	budget := 4 * min(max(measured, 0), most)
	budget = (budget + step - 1) / step * step
	return int(min(max(budget, least), most) / time.Millisecond)
}

// payloadCase writes the one payload-bounds case: for the first tool with a
// string property, else for the first one.
func (w *writer) payloadCase(succeeded []*Tool) {
	if len(succeeded) == 0 {
		return
	}
	chosen, field := succeeded[0], payloadField
	for _, t := range succeeded {
		if name, ok := firstString(t.entry); ok {
			chosen, field = t, name
			break
		}
	}
	w.add(&manifest.PayloadBounds{
		Call:  manifest.Call{Tool: chosen.name, Arguments: chosen.arguments},
		Field: field, SizeBytes: payloadBytes,
	}, manifest.KindPayloadBounds, chosen.name)
	chosen.Cases++
}

// maxField is the longest name of a field, in characters.
const maxField = 256

// firstString is the first property of a tool's input schema that may be a
// string, in the schema's own order.
func firstString(tool rawjson.Value) (name string, ok bool) {
	schema, _ := tool.Get("inputSchema")
	properties, _ := schema.Get("properties")
	for key, property := range properties.Members() {
		kind, _ := property.Get("type")
		text, _ := kind.Text()
		isString := text == "string"
		for e := range kind.Elements() {
			text, _ := e.Text()
			isString = isString || text == "string"
		}
		if name := key.Text(); isString && name != "" && len([]rune(name)) <= maxField {
			return name, true
		}
	}
	return "", false
}

// manifest is the whole, as the strict decoder reads it back.
func (w *writer) manifest() (*manifest.Manifest, error) {
	data, err := (&manifest.Manifest{Version: manifest.Version, Cases: w.cases}).Encode()
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	return m, nil
}

// NeverScaffolded are the kinds that are written by hand.
func NeverScaffolded() []manifest.Kind {
	scaffolded := []manifest.Kind{
		manifest.KindDiscoveryCost, manifest.KindTokenCost, manifest.KindPagination, manifest.KindProtocolNegotiation,
		manifest.KindSurfaceListing, manifest.KindSchemaGuessability, manifest.KindDegradationOverN,
		manifest.KindLatencyBudget, manifest.KindOutputSchema, manifest.KindContention, manifest.KindPayloadBounds,
	}
	return slices.DeleteFunc(manifest.Kinds(), func(k manifest.Kind) bool { return slices.Contains(scaffolded, k) })
}
