package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/scaffold"
	"github.com/mcpeval/mcpeval/server/app"
)

const initName = "init"

type initOptions struct {
	std *IO
	connection
	server    string
	target    client.Target
	output    string
	force     bool
	dry       bool
	confirm   bool
	arguments string // a file; "" is none
	tools     []string
	format    string
}

func initCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      initName,
		Usage:     "write a manifest with every case that a live server's catalog implies",
		UsageText: "mcpeval init --server LABEL [--output FILE] [options] (-- COMMAND ARGS... | --url URL)",
		Description: "It calls up to 20 tools that are annotated readOnlyHint: true, and with --confirm-read-only also unannotated ones, and " +
			"writes cases for those whose call succeeds. A tool annotated readOnlyHint: false or destructiveHint: true is never called. " +
			"An --arguments file, {\"tool\": {...}}, holds inputs that no schema implies. Cases that need expected inputs, a slow tool or " +
			"declared references are added by hand.",
		Flags: append(targetFlags(),
			&urfave.StringFlag{Name: "output", Value: manifestName, Usage: "the `FILE` to write"},
			&urfave.BoolFlag{Name: "force", Usage: "replace the file"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "say what would be made of each tool; call nothing, write nothing"},
			&urfave.BoolFlag{Name: "confirm-read-only", Usage: "attest that tools without annotations are read-only"},
			&urfave.StringFlag{Name: "arguments", Usage: "`FILE` of arguments to call tools with: {\"tool\": {...}}"},
			&urfave.StringSliceFlag{Name: "tool", Usage: "call only the tool `NAME`; may be given again"},
			formatFlag(),
		),
		Action: func(c *urfave.Context) error {
			o := &initOptions{
				std: std, output: c.String("output"), force: c.Bool("force"), dry: c.Bool("dry-run"),
				confirm: c.Bool("confirm-read-only"), arguments: c.String("arguments"), tools: c.StringSlice("tool"),
			}
			var err error
			if o.server, o.target, err = parseTarget(std, c, initName, command); err != nil {
				return err
			}
			if o.connection, err = parseConnection(c, initName); err != nil {
				return err
			}
			if o.format, err = format(c, initName); err != nil {
				return err
			}
			if o.output == "" {
				return usagef(initName, "--output takes a file")
			}
			return runInit(c.Context, o)
		},
	}
}

func runInit(ctx context.Context, o *initOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	var arguments []byte
	if o.arguments != "" {
		var err error
		if arguments, err = readInput(o.std, initName, "arguments file", o.arguments); err != nil {
			return err
		}
	}
	p := newProgress(o.std, "scaffolding "+o.server)
	p.start("starting")
	result, err := app.Scaffold(ctx, &app.ScaffoldOptions{
		Server: o.server, Version: version, Target: o.target,
		Output: o.output, Force: o.force, DryRun: o.dry,
		ConfirmReadOnly: o.confirm, Arguments: arguments, Tools: o.tools,
		Protocol: o.protocol, StartupTimeout: o.startup,
		Progress: p.count,
	})
	p.clear()
	if err != nil {
		return evaluationProblem(initName, err)
	}
	switch {
	case o.format == formatJSON:
		return writeJSON(o.std.Out, initDocumentOf(o, result))
	case o.dry:
		return writeDecisions(o.std, result)
	}
	return writeScaffold(o, result)
}

func writeDecisions(std *IO, r *scaffold.Result) error {
	t := &table{header: []string{"TOOL", "DECISION"}}
	for _, tool := range r.Tools {
		t.add(tool.Shown(), string(tool.Decision))
	}
	if err := t.write(std); err != nil {
		return err
	}
	return writeUnnamed(std, r)
}

func writeUnnamed(std *IO, r *scaffold.Result) error {
	if r.Unnamed == 0 {
		return nil
	}
	_, err := fmt.Fprintf(std.Out, "without a name that a manifest may hold: %s\n", plural(r.Unnamed, "tool"))
	return err
}

// paginationPages is the max_pages that init writes.
const paginationPages = 5

func writeScaffold(o *initOptions, r *scaffold.Result) error {
	called, with := 0, 0
	var left strings.Builder
	for _, tool := range r.Tools {
		if tool.Called() {
			called++
		}
		if tool.Cases > 0 {
			with++
		} else if tool.Left != nil {
			fmt.Fprintf(&left, "  %s: %s\n", tool.Shown(), tool.Left)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s: %s; called %s of %d, %d with cases\n",
		o.output, plural(len(r.Manifest.Cases), "case"), plural(called, "tool"), len(r.Tools), with)
	if left.Len() > 0 {
		b.WriteString("tools without cases:\n" + left.String())
	}
	if r.Pages > paginationPages {
		fmt.Fprintf(&b, "the catalog has %d pages: the pagination case stays red until its max_pages is raised\n", r.Pages)
	}
	if r.Clamped {
		b.WriteString("the catalog is larger than a manifest's budget may be: its cost cases stay red\n")
	}
	if _, err := fmt.Fprint(o.std.Out, b.String()); err != nil {
		return err
	}
	return writeUnnamed(o.std, r)
}

// initDocument is the JSON of init.
type initDocument struct {
	Server   string     `json:"server"`
	Protocol string     `json:"protocol"`
	DryRun   bool       `json:"dry_run"`
	Output   *string    `json:"output"` // null after a dry run
	Cases    int        `json:"cases"`
	Pages    int        `json:"pages"`
	Unnamed  int        `json:"unnamed"`
	Tools    []initTool `json:"tools"`
}

type initTool struct {
	Tool     string    `json:"tool"`
	Entry    int       `json:"entry"` // its place in the catalog, from 1
	Decision string    `json:"decision"`
	Called   bool      `json:"called"`
	Cases    int       `json:"cases"`
	Left     *initLeft `json:"left"` // null for a tool with cases, and after a dry run
}

type initLeft struct {
	Why       string  `json:"why"`
	Outcome   *string `json:"outcome"`
	Code      *string `json:"code"`
	Arguments *string `json:"arguments"` // where the arguments that were tried come from
}

func initDocumentOf(o *initOptions, r *scaffold.Result) *initDocument {
	d := &initDocument{Server: o.server, Protocol: r.Revision, DryRun: o.dry, Pages: r.Pages, Unnamed: r.Unnamed, Tools: []initTool{}}
	if r.Manifest != nil {
		d.Output, d.Cases = &o.output, len(r.Manifest.Cases)
	}
	for _, t := range r.Tools {
		tool := initTool{Tool: t.Name.String(), Entry: t.Entry, Decision: string(t.Decision), Called: t.Called(), Cases: t.Cases}
		if l := t.Left; l != nil {
			tool.Left = &initLeft{Why: string(l.Why), Outcome: orNull(string(l.Outcome)), Code: orNull(l.Code.String()), Arguments: orNull(string(l.Tried))}
		}
		d.Tools = append(d.Tools, tool)
	}
	return d
}
