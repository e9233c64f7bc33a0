// Command gen writes the JSON Schemas of package schemas from the Go types that
// are the documents.
//
//	probes/manifest, probes/report, projections/query --invopop/jsonschema--+
//	journal's grammar, guidance, by hand -----------------------------------+--> schemas/*.schema.json
//
// It is run by go generate in the folder schemas.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/invopop/jsonschema"
)

func main() {
	if err := run(".."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes the files of the module in the folder root.
func run(root string) error {
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("enter module: %w", err)
	}
	files, err := documents()
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join("schemas", name), data, 0o644); err != nil {
			return fmt.Errorf("write schema: %w", err)
		}
	}
	return nil
}

// documents are the contents of the files, by name. The working directory must be
// the module's: comments of its sources become descriptions.
func documents() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, build := range map[string]func() (*jsonschema.Schema, error){
		"manifest": manifestSchema, "report": reportSchema, "diff": diffSchema, "event": eventSchema, "finding": findingSchema, "guidance": guidanceSchema,
	} {
		s, err := build()
		if err != nil {
			return nil, fmt.Errorf("build schema %s: %w", name, err)
		}
		s.Version = jsonschema.Version
		s.ID = jsonschema.ID("https://github.com/mcpeval/mcpeval/schemas/" + name + ".schema.json")
		data, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("encode schema %s: %w", name, err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "  "); err != nil {
			return nil, fmt.Errorf("indent schema %s: %w", name, err)
		}
		b.WriteByte('\n')
		files[name+".schema.json"] = b.Bytes()
	}
	return files, nil
}
