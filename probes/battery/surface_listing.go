package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// surfaceListing lists the resources, templates and prompts that the server
// declares.
type surfaceListing struct{ *manifest.SurfaceListing }

// surface is a list other than that of the tools.
type surface struct {
	capability, method, list string
	fields                   []string // texts that every entry has
	metric                   report.Metric
}

func surfaces() []surface {
	return []surface{
		{"resources", "resources/list", "resources", []string{"uri", "name"}, report.Resources},
		{"resources", "resources/templates/list", "resourceTemplates", []string{"uriTemplate", "name"}, report.Templates},
		{"prompts", "prompts/list", "prompts", []string{"name"}, report.Prompts},
	}
}

func (p surfaceListing) run(ctx context.Context, e *env) (verdict, error) {
	conn, err := e.common(ctx)
	if err != nil {
		return verdict{}, err
	}
	facts := conn.Facts()
	declared := false
	for _, s := range surfaces() {
		if !facts.Declares(s.capability) {
			continue
		}
		declared, e.attempts = true, 1
		w := walk{conn: conn, method: s.method, list: s.list, maxPages: p.MaxPages, valid: s.valid}
		end, err := w.run(ctx, func(rawjson.Value) {})
		if err != nil {
			return verdict{}, err
		}
		e.count(s.metric, w.entries)
		switch {
		case end == listInvalid, end == listAbsent:
			return because(reason.SurfaceInvalidEnvelope), nil
		case end == listStalled:
			return because(reason.SurfaceStalledCursor), nil
		case end == listGoesOn:
			return over(reason.SurfaceStalledCursor, report.MaxPages, p.MaxPages, p.MaxPages+1), nil
		}
	}
	if !declared {
		return because(reason.CapabilityAbsent), nil
	}
	return verdict{}, nil
}

func (s surface) valid(entry rawjson.Value) bool {
	for _, name := range s.fields {
		v, _ := entry.Get(name)
		if text, _ := v.Text(); text == "" {
			return false
		}
	}
	return true
}
