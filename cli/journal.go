package cli

import (
	urfave "github.com/urfave/cli/v2"
)

func journalCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "journal",
		Usage: "look at the journal and maintain it",
		Subcommands: []*urfave.Command{
			journalLsCommand(std),
			journalCatCommand(std),
			journalTailCommand(std),
			journalRepairCommand(std),
			journalQuarantineCommand(std),
			journalPruneCommand(std),
			journalImportCommand(std),
		},
	}
}
