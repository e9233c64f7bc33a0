package mcp

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// catalogText is the array of all tools as tools/list shows them. Agents pay for
// every byte of it in every session.
//
//go:embed catalog.json
var catalogText []byte

// entry is a tool of the catalog. Its schemas stay the bytes they are.
type entry struct {
	Name         string               `json:"name"`
	Title        string               `json:"title"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"inputSchema"`
	OutputSchema json.RawMessage      `json:"outputSchema"`
	Annotations  *mcp.ToolAnnotations `json:"annotations"`

	arguments *schema.Schema // InputSchema, compiled
}

// readCatalog reads the tools in the order in which they are listed.
func readCatalog(text []byte) ([]*entry, error) {
	var entries []*entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	for _, e := range entries {
		raw, err := rawjson.Parse(e.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("read catalog: %w", err)
		}
		if e.arguments, err = schema.Compile(raw, nil); err != nil {
			return nil, fmt.Errorf("compile input schema of %s: %w", e.Name, err)
		}
	}
	return entries, nil
}

// tool is the entry as the SDK takes it.
func (e *entry) tool() *mcp.Tool {
	return &mcp.Tool{
		Name: e.Name, Title: e.Title, Description: e.Description,
		InputSchema: e.InputSchema, OutputSchema: e.OutputSchema, Annotations: e.Annotations,
	}
}
