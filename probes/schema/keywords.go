package schema

import (
	"maps"
	"slices"
)

// known are the keywords that may be named. Anything else a schema holds is a
// name its author chose.
var known = map[string]bool{
	"type": true, "enum": true, "const": true, "multipleOf": true, "maximum": true, "exclusiveMaximum": true,
	"minimum": true, "exclusiveMinimum": true, "maxLength": true, "minLength": true, "pattern": true,
	"maxItems": true, "minItems": true, "uniqueItems": true, "contains": true, "maxContains": true,
	"minContains": true, "maxProperties": true, "minProperties": true, "required": true,
	"dependentRequired": true, "dependencies": true, "properties": true, "patternProperties": true,
	"additionalProperties": true, "propertyNames": true, "items": true, "prefixItems": true,
	"additionalItems": true, "unevaluatedItems": true, "unevaluatedProperties": true, "allOf": true,
	"anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "$ref": true, "$dynamicRef": true, "$recursiveRef": true, "$id": true,
	"$schema": true, "$anchor": true, "$defs": true, "definitions": true, "format": true, "default": true,
	"description": true, "title": true, "examples": true, "contentEncoding": true, "contentMediaType": true,
	"contentSchema": true, "$dynamicAnchor": true, "$comment": true, "$vocabulary": true, "deprecated": true,
	"readOnly": true, "writeOnly": true, "nullable": true, "discriminator": true, "false": true,
}

// never are the keywords that look like rules and are evaluated in no dialect.
var never = []string{"contentEncoding", "contentMediaType", "contentSchema", "discriminator", "format", "nullable"}

// later are keywords that mean nothing in a dialect before the one that brought
// them.
var later = map[string]int{
	"const": 6, "contains": 6, "propertyNames": 6,
	"if": 7, "then": 7, "else": 7,
	"dependentRequired": 2019, "dependentSchemas": 2019, "maxContains": 2019, "minContains": 2019,
	"unevaluatedItems": 2019, "unevaluatedProperties": 2019, "$anchor": 2019, "$recursiveRef": 2019,
	"prefixItems": 2020, "$dynamicRef": 2020,
}

// skipped collects the keywords of a schema that are not evaluated.
type skipped map[string]bool

// look notes what is not evaluated of one schema object.
func (s skipped) look(obj map[string]any, draft int) {
	for _, name := range never {
		if _, ok := obj[name]; ok {
			s[name] = true
		}
	}
	for name, since := range later {
		if _, ok := obj[name]; ok && draft < since {
			s[name] = true
		}
	}
	if _, ok := obj["additionalItems"]; ok && draft >= 2020 {
		s["additionalItems"] = true
	}
	if pattern, ok := obj["pattern"].(string); ok {
		if _, ok := evaluable(pattern); !ok {
			s["pattern"] = true
		}
	}
	if patterns, ok := obj["patternProperties"].(map[string]any); ok {
		for pattern := range patterns {
			if _, ok := evaluable(pattern); !ok {
				s["patternProperties"] = true
			}
		}
	}
	if _, ok := obj["$ref"].(string); ok && draft < 2019 {
		// There a reference replaces what stands beside it.
		for name := range obj {
			if known[name] && !beside[name] {
				s[name] = true
			}
		}
	}
}

// beside are the keywords that lose nothing beside a reference.
var beside = map[string]bool{
	"$ref": true, "$id": true, "$schema": true, "$defs": true, "definitions": true, "description": true, "title": true,
	"default": true, "examples": true, "$comment": true, "deprecated": true, "readOnly": true, "writeOnly": true,
}

func (s skipped) list() []string { return slices.Sorted(maps.Keys(s)) }
