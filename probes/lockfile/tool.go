package lockfile

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What may stand in names as it is, besides letters and digits.
const (
	plainTool  = "_-.:/"
	plainField = "_-:/$@"
)

// toolOf is the definition of an entry of tools/list.
func toolOf(entry any) Tool {
	members, ok := entry.(map[string]any)
	if !ok {
		return Tool{Name: nameOf("", plainTool), Other: digestOf([]any{entry})}
	}
	name, named := members["name"].(string)
	t := Tool{
		Name:        nameOf(name, plainTool),
		Title:       digestOf(members["title"]),
		Description: digestOf(members["description"]),
		Annotations: annotationsOf(members["annotations"]),
		Input:       objectOf(members["inputSchema"]),
		Output:      objectOf(members["outputSchema"]),
	}
	rest := maps.Clone(members)
	if named {
		delete(rest, "name")
	}
	t.Other = digestOfRest(rest, "title", "description", "annotations", "inputSchema", "outputSchema", "_meta")
	return t
}

func annotationsOf(v any) Annotations {
	members, ok := v.(map[string]any)
	if !ok {
		return Annotations{Other: digestOf(v)}
	}
	var a Annotations
	rest := maps.Clone(members)
	for name, field := range a.hints() {
		if b, ok := members[name].(bool); ok {
			*field = &b
			delete(rest, name)
		}
	}
	a.Other = digestOfRest(rest)
	return a
}

// hints are the annotations that are true or false.
func (a *Annotations) hints() map[string]**bool {
	return map[string]**bool{
		"readOnlyHint": &a.ReadOnly, "destructiveHint": &a.Destructive, "idempotentHint": &a.Idempotent, "openWorldHint": &a.OpenWorld,
	}
}

// digestOfRest digests the members that are not among the known; "" for none.
func digestOfRest(members map[string]any, known ...string) Digest {
	rest := maps.Clone(members)
	for _, k := range known {
		delete(rest, k)
	}
	if len(rest) == 0 {
		return ""
	}
	return digestOf(rest)
}

// objectOf flattens a schema; nil when there is none.
func objectOf(v any) *Object {
	if v == nil {
		return nil
	}
	o := &Object{}
	f := &flattener{object: o}
	f.root, _ = v.(map[string]any)
	f.field(".", "", v, false, nil)
	slices.SortFunc(o.Fields, func(a, b Field) int { return cmp.Compare(a.Path, b.Path) })
	defined := make(map[string]any)
	for _, key := range []string{"$defs", "definitions"} {
		if d, ok := f.root[key]; ok {
			defined[key] = d
		}
	}
	if len(defined) > 0 {
		structure, prose := split(defined)
		o.Definitions = digestOf(structure)
		if len(prose) > 0 {
			o.DefinitionsProse = digestOf(prose)
		}
	}
	return o
}

// maxFields bounds a flattened schema. What is beyond it is in the rules of the
// field above.
const maxFields = 5000

type flattener struct {
	object *Object
	root   map[string]any
}

// field adds a schema and what is below it. path is shown, below is what the
// paths of its properties begin with; refs are those followed on the way.
func (f *flattener) field(path, below string, schema any, required bool, refs []string) {
	members, ok := schema.(map[string]any)
	if !ok {
		f.add(Field{Path: path, Type: "any", Required: required, Rules: digestOf([]any{schema})})
		return
	}
	members, refs = f.follow(members, refs)
	field := Field{Path: path, Type: typeOf(members["type"]), Required: required}
	if v, ok := members["default"]; ok { // null is one, too
		field.Default = digestOf([]any{v})
	}
	for _, v := range list(members["enum"]) {
		field.Enum = append(field.Enum, digestOf([]any{v}))
	}
	if v, ok := members["const"]; ok {
		field.Enum = append(field.Enum, digestOf([]any{v}))
	}
	slices.Sort(field.Enum)
	field.Enum = slices.Compact(field.Enum)

	rest := maps.Clone(members)
	for _, known := range []string{"type", "default", "enum", "const", "required", "$schema", "$defs", "definitions"} {
		delete(rest, known)
	}
	properties, isObject := members["properties"].(map[string]any)
	items, isArray := members["items"].(map[string]any)
	deep := len(f.object.Fields)+len(properties) < maxFields
	if isObject && deep {
		delete(rest, "properties")
	}
	if isArray && deep {
		delete(rest, "items")
	}
	// Names that are required without being properties are a rule.
	needed := make(map[string]bool)
	var alone set
	for _, v := range list(members["required"]) {
		name, _ := v.(string)
		needed[name] = true
		if _, ok := properties[name]; !ok || !deep {
			alone = append(alone, v)
		}
	}
	if len(alone) > 0 {
		rest["required"] = alone
	}
	structure, prose := split(rest)
	if len(structure) > 0 {
		field.Rules = digestOf(structure)
	}
	if len(prose) > 0 {
		field.Prose = digestOf(prose)
	}
	f.add(field)
	if !deep {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := below + nameOf(name, plainField)
		f.field(at, at+".", properties[name], needed[name], refs)
	}
	if isArray {
		at := strings.TrimSuffix(below, ".") + "[]"
		f.field(at, at+".", items, false, refs)
	}
}

func (f *flattener) add(field Field) { f.object.Fields = append(f.object.Fields, field) }

// follow replaces a reference within the schema by what it leads to, with the
// members that stand beside it. A reference back to where it came from stays.
func (f *flattener) follow(members map[string]any, refs []string) (map[string]any, []string) {
	for {
		ref, ok := members["$ref"].(string)
		if !ok || slices.Contains(refs, ref) {
			return members, refs
		}
		target, ok := f.resolve(ref)
		if !ok {
			return members, refs
		}
		merged := maps.Clone(target)
		for key, v := range members {
			if key != "$ref" {
				merged[key] = v
			}
		}
		members, refs = merged, append(slices.Clip(refs), ref)
	}
}

func (f *flattener) resolve(ref string) (map[string]any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	var at any = f.root
	for _, step := range strings.Split(pointer, "/") {
		members, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	target, ok := at.(map[string]any)
	return target, ok
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// typeOf is the types of a schema in order.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return typeName(v)
	case []any:
		var all []string
		for _, t := range v {
			s, _ := t.(string)
			all = append(all, typeName(s))
		}
		slices.Sort(all)
		return strings.Join(slices.Compact(all), "|")
	}
	return "any"
}

// typeName is one of JSON Schema's types, or the length of what is none.
func typeName(s string) string {
	switch s {
	case "null", "boolean", "object", "array", "number", "integer", "string":
		return s
	}
	return "unknown" + strconv.Itoa(len(s))
}
