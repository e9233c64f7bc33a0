package cli

import (
	"context"
	"fmt"
	"io"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// Main runs the verb that args name and returns the code to exit with. args[0]
// is the program.
func Main(args []string, std *IO) (code int) {
	if len(args) > 1 && args[1] == process.GuardArg {
		return process.GuardMain(args[2:])
	}
	// A panic's text may quote traffic, so that only this line is printed.
	defer func() {
		if recover() != nil {
			fmt.Fprintln(std.Err, "mcpeval: internal error; please report the command you ran")
			code = exitIncomplete
		}
	}()
	own, command := splitCommand(args[1:])
	if len(own) > 0 && own[0] == completeVerb {
		// The shell's words may hold a "--" of the line being completed.
		return report(std.Err, runComplete(std, args[2:]))
	}
	root := newApp(std, command)
	return report(std.Err, root.RunContext(context.Background(), append([]string{"mcpeval"}, flagsFirst(root.Commands, own)...)))
}

// newApp builds the tree of verbs. command is what stood after "--", nil when
// there was none.
func newApp(std *IO, command []string) *urfave.App {
	root := &urfave.App{
		Name:                      "mcpeval",
		HelpName:                  "mcpeval",
		Usage:                     "measure what MCP servers cost the agents that use them",
		UsageText:                 "mcpeval VERB [options] [-- COMMAND ARGS...]",
		Description:               exitHelp,
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    std.Out,
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*urfave.Context, error) {},
		Flags:                     []urfave.Flag{urfave.HelpFlag, &urfave.BoolFlag{Name: "version", Usage: "print the version and exit"}},
		Commands: []*urfave.Command{
			shimCommand(std, command),
			shimHTTPCommand(std),
			wrapCommand(std),
			unwrapCommand(std),
			initCommand(std, command),
			probeCommand(std, command),
			scoreCommand(std, command),
			guidanceCommand(std, command),
			catalogCommand(std, command),
			compareCommand(std),
			reportCommand(std),
			diffCommand(std),
			explainCommand(std),
			schemaCommand(std),
			indexCommand(std),
			promoteCommand(std),
			findingsCommand(std),
			annotateCommand(std),
			generateCommand(std),
			verifyCommand(std, command),
			trendsCommand(std),
			exportIssuesCommand(std),
			callsCommand(std),
			serveCommand(std),
			journalCommand(std),
			auditCommand(std),
			replayCommand(std),
			shareCommand(std),
			doctorCommand(std),
			demoCommand(std),
			tourCommand(std),
			versionCommand(std),
			completionCommand(std),
			manCommand(std),
			helpCommand(std),
		},
	}
	root.Action = func(c *urfave.Context) error {
		switch {
		case c.Args().Present():
			return unknownVerb(root.Commands, "", c.Args().First())
		case c.Bool("version"):
			return runVersion(&versionOptions{std: std, format: formatText})
		}
		return urfave.ShowAppHelp(c)
	}
	root.OnUsageError = func(_ *urfave.Context, err error, _ bool) error { return flagError("", err) }
	for _, verb := range root.Commands {
		prepare(verb, verb.Name, command)
	}
	return root
}

const exitHelp = "Exit codes: 0 it succeeded; 1 it completed and found something wrong; " +
	"2 usage error, nothing was done; 3 it could not complete. shim ends as its server does."

// prepare gives a verb what all verbs have: usage errors of our own kind, no
// help verb of its own, and a refusal of a command it does not start.
func prepare(verb *urfave.Command, path string, command []string) {
	verb.HideHelpCommand = true
	verb.OnUsageError = func(_ *urfave.Context, err error, _ bool) error { return flagError(path, err) }
	if command != nil && !startsCommand(verb.Name) {
		verb.Before = func(*urfave.Context) error {
			return usagef(path, "%s starts no command, so that nothing may follow \"--\"", path)
		}
	}
	for _, sub := range verb.Subcommands {
		prepare(sub, path+" "+sub.Name, command)
	}
	if len(verb.Subcommands) > 0 {
		verb.Action = func(c *urfave.Context) error {
			if c.Args().Present() {
				return unknownVerb(verb.Subcommands, path, c.Args().First())
			}
			return urfave.ShowSubcommandHelp(c)
		}
	}
}
