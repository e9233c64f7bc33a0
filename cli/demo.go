package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/reason"
)

type demoOptions struct {
	std     *IO
	address string // to listen at for HTTP; "" is stdio
	trace   string // the file for what was received, or ""
	server  demo.Options
}

func demoCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "demo-server",
		Usage: "run a small MCP server on stdin and stdout or over HTTP, clean or broken in one way",
		Description: "It is clean without --broken. With --http it prints its URL and serves until it is interrupted.\n\n" +
			aspectHelp(),
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "broken", Usage: "the `ASPECT` that is broken"},
			&urfave.StringFlag{Name: "http", Usage: "serve Streamable HTTP at the loopback `ADDR`, such as 127.0.0.1:0"},
			&urfave.BoolFlag{Name: "http-json", Usage: "answer with JSON instead of event streams where that is possible"},
			&urfave.StringFlag{Name: "protocol", Value: "both", Usage: "speak `PROTOCOL`: legacy, modern, both or one revision"},
			&urfave.IntFlag{Name: "page-size", Usage: "list `N` tools a page; 0 is all"},
			&urfave.StringFlag{Name: "trace", Usage: "append the names of the methods and headers that come in to `FILE`"},
		},
		Action: func(c *urfave.Context) error {
			if err := noArgs(c, "demo-server"); err != nil {
				return err
			}
			o := &demoOptions{std: std, address: c.String("http"), trace: c.String("trace"), server: demo.Options{
				Broken: c.String("broken"), Protocol: c.String("protocol"), PageSize: c.Int("page-size"),
				HTTPJSON: c.Bool("http-json"), LockPort: lockPort(),
			}}
			if c.IsSet("http-json") && o.address == "" {
				return usagef("demo-server", "--http-json goes with --http")
			}
			return runDemo(c.Context, o)
		},
	}
}

// lockPort is a port that the demo servers of one parent share and those of
// others most likely do not.
func lockPort() int { return 10_000 + os.Getppid()%20_000 }

// aspectHelp lists the aspects, each with the reason it provokes in a probe.
func aspectHelp() string {
	var help strings.Builder
	help.WriteString("The aspects, with the reason for which probes fail:\n")
	for _, a := range demo.Aspects() {
		var labels []string
		seen := map[reason.Label]bool{}
		for _, e := range a.Effects {
			if !seen[e.Reason] {
				seen[e.Reason] = true
				labels = append(labels, string(e.Reason))
			}
		}
		note := strings.Join(labels, ", ")
		if a.Legal {
			note = "legal, nothing fails"
		}
		if note != "" {
			note = " (" + note + ")"
		}
		fmt.Fprintf(&help, "\n%s: %s%s", a.Name, a.Text, note)
	}
	return help.String()
}

// nearAspect suggests the aspect that may have been meant, if there is one.
func nearAspect(name string) string {
	best, hint := 4, "" // more edits than that are another word
	for _, a := range demo.Aspects() {
		if d := distance(a.Name, name); d < best {
			best, hint = d, " (did you mean "+a.Name+"?)"
		}
	}
	return hint
}

func runDemo(ctx context.Context, o *demoOptions) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if o.trace != "" {
		f, openErr := os.OpenFile(o.trace, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if openErr != nil {
			return fmt.Errorf("open trace: %w", openErr)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.server.Observe = demo.Trace(f, stop)
	}
	server, err := demo.New(&o.server)
	switch {
	case errors.Is(err, demo.ErrAspect):
		return usagef("demo-server", "there is no aspect %q; the help lists them%s", o.server.Broken, nearAspect(o.server.Broken))
	case errors.Is(err, demo.ErrProtocol):
		return usagef("demo-server", "--protocol takes legacy, modern, both or a revision")
	case err != nil:
		return err
	}
	defer server.Close()
	if o.address == "" {
		return server.ServeStdio(ctx, o.std.In, o.std.Out)
	}
	ctx, end := interruptible(ctx)
	defer end()
	err = server.ListenHTTP(ctx, o.address, func(url string) error {
		_, err := fmt.Fprintln(o.std.Out, url)
		return err
	})
	if errors.Is(err, demo.ErrAddress) {
		return usagef("demo-server", "--http takes a loopback address with a port, such as 127.0.0.1:0")
	}
	return err
}
