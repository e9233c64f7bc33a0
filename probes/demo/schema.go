package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// schema is the part of JSON Schema that the tools here use.
type schema struct {
	Type                 string             `json:"type,omitempty"`
	Description          string             `json:"description,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Default              any                `json:"default,omitempty"`
	Examples             []any              `json:"examples,omitempty"`
	Minimum              *int               `json:"minimum,omitempty"`
	Maximum              *int               `json:"maximum,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties *bool              `json:"additionalProperties,omitempty"`
}

// fields are the properties of a schema.
type fields = map[string]*schema

// takes is a schema that allows the properties given and no other.
func takes(required []string, properties fields) *schema {
	return &schema{Type: "object", Properties: properties, Required: required, AdditionalProperties: new(bool)}
}

// check returns what is wrong with v, or "". path names v in the answer.
func (s *schema) check(path string, v any) string {
	switch s.Type {
	case "object":
		return s.checkObject(path, v)
	case "string":
		return s.checkString(path, v)
	default:
		return s.checkNumber(path, v)
	}
}

func (s *schema) checkObject(path string, v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return path + " must be an object"
	}
	for _, name := range s.Required {
		if _, ok := m[name]; !ok {
			return path + " lacks the required property " + strconv.Quote(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		property := s.Properties[name]
		if property == nil {
			return fmt.Sprintf("%s has no property %q; it takes %q", path, name, slices.Sorted(maps.Keys(s.Properties)))
		}
		if wrong := property.check(path+"."+name, m[name]); wrong != "" {
			return wrong
		}
	}
	return ""
}

func (s *schema) checkString(path string, v any) string {
	text, ok := v.(string)
	switch {
	case !ok:
		return path + " must be a string"
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		return fmt.Sprintf("%s must be one of %q", path, s.Enum)
	case utf8.RuneCountInString(text) < s.MinLength:
		return fmt.Sprintf("%s must have at least %d characters", path, s.MinLength)
	}
	return ""
}

func (s *schema) checkNumber(path string, v any) string {
	n, ok := v.(json.Number)
	if !ok {
		return path + " must be a " + s.Type
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		return path + " is out of range"
	case s.Type == "integer" && f != float64(int64(f)):
		return path + " must be an integer"
	case s.Minimum != nil && f < float64(*s.Minimum):
		return fmt.Sprintf("%s must be at least %d", path, *s.Minimum)
	case s.Maximum != nil && f > float64(*s.Maximum):
		return fmt.Sprintf("%s must be at most %d", path, *s.Maximum)
	}
	return ""
}
