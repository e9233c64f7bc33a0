package battery

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// payloadBounds sends a large text in one argument. The server may refuse it,
// unless the case says otherwise, and must live on.
type payloadBounds struct{ *manifest.PayloadBounds }

func (p payloadBounds) run(ctx context.Context, e *env) (verdict, error) {
	if _, err := e.common(ctx); err != nil {
		return verdict{}, err
	}
	e.count(report.PayloadBytes, p.SizeBytes)
	a, err := e.call(ctx, manifest.Call{Tool: p.Tool, Arguments: p.arguments()})
	handled := err == nil && a.ok
	if err != nil && !refusesSize(err) {
		return verdict{}, err
	}
	e.flag(report.Handled, handled)
	if p.ExpectHandled && !handled {
		v := e.failed(reason.PayloadUnhandled)
		v.detail = report.Unmet(report.ExpectHandled, true)
		return v, nil
	}
	return verdict{}, nil
}

// arguments are the case's with the text in place of the field.
func (p payloadBounds) arguments() []byte {
	b := make([]byte, 0, len(p.Arguments)+len(p.Field)+p.SizeBytes+16)
	b = append(b, '{')
	for key, v := range parsed(p.Call.Arguments).Members() {
		if !key.Is(p.Field) {
			b = append(append(append(b, key.Raw()...), ':'), v.Raw()...)
			b = append(b, ',')
		}
	}
	b = append(append(appendText(b, p.Field), ':', '"'), bytes.Repeat([]byte("a"), p.SizeBytes)...)
	return append(b, '"', '}')
}

// refusesSize reports whether a fault is HTTP's way to refuse a large request.
func refusesSize(err error) bool {
	f, ok := errors.AsType[*client.Fault](err)
	return ok && (f.Status == http.StatusRequestEntityTooLarge || f.RPC != nil && 400 <= f.Status && f.Status < 500)
}
