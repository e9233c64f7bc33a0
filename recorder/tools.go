package recorder

import (
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// tools knows what the server declared, and the stored form of names that were
// called: an agent calls the same few tools again and again.
type tools struct {
	catalog sanitize.Catalog
	names   map[string]toolName
}

type toolName struct {
	tool     sanitize.Tool
	declared bool
}

// name is the stored form of a decoded name.
func (t *tools) name(decoded []byte, declared bool) sanitize.Tool {
	if n, ok := t.names[string(decoded)]; ok && n.declared == declared {
		return n.tool
	}
	n := toolName{sanitize.ToolOf(decoded, declared), declared}
	if n.tool.String() != string(decoded) {
		return n.tool // the name itself may not be kept
	}
	if t.names == nil || len(t.names) == maxNames {
		t.names = make(map[string]toolName)
	}
	t.names[string(decoded)] = n
	return n.tool
}

// describeTool names the tool as far as its name may be known, and takes the
// shape of its arguments.
func (c *Correlator) describeTool(q *request, p *wire.Params) {
	c.text = p.Name.AppendText(c.text[:0])
	schema, declared := c.tools.catalog.Lookup(c.text)
	if !p.Name.IsZero() {
		q.tool = c.tools.name(c.text, declared)
	}
	if !p.Arguments.IsZero() {
		q.args = sanitize.ShapeOf(p.Arguments, schema)
	}
}
