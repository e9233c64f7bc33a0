package battery

import "github.com/mcpeval/mcpeval/journal/rawjson"

// Catalog is what tools/list gave. Its values are traffic.
type Catalog struct {
	Entries []rawjson.Value

	Bytes    int // of all entries as they are measured
	Tokens   int // the sum of the tools' tokens
	Heaviest int // the most tokens of one tool
}

// bytesPerToken turns bytes into tokens, rounded up for each tool.
const bytesPerToken = 4

// NewCatalog measures the entries of tools/list.
func NewCatalog(entries []rawjson.Value) Catalog {
	c := Catalog{Entries: entries}
	var buf []byte
	for _, e := range entries {
		buf = appendCompact(buf[:0], e)
		tokens := (len(buf) + bytesPerToken - 1) / bytesPerToken
		c.Bytes += len(buf)
		c.Tokens += tokens
		c.Heaviest = max(c.Heaviest, tokens)
	}
	return c
}

// Tool is the first entry with that name, absent when there is none.
func (c *Catalog) Tool(name string) rawjson.Value {
	for _, e := range c.Entries {
		if nameOf(e) == name {
			return e
		}
	}
	return rawjson.Value{}
}

// Writes reports whether an entry with that name says that it writes.
func (c *Catalog) Writes(name string) bool {
	for _, e := range c.Entries {
		if nameOf(e) != name {
			continue
		}
		if readOnly, ok := hint(e, "readOnlyHint"); ok && !readOnly {
			return true
		}
		if destructive, _ := hint(e, "destructiveHint"); destructive {
			return true
		}
	}
	return false
}

func hint(tool rawjson.Value, name string) (value, ok bool) {
	annotations, _ := tool.Get("annotations")
	v, _ := annotations.Get(name)
	return v.Bool()
}

func nameOf(tool rawjson.Value) string {
	v, _ := tool.Get("name")
	name, _ := v.Text()
	return name
}
