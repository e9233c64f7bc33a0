package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/invopop/jsonschema"
)

// The functions below each make a new schema: a reflector writes into what it is
// given.

func text(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern}
}

func enum[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

func constant(v any) *jsonschema.Schema { return &jsonschema.Schema{Const: v} }

func null() *jsonschema.Schema { return &jsonschema.Schema{Type: "null"} }

func yes() *jsonschema.Schema { return constant(true) }

func boolean() *jsonschema.Schema { return &jsonschema.Schema{Type: "boolean"} }

// atLeast is an integer of 64 bits that is not below low.
func atLeast(low int64) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: number(low), Maximum: number(1<<63 - 1)}
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func list(items *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items}
}

func anyOf(s ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: s} }

func orNull(s *jsonschema.Schema) *jsonschema.Schema { return anyOf(s, null()) }

func not(s *jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Not: s} }

func described(s *jsonschema.Schema, text string) *jsonschema.Schema {
	s.Description = text
	return s
}

// member is a member of an object.
type member struct {
	name     string
	schema   *jsonschema.Schema
	optional bool
}

func must(name string, s *jsonschema.Schema) member { return member{name: name, schema: s} }

func may(name string, s *jsonschema.Schema) member { return member{name, s, true} }

// object is a closed object.
func object(members ...member) *jsonschema.Schema {
	s := open(members...)
	s.AdditionalProperties = jsonschema.FalseSchema
	return s
}

// open is an object that may have further members.
func open(members ...member) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties()}
	for _, m := range members {
		s.Properties.Set(m.name, m.schema)
		if !m.optional {
			s.Required = append(s.Required, m.name)
		}
	}
	return s
}

// when is a rule about one object: if all the named members are as they say, the
// rest must be.
func when(condition, consequence []member) *jsonschema.Schema {
	return &jsonschema.Schema{If: open(condition...), Then: open(consequence...)}
}

// module is the path of the module, the base of the comments' names.
const module = "github.com/mcpeval/mcpeval"

// reflector reads types; folders are where their comments stand.
func reflector(mapper func(reflect.Type) *jsonschema.Schema, folders ...string) (*jsonschema.Reflector, error) {
	r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: mapper}
	for _, f := range folders {
		if err := r.AddGoComments(module, "./"+f); err != nil {
			return nil, err
		}
	}
	for name, text := range maps.Clone(r.CommentMap) { // a folder's name has the system's separators
		r.CommentMap[filepath.ToSlash(name)] = text
	}
	return r, nil
}

// property is a member's schema of an object that was reflected.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}
