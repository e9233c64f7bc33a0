package battery

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// elicitation answers what a tool asks of a user, and then makes the call again
// as a client that cannot be asked.
type elicitation struct{ *manifest.Elicitation }

func (p elicitation) run(ctx context.Context, e *env) (verdict, error) {
	if e.revision < client.Revision2025b {
		return because(reason.NotInRevision), nil
	}
	r := &requests{most: p.MaxRequests, valid: validElicitation, answer: func(params rawjson.Value) []byte {
		if p.Respond != "accept" {
			return []byte(`{"action":"` + p.Respond + `"}`)
		}
		schema, _ := params.Get("requestedSchema")
		return append(appendForm([]byte(`{"action":"accept","content":`), schema), '}')
	}}
	if _, err := e.fresh(ctx, func(o *client.Options) { o.Elicitation = r.take }); err != nil {
		return verdict{}, err
	}
	v, err := e.interact(ctx, p.Call, r, labels{reason.ElicitationInvalidRequest, reason.ElicitationRequestFlood, reason.ElicitationStalledCall})
	if err != nil || v.reason != "" {
		return v, err
	}

	var asked atomic.Bool
	if _, err := e.fresh(ctx, func(o *client.Options) {
		o.Tap = func(dir journal.Direction, frame []byte, _ time.Time) {
			if dir == journal.Inbound && asksUser(frame) {
				asked.Store(true)
			}
		}
	}); err != nil {
		return verdict{}, err
	}
	_, err = e.call(ctx, p.Call)
	if asked.Load() && client.KindOf(err) != client.BudgetExceeded {
		return e.failed(reason.ElicitationInvalidRequest), nil
	}
	// How the call ends is the tool's affair: it may need the user.
	return verdict{}, err
}

// asksUser reports whether a frame asks for an elicitation, by itself or in a
// result that requires input.
func asksUser(frame []byte) bool {
	v, err := rawjson.Parse(frame)
	if err != nil {
		return false
	}
	if isElicitation(v) {
		return true
	}
	result, _ := v.Get("result")
	needed, _ := result.Get("inputRequests")
	for _, ask := range needed.Members() {
		if isElicitation(ask) {
			return true
		}
	}
	return false
}

func isElicitation(v rawjson.Value) bool {
	method, _ := v.Get("method")
	name, _ := method.Text()
	return name == "elicitation/create"
}

// validElicitation reports whether the params of elicitation/create are well
// formed: a message and a flat form. A URL may only be asked of clients that
// declare it, which this one does not.
func validElicitation(params rawjson.Value) bool {
	if v, ok := params.Get("mode"); ok {
		if mode, _ := v.Text(); mode != "form" {
			return false
		}
	}
	v, _ := params.Get("message")
	if message, _ := v.Text(); message == "" {
		return false
	}
	schema, _ := params.Get("requestedSchema")
	properties, _ := schema.Get("properties")
	if typeOf(schema) != "object" || properties.Kind() != rawjson.Object {
		return false
	}
	for _, property := range properties.Members() {
		switch typeOf(property) {
		case "string", "number", "integer", "boolean":
		case "array": // several of an enumeration, from 2025-11-25 on
			items, _ := property.Get("items")
			_, enum := items.Get("enum")
			_, anyOf := items.Get("anyOf")
			if !enum && !anyOf {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func typeOf(schema rawjson.Value) string {
	v, _ := schema.Get("type")
	name, _ := v.Text()
	return name
}
