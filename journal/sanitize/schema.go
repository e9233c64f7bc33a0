package sanitize

import (
	"encoding/binary"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Schema is what a tool's input schema declares at each path: names of
// properties and members of enumerations that a shape may keep. It never changes.
type Schema struct{ root *node }

// node is a path; nil is one of which nothing is declared. Paths of recursive
// schemas share nodes, so that the graph is finite and may have cycles.
type node struct {
	props map[string]*node
	rest  *node               // of keys that props does not have
	items *node               // of an array's first element
	enum  map[string]struct{} // members that a shape may keep
}

// Bounds of compiling one schema. What lies beyond them counts as undeclared.
const (
	maxSchemaNodes   = 10_000
	maxSchemaScan    = 16 << 20 // bytes looked at
	maxSubschemas    = 256      // that apply at one path
	maxEnumMembers   = 32       // at one path; a longer list is data
	maxPointerTokens = 32
)

// CompileSchema indexes a JSON Schema of any draft. Everything that may apply at
// a path is merged: $ref within the document, allOf, anyOf, oneOf, if, then, else
// and dependentSchemas. References to other documents are not followed.
func CompileSchema(v rawjson.Value) *Schema {
	c := compiler{root: v, ids: make(map[*byte]uint32), nodes: make(map[string]*node), scan: maxSchemaScan}
	s := &Schema{root: c.node([]rawjson.Value{v})}
	for len(c.todo) > 0 {
		last := len(c.todo) - 1
		job := c.todo[last]
		c.todo = c.todo[:last]
		c.expand(job)
	}
	return s
}

type compiler struct {
	root  rawjson.Value
	ids   map[*byte]uint32 // values, by where they begin
	nodes map[string]*node // by the IDs of the schemas they merge
	todo  []compileJob
	scan  int // bytes that may still be looked at

	scratch []byte
}

type compileJob struct {
	node    *node
	schemas []rawjson.Value
}

// node is the node at which all these schemas apply.
func (c *compiler) node(schemas []rawjson.Value) *node {
	var key []byte
	for _, v := range schemas {
		if v.Kind() == rawjson.Object {
			key = binary.AppendUvarint(key, uint64(c.id(v)))
		}
	}
	if len(key) == 0 {
		return nil
	}
	if n, ok := c.nodes[string(key)]; ok {
		return n
	}
	if len(c.nodes) == maxSchemaNodes {
		return nil
	}
	n := new(node)
	c.nodes[string(key)] = n
	c.todo = append(c.todo, compileJob{n, schemas})
	return n
}

func (c *compiler) id(v rawjson.Value) uint32 {
	at := &v.Raw()[0]
	id, ok := c.ids[at]
	if !ok {
		id = uint32(len(c.ids))
		c.ids[at] = id
	}
	return id
}

// spend accounts for a scan through v.
func (c *compiler) spend(v rawjson.Value) bool {
	c.scan -= len(v.Raw())
	return c.scan >= 0
}

// found collects what the schemas of one path declare.
type found struct {
	names    []string // in order of appearance
	props    map[string][]rawjson.Value
	rest     []rawjson.Value
	items    []rawjson.Value
	members  map[string]struct{}
	nMembers int

	apply   []rawjson.Value // schemas that apply here as well
	applied map[*byte]struct{}
}

func (f *found) also(v rawjson.Value) {
	if v.Kind() != rawjson.Object || len(f.applied) == maxSubschemas {
		return
	}
	at := &v.Raw()[0]
	if _, ok := f.applied[at]; !ok {
		f.applied[at] = struct{}{}
		f.apply = append(f.apply, v)
	}
}

func (c *compiler) expand(job compileJob) {
	f := found{applied: make(map[*byte]struct{})}
	for _, v := range job.schemas {
		f.also(v)
	}
	for i := 0; i < len(f.apply); i++ {
		if !c.spend(f.apply[i]) {
			return
		}
		for key, value := range f.apply[i].Members() {
			c.keyword(&f, key, value)
		}
	}

	for _, name := range f.names {
		if text := []byte(name); isIdent(text) && bucketOfToken(text) < 0 && !Screen(text) {
			if job.node.props == nil {
				job.node.props = make(map[string]*node, len(f.names))
			}
			job.node.props[name] = c.node(f.props[name])
		}
	}
	job.node.rest = c.node(f.rest)
	job.node.items = c.node(f.items)
	if f.nMembers <= maxEnumMembers {
		for m := range f.members {
			if text := []byte(m); isMember(text) && !Screen(text) {
				if job.node.enum == nil {
					job.node.enum = make(map[string]struct{})
				}
				job.node.enum[m] = struct{}{}
			}
		}
	}
}

func (c *compiler) keyword(f *found, key rawjson.Key, value rawjson.Value) {
	text, _ := decode(key.Raw(), &c.scratch)
	switch string(text) {
	case "properties":
		for k, v := range value.Members() {
			name := k.Text()
			if f.props == nil {
				f.props = make(map[string][]rawjson.Value)
			}
			if _, ok := f.props[name]; !ok {
				f.names = append(f.names, name)
			}
			f.props[name] = append(f.props[name], v)
		}
	case "patternProperties":
		for _, v := range value.Members() {
			f.rest = append(f.rest, v)
		}
	case "additionalProperties", "unevaluatedProperties":
		f.rest = append(f.rest, value)
	case "items", "prefixItems":
		if value.Kind() == rawjson.Array {
			for v := range value.Elements() {
				f.items = append(f.items, v)
				break
			}
			return
		}
		f.items = append(f.items, value)
	case "enum":
		for v := range value.Elements() {
			f.member(v)
		}
	case "const":
		f.member(value)
	case "$ref", "$dynamicRef", "$recursiveRef":
		if target, ok := c.resolve(value); ok {
			f.also(target)
		}
	case "allOf", "anyOf", "oneOf":
		for v := range value.Elements() {
			f.also(v)
		}
	case "if", "then", "else":
		f.also(value)
	case "dependentSchemas":
		for _, v := range value.Members() {
			f.also(v)
		}
	}
}

func (f *found) member(v rawjson.Value) {
	text, ok := v.Text()
	if _, known := f.members[text]; ok && known {
		return
	}
	f.nMembers++
	if ok && f.nMembers <= maxEnumMembers {
		if f.members == nil {
			f.members = make(map[string]struct{})
		}
		f.members[text] = struct{}{}
	}
}
