package demo

import (
	"fmt"
	"strings"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// catalogAspects spoil the size of the catalog and its schemas.
func catalogAspects() []Aspect {
	input := func(s any) func([]*listing) []*listing {
		return onListing("get_weather", func(l *listing) { l.InputSchema = s })
	}
	output := func(s any) func([]*listing) []*listing {
		return onListing("get_weather", func(l *listing) {
			if l.OutputSchema != nil {
				l.OutputSchema = s
			}
		})
	}
	city := func(property any) object {
		return object{"type": "object", "properties": object{"city": property}, "required": []string{"city"}}
	}
	broken := func(name, text string, tools func([]*listing) []*listing) Aspect {
		return Aspect{Name: name, Text: text, Effects: effects(reason.InvalidSchema, "schema-guessability"), hooks: hooks{tools: tools}}
	}
	return []Aspect{{
		Name: "many-tools", Text: "the catalog has a hundred more tools, which all can be called",
		Effects: append(effects(reason.DiscoveryLimitExceeded, "discovery-cost"), effects(reason.TokenBudgetExceeded, "token-cost")...),
		hooks:   hooks{extra: manyTools},
	}, {
		Name: "heavy-tool", Text: "the description of get_weather takes 40 KB",
		Effects: append(effects(reason.DiscoveryLimitExceeded, "discovery-cost"), effects(reason.TokenBudgetExceeded, "token-cost")...),
		hooks: hooks{tools: onListing("get_weather", func(l *listing) {
			l.Description += strings.Repeat(" It is the same weather every day.", 40_000/34)
		})},
	},
		broken("input-schema-no-object", "the input schema of get_weather describes an array", input(object{"type": "array"})),
		broken("input-schema-unknown-type", "the input schema of get_weather has a type that does not exist", input(city(object{"type": "strin"}))),
		broken("input-schema-undeclared-required", "the input schema of get_weather requires a property it does not declare",
			input(object{"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []string{"city", "region"}})),
		broken("input-schema-dangling-ref", "a $ref in the input schema of get_weather leads nowhere", input(city(object{"$ref": "#/$defs/Missing"}))),
		broken("input-schema-remote-ref", "a $ref in the input schema of get_weather leads to a web page",
			input(city(object{"$ref": "http://127.0.0.1:9/schema.json"}))),
		broken("input-schema-file-ref", "a $ref in the input schema of get_weather leads to a file", input(city(object{"$ref": "file:///etc/hostname"}))),
		{
			Name: "argument-added", Text: "the schema of get_weather requires a unit, too",
			Effects: effects(reason.MissingRequiredArgument, "schema-guessability"),
			hooks: hooks{tools: onListing("get_weather", func(l *listing) {
				if s, ok := l.InputSchema.(*schema); ok {
					s.Required = append(s.Required, "unit")
				}
			})},
		}, {
			Name: "output-schema-unknown-type", Text: "the output schema of get_weather has a type that does not exist",
			Effects: effects(reason.InvalidSchema, "output-schema"),
			hooks:   hooks{tools: output(object{"type": "object", "properties": object{"city": object{"type": 17}}})},
		}, {
			Name: "output-schema-remote-ref", Text: "a $ref in the output schema of get_weather leads to a web page",
			Effects: effects(reason.InvalidSchema, "output-schema"),
			hooks:   hooks{tools: output(object{"type": "object", "$ref": "http://127.0.0.1:9/schema.json"})},
		}}
}

// manyTools are a hundred tools that do nothing.
func manyTools() []tool {
	var list []tool
	for i := range 100 {
		list = append(list, tool{
			name:        fmt.Sprintf("station_%03d", i+1),
			title:       fmt.Sprintf("Station %d", i+1),
			description: fmt.Sprintf("Tell whether the weather station number %d is running. Takes no arguments.", i+1),
			input:       takes(nil, nil),
			output:      takes([]string{"running"}, fields{"running": {Type: "boolean", Description: "Always true."}}),
			run:         plain(func(object) outcome { return ok(object{"running": true}) }),
		})
	}
	return list
}
