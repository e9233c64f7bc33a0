package mcp

// dataTasks are the tools that read what is stored, and the one that annotates
// it.
func (e *Endpoint) dataTasks() map[string]task {
	return map[string]task{}
}
