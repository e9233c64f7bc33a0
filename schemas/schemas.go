// Package schemas holds the published JSON Schemas of mcpeval's documents.
//
//	Go types --schemas/gen--> *.schema.json --embed--> Get --> mcpeval schema, tests
//
// Invariants:
//   - The files are generated; go generate leaves no diff.
//   - The package imports nothing of the module, so that everything may use it.
//
// Non-goals: validating documents.
package schemas

import "embed"

//go:generate go run ./gen

//go:embed *.schema.json
var files embed.FS

// Names are the documents that have a schema.
func Names() []string { return []string{"manifest", "report", "diff", "event", "finding", "guidance"} }

// Get is the JSON Schema of a document; ok is false for a name that is not in
// Names.
func Get(name string) (schema []byte, ok bool) {
	for _, n := range Names() {
		if n == name {
			data, err := files.ReadFile(name + ".schema.json")
			return data, err == nil
		}
	}
	return nil, false
}
