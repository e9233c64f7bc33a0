package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"
)

func helpCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      "help",
		Usage:     "print the help of mcpeval or of a verb",
		ArgsUsage: "[VERB...]",
		Action: func(c *urfave.Context) error {
			// A tree of its own, because running one changes it.
			fresh := newApp(std, nil)
			topic := c.Args().Slice()
			if _, path, rest := walk(fresh.Commands, topic); len(rest) > 0 {
				verb, _, _ := walk(fresh.Commands, path)
				below := fresh.Commands
				if verb != nil {
					below = verb.Subcommands
				}
				return unknownVerb(below, joined(path), rest[0])
			}
			return fresh.RunContext(c.Context, slices.Concat([]string{"mcpeval"}, topic, []string{"--help"}))
		},
	}
}
