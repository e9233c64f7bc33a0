package standard

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// exercise calls a tool with valid arguments. One that breaks the connection or
// stays silent is not called again.
func (r *run) exercise(ctx context.Context, t *tool) error {
	if t.access == writer || t.why != "" {
		return nil
	}
	output := r.outputOf(t)
	for range callsPerTool {
		a, err := r.ask(ctx, t.call(t.arguments))
		if err != nil {
			return err
		}
		t.calls.add(a, output)
		if a.fault != "" {
			break
		}
	}
	return nil
}

// output is the schema that a tool's results have to fit.
type output struct {
	declared bool
	broken   bool
	schema   *schema.Schema // nil when it cannot be used
}

func (r *run) outputOf(t *tool) output {
	if r.revision < client.Revision2025b {
		return output{}
	}
	declared, ok := t.entry.Get("outputSchema")
	if !ok || declared.Kind() == rawjson.Null {
		return output{}
	}
	compiled, err := schema.Compile(declared, &schema.Options{Now: r.Clock.Now})
	if err != nil {
		return output{declared: true, broken: brokenSchema(err)}
	}
	return output{declared: true, schema: compiled}
}

// misfit is why a successful result does not fit, "" when it does. What our
// limits keep from being judged fits.
func (o output) misfit(result rawjson.Value) reason.Label {
	if !o.declared {
		return ""
	}
	structured, ok := result.Get("structuredContent")
	switch {
	case !ok:
		return reason.OutputSchemaMissing
	case o.broken:
		return reason.InvalidSchema
	case o.schema == nil:
		return ""
	}
	found, err := o.schema.Validate(structured)
	if err != nil || found.Valid() {
		return ""
	}
	for _, v := range found.Violations {
		if v.Keyword != "required" {
			return reason.OutputSchemaInvalid
		}
	}
	return reason.OutputSchemaFieldMissing
}

// add counts one call.
func (c *calls) add(a answer, o output) {
	c.made = c.made || a.fault == ""
	if kind := outcomeOf(a); !slices.Contains(c.outcomes, kind) {
		c.outcomes = append(c.outcomes, kind)
	}
	if !a.success() {
		if c.failure == "" {
			c.failure = verdictOf(a, reason.CallFailed, false)
		}
		return
	}
	c.successes++
	c.latencies = append(c.latencies, a.response.Latency)
	switch why := o.misfit(a.response.Result); {
	case why == "":
		c.conform++
	case c.misfit == "":
		c.misfit = why
	}
}

func outcomeOf(a answer) string {
	switch {
	case a.fault != "":
		return string(a.fault)
	case a.refusal != nil:
		return "error " + strconv.FormatInt(a.refusal.Code, 10)
	case !a.success():
		return "tool error"
	}
	return "ok"
}

// median is the middle of the latencies, the slower one of two.
func (c *calls) median() time.Duration {
	return slices.Sorted(slices.Values(c.latencies))[len(c.latencies)/2]
}

const codeInvalidParams = -32602

// provoke calls a tool with arguments that its schema forbids, and then once more.
func (r *run) provoke(ctx context.Context, t *tool) error {
	if t.access == writer {
		return nil
	}
	switch {
	case t.broken:
		t.refusal = refusal{true, report.CheckRefusal, reason.InvalidSchema}
		return nil
	case t.invalid == nil:
		return nil // it forbids nothing
	case t.why != "" && t.why != reason.ArgumentsUnbuildable:
		t.refusal = refusal{true, report.CheckRefusal, t.why}
		return nil
	case isFault(t.calls.failure):
		t.refusal = refusal{true, report.CheckRefusal, t.calls.failure}
		return nil
	}
	t.refusal = refusal{judged: true}
	a, err := r.ask(ctx, t.call(t.invalid))
	if err != nil {
		return err
	}
	switch {
	case a.fault != "":
		t.refusal.lost, t.refusal.reason = report.CheckRefusal, a.fault
		return nil
	case a.refusal != nil && a.refusal.Code == codeInvalidParams:
	case a.response != nil && a.response.IsToolError() && says(a.response.Result):
	case a.refusal != nil, a.response.IsToolError():
		t.refusal.lost, t.refusal.reason = report.CheckRefusal, reason.RefusalUnclear
		return nil
	default:
		t.refusal.lost, t.refusal.reason = report.CheckRefusal, reason.InvalidArgumentsAccepted
		return nil
	}
	again := t.arguments
	if again == nil {
		again = t.invalid
	}
	if a, err = r.ask(ctx, t.call(again)); err != nil {
		return err
	}
	if a.fault != "" {
		t.refusal.lost, t.refusal.reason = report.CheckRecovery, a.fault
	}
	return nil
}

func isFault(l reason.Label) bool { return reason.ClassOf(l) == reason.Fault }

// says reports whether a result holds a text that is not blank.
func says(result rawjson.Value) bool {
	content, _ := result.Get("content")
	for item := range content.Elements() {
		v, _ := item.Get("text")
		if text, _ := v.Text(); strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}
