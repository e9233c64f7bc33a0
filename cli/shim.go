package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/stdio"
)

const shimName = "shim"

type shimOptions struct {
	std        *IO
	server     sanitize.Label
	syncAlways bool
	command    []string
}

func shimCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      shimName,
		Usage:     "run a stdio MCP server and record what passes, forwarding every byte unchanged",
		UsageText: "mcpeval shim --server LABEL [--sync always] -- COMMAND ARGS...",
		Description: "Everything after \"--\" is the server's own command. MCPEVAL_HOME names the folder to record into, " +
			"MCPEVAL_SESSION the agent session. A home that cannot be used never stops the server.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "server", Usage: "the `LABEL` to record the server under"},
			&urfave.StringFlag{Name: "sync", Usage: "`WHEN` to fsync: always is after every write, so that not even a power loss takes an event; about once a second when absent"},
		},
		Action: func(c *urfave.Context) error {
			o, err := parseShim(std, c, command)
			if err != nil {
				return err
			}
			return runShim(o)
		},
	}
}

func parseShim(std *IO, c *urfave.Context, command []string) (*shimOptions, error) {
	o := &shimOptions{std: std, command: command}
	switch {
	case c.Args().Present():
		return nil, usagef(shimName, "shim takes the server's command after \"--\"")
	case len(command) == 0 || command[0] == "":
		return nil, usagef(shimName, "shim needs the server's command after \"--\"")
	case c.String("server") == "":
		return nil, usagef(shimName, "shim needs --server LABEL")
	case c.IsSet("sync") && c.String("sync") != "always":
		return nil, usagef(shimName, "--sync takes always")
	}
	o.syncAlways = c.IsSet("sync")
	var err error
	if o.server, err = sanitize.NewLabel(c.String("server")); err != nil {
		return nil, usagef(shimName, "--server: a label is 1 to 128 of A-Z a-z 0-9 _ . : -")
	}
	return o, nil
}

// runShim returns only when the server could not be run, or ended with a code.
func runShim(o *shimOptions) error {
	// There is one shim for each server of each client, so that memory counts for
	// more than the little time that collecting takes.
	debug.SetGCPercent(20)
	stamp, err := sanitize.NewLabel(version)
	if err != nil {
		return err
	}
	capture := recorder.NewCapture(&recorder.CaptureOptions{
		Open:       o.std.openStore,
		Report:     func(line string) { fmt.Fprintln(o.std.Err, line) },
		Session:    o.std.Getenv("MCPEVAL_SESSION"),
		Server:     o.server,
		Version:    stamp,
		Recorder:   journal.RecorderShim,
		Kind:       journal.Real,
		SyncAlways: o.syncAlways,
		Now:        time.Now,
	})
	exit, err := stdio.Run(stdio.Options{Args: o.command, Consumer: recorder.NewLines(capture)})
	var start *process.StartError
	switch {
	case errors.Is(err, stdio.ErrUnsupportedTarget):
		return &usageError{what: err.Error(), next: "run the server without mcpeval"}
	case errors.As(err, &start):
		fmt.Fprintf(o.std.Err, "mcpeval: %s\n", start)
		return &childExit{start.ExitCode()}
	case errors.Is(err, stdio.ErrConsumer):
		fmt.Fprintf(o.std.Err, "mcpeval: %s\n", err)
	case err != nil:
		return fmt.Errorf("run server: %w", err)
	}
	if exit.Signal != nil {
		return &childExit{process.ReRaise(exit.Signal)}
	}
	if exit.Code != 0 {
		return &childExit{exit.Code}
	}
	return nil
}
