package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// completion asks for the completions of one argument.
type completion struct{ *manifest.Completion }

const codeInvalidParams = -32602

func (p completion) run(ctx context.Context, e *env) (verdict, error) {
	conn, err := e.common(ctx)
	if err != nil {
		return verdict{}, err
	}
	facts := conn.Facts()
	// 2024-11-05 has the method and no capability for it.
	undeclared := e.revision > client.Revision2024 && !facts.Declares("completions")
	if undeclared {
		return because(reason.CapabilityAbsent), nil
	}
	e.attempts = 1
	response, err := conn.Call(ctx, "completion/complete", p.params())
	if client.KindOf(err) == client.TransportTimeout {
		e.dropShared()
		e.used = nil
		return e.failed(reason.CompletionStalledRequest), nil
	}
	if err != nil {
		return verdict{}, err
	}
	if response.Error != nil {
		switch {
		case response.Error.Code == codeInvalidParams:
			return e.failed(reason.CompletionArgumentUnknown), nil
		case response.Error.Code == codeMethodNotFound && e.revision == client.Revision2024:
			return because(reason.CapabilityAbsent), nil
		}
		return e.failed(reason.CompletionInvalidRequest), nil
	}
	n, ok := validCompletion(response.Result)
	if !ok {
		return e.failed(reason.CompletionInvalidRequest), nil
	}
	e.count(report.Values, n)
	if n > p.MaxValues {
		return over(reason.CompletionValueFlood, report.MaxValues, p.MaxValues, n), nil
	}
	return verdict{}, nil
}

func (p completion) params() []byte {
	key := "uri"
	if p.RefType == "ref/prompt" {
		key = "name"
	}
	b := appendText([]byte(`{"ref":{"type":`), p.RefType)
	b = append(appendText(append(b, ','), key), ':')
	b = appendText(b, p.RefURI)
	b = appendText(append(b, `},"argument":{"name":`...), p.ArgumentName)
	b = appendText(append(b, `,"value":`...), p.ArgumentValue)
	return append(b, '}', '}')
}

// validCompletion counts the values; ok is false when the result is not well
// formed.
func validCompletion(result rawjson.Value) (n int, ok bool) {
	c, _ := result.Get("completion")
	values, _ := c.Get("values")
	if values.Kind() != rawjson.Array {
		return 0, false
	}
	for v := range values.Elements() {
		if v.Kind() != rawjson.String {
			return 0, false
		}
		n++
	}
	if total, has := c.Get("total"); has && total.Kind() != rawjson.Null {
		if t, isInt := total.Int(); !isInt || t < int64(n) {
			return 0, false
		}
	}
	if more, has := c.Get("hasMore"); has && more.Kind() != rawjson.Null && more.Kind() != rawjson.Bool {
		return 0, false
	}
	return n, true
}
