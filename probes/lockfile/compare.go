package lockfile

import (
	"cmp"
	"slices"
	"strings"
)

// Severity says what a change means for those who use the tool.
type Severity string

// The severities, the worst first.
const (
	// Breaking changes fail calls that worked, or make a tool more dangerous than
	// it said it was.
	Breaking Severity = "breaking"
	// Caution is for changes of what agents read or of rules whose direction is not
	// known: look at them.
	Caution Severity = "caution"
	// Minor changes leave every call that worked working.
	Minor Severity = "minor"
)

// Kind is what changed.
type Kind string

// The kinds of changes.
const (
	ToolAdded           Kind = "tool-added"
	ToolRemoved         Kind = "tool-removed"
	TitleChanged        Kind = "title-changed"
	DescriptionChanged  Kind = "description-changed"
	AnnotationChanged   Kind = "annotation-changed"
	SchemaAdded         Kind = "schema-added"
	SchemaRemoved       Kind = "schema-removed"
	FieldAdded          Kind = "field-added"
	FieldRemoved        Kind = "field-removed"
	TypeChanged         Kind = "type-changed"
	RequiredChanged     Kind = "required-changed"
	EnumValueAdded      Kind = "enum-value-added"
	EnumValueRemoved    Kind = "enum-value-removed"
	DefaultChanged      Kind = "default-changed"
	RulesChanged        Kind = "rules-changed"
	ProseChanged        Kind = "prose-changed"
	OtherChanged        Kind = "other-changed"
	DefinitionsChanged  Kind = "definitions-changed"
	DefinitionsReworded Kind = "definitions-reworded"
	AnnotationsChanged  Kind = "annotations-changed"
)

// Change is one difference between two locks.
type Change struct {
	Tool string
	// Field is what of the tool changed, such as input.path or
	// annotations.readOnlyHint; "" is the tool.
	Field    string
	Kind     Kind
	Severity Severity
	// Was and Is are types and hints, "" where a digest is all that is known.
	Was, Is string
}

// Compare lists what is different in now, the worst first, then by tool and
// field.
func Compare(was, now *Lock) []Change {
	c := &comparison{}
	before, after := group(was.Tools), group(now.Tools)
	for name, old := range before {
		c.tool = name
		c.tools(old, after[name])
	}
	for name, added := range after {
		if _, ok := before[name]; !ok {
			c.tool = name
			c.tools(nil, added)
		}
	}
	slices.SortFunc(c.changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.Tool, b.Tool),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Was, b.Was), cmp.Compare(a.Is, b.Is))
	})
	return c.changes
}

func rank(s Severity) int { return slices.Index([]Severity{Breaking, Caution, Minor}, s) }

func group(tools []Tool) map[string][]Tool {
	all := make(map[string][]Tool)
	for _, t := range tools {
		all[t.Name] = append(all[t.Name], t)
	}
	return all
}

type comparison struct {
	tool    string
	changes []Change
}

func (c *comparison) add(field string, kind Kind, severity Severity, was, is string) {
	c.changes = append(c.changes, Change{c.tool, field, kind, severity, was, is})
}

// tools compares the definitions of one name, which usually are one and one.
// Those that stayed are paired first.
func (c *comparison) tools(was, now []Tool) {
	now = slices.Clone(now)
	var left []Tool
	for _, t := range was {
		if i := slices.IndexFunc(now, func(n Tool) bool { return n.key() == t.key() }); i >= 0 {
			now = slices.Delete(now, i, i+1)
			continue
		}
		left = append(left, t)
	}
	for i := range max(len(left), len(now)) {
		switch {
		case i >= len(now):
			c.add("", ToolRemoved, Breaking, "", "")
		case i >= len(left):
			c.add("", ToolAdded, Minor, "", "")
		default:
			c.definitions(&left[i], &now[i])
		}
	}
}

func (c *comparison) definitions(was, now *Tool) {
	c.digest("title", TitleChanged, Caution, was.Title, now.Title)
	c.digest("description", DescriptionChanged, Caution, was.Description, now.Description)
	c.digest("other", OtherChanged, Caution, was.Other, now.Other)
	c.annotations(&was.Annotations, &now.Annotations)
	c.schema(&direction{"input", true}, was.Input, now.Input)
	c.schema(&direction{"output", false}, was.Output, now.Output)
}

func (c *comparison) digest(field string, kind Kind, severity Severity, was, now Digest) {
	if was != now {
		c.add(field, kind, severity, "", "")
	}
}

// annotations compares hints. One that promised harmlessness and does not any
// more is breaking: somebody may rely on it. Without a hint the protocol says what
// is meant, which is never the harmless.
func (c *comparison) annotations(was, now *Annotations) {
	harmless := map[string]string{"readOnlyHint": "true", "destructiveHint": "false", "idempotentHint": "true", "openWorldHint": "false"}
	after := now.hints()
	for name, old := range was.hints() {
		a, b := hint(*old), hint(*after[name])
		if a == b {
			continue
		}
		severity := Minor
		if a == harmless[name] {
			severity = Breaking
		}
		c.add("annotations."+name, AnnotationChanged, severity, a, b)
	}
	c.digest("annotations", AnnotationsChanged, Caution, was.Other, now.Other)
}

func hint(b *bool) string {
	switch {
	case b == nil:
		return "absent"
	case *b:
		return "true"
	}
	return "false"
}

// direction is which of a tool's schemas is compared. What input may be must not
// shrink, and what output may be must not grow.
type direction struct {
	name  string
	input bool
}

// grown is the severity of a schema that allows more than before.
func (d *direction) grown() Severity {
	if d.input {
		return Minor
	}
	return Breaking
}

// shrunk is the severity of a schema that allows less than before.
func (d *direction) shrunk() Severity {
	if d.input {
		return Breaking
	}
	return Minor
}

func (c *comparison) schema(d *direction, was, now *Object) {
	switch {
	case was == nil && now == nil:
		return
	case was == nil:
		severity := Minor
		if d.input {
			severity = Caution
		}
		c.add(d.name, SchemaAdded, severity, "", "")
		return
	case now == nil:
		severity := Breaking
		if d.input {
			severity = Caution
		}
		c.add(d.name, SchemaRemoved, severity, "", "")
		return
	}
	before := len(c.changes)
	old := make(map[string]*Field)
	for i := range was.Fields {
		old[was.Fields[i].Path] = &was.Fields[i]
	}
	for i := range now.Fields {
		f := &now.Fields[i]
		if o, ok := old[f.Path]; ok {
			c.field(d, o, f)
			delete(old, f.Path)
			continue
		}
		severity := Minor
		if d.input && f.Required {
			severity = Breaking
		}
		c.add(d.at(f.Path), FieldAdded, severity, "", f.Type)
	}
	for path, o := range old {
		c.add(d.at(path), FieldRemoved, Breaking, o.Type, "")
	}
	if len(c.changes) > before {
		return // what is defined to be referred to shows where it is
	}
	c.digest(d.name, DefinitionsChanged, Caution, was.Definitions, now.Definitions)
	c.digest(d.name, DefinitionsReworded, Caution, was.DefinitionsProse, now.DefinitionsProse)
}

func (d *direction) at(path string) string {
	if path == "." {
		return d.name
	}
	return d.name + "." + path
}

func (c *comparison) field(d *direction, was, now *Field) {
	at := d.at(now.Path)
	if was.Type != now.Type {
		severity := Breaking
		switch {
		case within(was.Type, now.Type):
			severity = d.grown()
		case within(now.Type, was.Type):
			severity = d.shrunk()
		}
		c.add(at, TypeChanged, severity, was.Type, now.Type)
	}
	if was.Required != now.Required {
		severity, is := d.shrunk(), "required"
		if was.Required {
			severity, is = d.grown(), "optional"
		}
		c.add(at, RequiredChanged, severity, map[string]string{"required": "optional", "optional": "required"}[is], is)
	}
	c.enum(d, at, was.Enum, now.Enum)
	c.digest(at, DefaultChanged, Caution, was.Default, now.Default)
	c.digest(at, RulesChanged, Caution, was.Rules, now.Rules)
	c.digest(at, ProseChanged, Caution, was.Prose, now.Prose)
}

// within tells whether every type of a is one of b. An integer is a number.
func within(a, b string) bool {
	if b == "any" {
		return true
	}
	wide := strings.Split(b, "|")
	for _, t := range strings.Split(a, "|") {
		if !slices.Contains(wide, t) && !(t == "integer" && slices.Contains(wide, "number")) {
			return false
		}
	}
	return true
}

// enum compares what a field may be. No enumeration allows everything.
func (c *comparison) enum(d *direction, at string, was, now []Digest) {
	lost := slices.ContainsFunc(was, func(v Digest) bool { return !slices.Contains(now, v) })
	won := slices.ContainsFunc(now, func(v Digest) bool { return !slices.Contains(was, v) })
	switch {
	case len(was) == 0 && won:
		c.add(at, EnumValueRemoved, d.shrunk(), "", "")
	case len(now) == 0 && lost:
		c.add(at, EnumValueAdded, d.grown(), "", "")
	default:
		if lost {
			c.add(at, EnumValueRemoved, d.shrunk(), "", "")
		}
		if won {
			c.add(at, EnumValueAdded, d.grown(), "", "")
		}
	}
}
