package sanitize

import (
	"bytes"
	"sync"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Bounds of a catalog.
const (
	maxCatalog = 4 << 20 // bytes of names and input schemas
	maxTools   = 2000
)

// Catalog knows the tools a server declared, from the results of tools/list that
// went by. It is kept in memory only. Past its bounds it learns no more: such a
// tool counts as undeclared, or as declared without a schema. The zero value is
// empty and ready. It may be used by many goroutines.
type Catalog struct {
	mu         sync.Mutex
	tools      map[string]*tool
	size       int
	generation int
}

type tool struct {
	generation int
	input      []byte // the input schema; nil when there is none
	compiled   bool
	schema     *Schema
}

// Learn takes the tools member of a tools/list result. A first page begins a new
// listing: tools that the listing before it did not have either are forgotten
// then, so that calls made while the pages come in still find their tool.
func (c *Catalog) Learn(tools rawjson.Value, firstPage bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools == nil {
		c.tools = make(map[string]*tool)
	}
	if firstPage {
		for name, t := range c.tools {
			if t.generation < c.generation {
				c.forget(name, t)
			}
		}
		c.generation++
	}
	var scratch []byte
	for definition := range tools.Elements() {
		var name []byte
		var input rawjson.Value
		for key, value := range definition.Members() {
			switch {
			case key.Is("name"):
				text, _ := decode(value.Raw(), &scratch)
				if value.Kind() == rawjson.String && all(text, 1, 128, clsLabel|clsSlash) {
					name = append(name[:0], text...)
				}
			case key.Is("inputSchema") && value.Kind() == rawjson.Object:
				input = value
			}
		}
		if len(name) > 0 {
			c.learn(name, input.Raw())
		}
	}
}

// learn requires mu.
func (c *Catalog) learn(name, input []byte) {
	if t, ok := c.tools[string(name)]; ok {
		if bytes.Equal(t.input, input) {
			t.generation = c.generation
			return
		}
		c.forget(string(name), t)
	}
	if len(c.tools) == maxTools || c.size+len(name) > maxCatalog {
		return
	}
	t := &tool{generation: c.generation}
	if c.size+len(name)+len(input) <= maxCatalog {
		t.input = bytes.Clone(input)
	}
	c.tools[string(name)] = t
	c.size += len(name) + len(t.input)
}

// forget requires mu.
func (c *Catalog) forget(name string, t *tool) {
	c.size -= len(name) + len(t.input)
	delete(c.tools, name)
}

// Lookup finds a tool by its decoded name. The schema of a declared tool is nil
// when it is not known.
func (c *Catalog) Lookup(name []byte) (schema *Schema, declared bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.tools[string(name)]
	if !ok {
		return nil, false
	}
	if !t.compiled {
		t.compiled = true
		if len(t.input) > 0 {
			t.schema = CompileSchema(rawjson.Trusted(t.input))
		}
	}
	return t.schema, true
}
