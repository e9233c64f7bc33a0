package cli

import (
	urfave "github.com/urfave/cli/v2"
)

func unwrapCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      unwrapName,
		Usage:     "take clients' servers from below the shim again",
		ArgsUsage: "[SERVER...]",
		UsageText: "mcpeval unwrap [SERVER...] [--config FILE] [--client NAME] [--dry-run]",
		Description: "Undoes wrap: a configuration that nobody changed since is what it was, byte for byte, and its backup goes. " +
			"What was changed since stays changed, and so does the backup.",
		Flags:  configurationFlags(),
		Action: func(c *urfave.Context) error { return wrapAction(std, c, unwrapName) },
	}
}
