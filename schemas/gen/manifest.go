package main

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

const idPattern = "^[A-Za-z][A-Za-z0-9_.:-]{0,63}$"

// manifestTypes are the types of a manifest that say more than their Go kind does.
func manifestTypes(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[manifest.Case]():
		return ref("Case")
	case reflect.TypeFor[manifest.Scalar]():
		return types("string", "number", "boolean", "null")
	case reflect.TypeFor[manifest.Code]():
		return types("string", "integer")
	case reflect.TypeFor[manifest.Pointer]():
		return text(manifest.PointerPattern)
	case reflect.TypeFor[manifest.PointerScalars]():
		return &jsonschema.Schema{Type: "object", PropertyNames: &jsonschema.Schema{Pattern: manifest.PointerPattern}, AdditionalProperties: types("string", "number", "boolean", "null")}
	}
	return nil
}

// types is a value of any of these JSON types.
func types(names ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Extras: map[string]any{"type": names}}
}

func manifestSchema() (*jsonschema.Schema, error) {
	r, err := reflector(manifestTypes, "probes/manifest")
	if err != nil {
		return nil, err
	}
	s := r.Reflect(manifest.Manifest{})
	s.Title = "mcpeval manifest"
	s.Comments = "Not expressed here: ids are unique, no member is repeated anywhere, a mutating case names a declared sandbox, the file has at most 64 MiB."
	property(s, "sandboxes").PropertyNames = text(idPattern)

	cases := &jsonschema.Schema{Description: "One case, of the kind that probe names."}
	for _, k := range manifest.Kinds() {
		c := manifest.New(k)
		one := r.Reflect(c)
		for name, d := range one.Definitions {
			s.Definitions[name] = d
		}
		one.Definitions, one.Version = nil, ""
		one.Properties.Set("probe", constant(string(k)))
		// A read-only case names no sandbox.
		one.AllOf = []*jsonschema.Schema{anyOf(open(may("access", constant(string(manifest.Mutating)))), not(open(must("sandbox", &jsonschema.Schema{}))))}
		switch c.(type) {
		case *manifest.Workflow:
			one.Properties.Set("access", constant(string(manifest.ReadOnly)))
		case *manifest.ResourceSubscription:
			one.DependentRequired = map[string][]string{"trigger_arguments": {"trigger_tool"}}
		}
		name := reflect.TypeOf(c).Elem().Name()
		s.Definitions[name] = one
		cases.OneOf = append(cases.OneOf, ref(name))
	}
	s.Definitions["Case"] = cases

	// An expectation of ok has no code, one of an error has nothing but it.
	expect := s.Definitions["Expect"]
	ok, failed := []member{must("outcome", constant("ok"))}, []member{must("outcome", constant("error"))}
	expect.AllOf = []*jsonschema.Schema{
		{If: open(ok...), Then: not(open(must("error_code", &jsonschema.Schema{})))},
		{If: open(failed...), Then: &jsonschema.Schema{PropertyNames: enum("outcome", "error_code")}},
	}
	return s, nil
}
