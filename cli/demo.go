package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/demo"
)

type demoOptions struct {
	std    *IO
	aspect demo.Aspect
}

func demoCommand(std *IO) *urfave.Command {
	var help strings.Builder
	help.WriteString("Clean without --broken. The aspects:\n")
	for _, a := range demo.Aspects() {
		help.WriteString("\n" + a.Name + ": " + a.Text)
	}
	return &urfave.Command{
		Name:        "demo-server",
		Usage:       "run a small MCP server on stdin and stdout, clean or broken in one way",
		Description: help.String(),
		Flags:       []urfave.Flag{&urfave.StringFlag{Name: "broken", Usage: "the `ASPECT` that is broken"}},
		Action: func(c *urfave.Context) error {
			if err := noArgs(c, "demo-server"); err != nil {
				return err
			}
			aspect, ok := demo.FindAspect(c.String("broken"))
			if !ok {
				return usagef("demo-server", "--broken takes one of %s", demo.AspectNames())
			}
			return runDemo(c.Context, &demoOptions{std, aspect})
		},
	}
}

func runDemo(ctx context.Context, o *demoOptions) error {
	return demo.Serve(ctx, &demo.Options{In: o.std.In, Out: o.std.Out, Aspect: o.aspect})
}
