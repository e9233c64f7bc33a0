package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/schemas"
)

const schemaName = "schema"

type schemaOptions struct {
	std    *IO
	schema []byte
}

func schemaCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        schemaName,
		Usage:       "print the JSON Schema of a document",
		ArgsUsage:   joinedOr(schemas.Names()),
		Description: "The documents: manifest is what probe reads; report is what probe --format json writes, and diff what diff does; event is a line of the journal; finding is a finding; guidance is what guidance --format json writes.",
		Action: func(c *urfave.Context) error {
			text, ok := schemas.Get(c.Args().First())
			if !ok || c.NArg() != 1 {
				return usagef(schemaName, "schema takes one of %s", joinedOr(schemas.Names()))
			}
			return runSchema(&schemaOptions{std, text})
		},
	}
}

func runSchema(o *schemaOptions) error {
	_, err := o.std.Out.Write(o.schema)
	return err
}
