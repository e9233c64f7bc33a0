package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// sampling answers what a tool asks of a model, always the same.
type sampling struct{ *manifest.Sampling }

func (p sampling) run(ctx context.Context, e *env) (verdict, error) {
	r := &requests{most: p.MaxRequests, valid: validSampling, answer: func(rawjson.Value) []byte {
		return []byte(`{"role":"assistant","content":{"type":"text","text":"ok"},"model":"mcpeval","stopReason":"endTurn"}`)
	}}
	if _, err := e.fresh(ctx, func(o *client.Options) { o.Sampling = r.take }); err != nil {
		return verdict{}, err
	}
	return e.interact(ctx, p.Call, r, labels{reason.SamplingInvalidRequest, reason.SamplingRequestFlood, reason.SamplingStalledCall})
}

// validSampling reports whether the params of sampling/createMessage are well
// formed: messages with role and content, and a positive maxTokens.
func validSampling(params rawjson.Value) bool {
	tokens, _ := params.Get("maxTokens")
	if n, ok := tokens.Int(); !ok || n < 1 {
		return false
	}
	messages, _ := params.Get("messages")
	if messages.Kind() != rawjson.Array || messages.Len() == 0 {
		return false
	}
	for m := range messages.Elements() {
		v, _ := m.Get("role")
		role, _ := v.Text()
		content, _ := m.Get("content")
		if role != "user" && role != "assistant" || !validContent(content) {
			return false
		}
	}
	return true
}

// validContent reports whether a value is a content block or, as from 2025-11-25
// on, several.
func validContent(v rawjson.Value) bool {
	if v.Kind() == rawjson.Array {
		for block := range v.Elements() {
			if block.Kind() != rawjson.Object || !validContent(block) {
				return false
			}
		}
		return v.Len() > 0
	}
	kind, _ := v.Get("type")
	text, _ := kind.Text()
	return text != ""
}
