package cli

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/recorder/loopback"
	"github.com/mcpeval/mcpeval/server/mcp"
)

const serveName = "serve"

type serveOptions struct {
	std     *IO
	listen  netip.AddrPort
	stdio   bool
	spawn   bool
	print   bool
	reindex time.Duration
}

func serveCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      serveName,
		Usage:     "offer findings and evaluations to coding agents, as an MCP server",
		UsageText: "mcpeval serve (--listen 127.0.0.1:8091 | --stdio) [--allow-spawn] [--reindex 5s] [--print-config]",
		Description: "The tools list_findings, get_finding, get_readiness_trends and record_annotation read and annotate what is recorded. run_probe, " +
			"scaffold, score and verify_finding start the server that the agent names, so they are there with --allow-spawn only; they never " +
			"mutate and never reach another machine. It runs until interrupted. Requests that a web page may have made a browser send are refused.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "listen", Usage: "the loopback `ADDRESS` to listen on, with a port; port 0 chooses a free one"},
			&urfave.BoolFlag{Name: "stdio", Usage: "serve one client on stdin and stdout instead"},
			&urfave.BoolFlag{Name: "allow-spawn", Usage: "offer the tools that start the server that an agent names"},
			&urfave.DurationFlag{Name: "reindex", Usage: "bring the index up to date every `TIME`, such as 5s"},
			&urfave.BoolFlag{Name: "print-config", Usage: "print what to put into an MCP client's configuration, and exit"},
		},
		Action: func(c *urfave.Context) error {
			o, err := parseServe(std, c)
			if err != nil {
				return err
			}
			return runServe(c.Context, o)
		},
	}
}

func parseServe(std *IO, c *urfave.Context) (*serveOptions, error) {
	if err := noArgs(c, serveName); err != nil {
		return nil, err
	}
	o := &serveOptions{
		std: std, stdio: c.Bool("stdio"), spawn: c.Bool("allow-spawn"), print: c.Bool("print-config"), reindex: c.Duration("reindex"),
	}
	switch {
	case o.stdio == c.IsSet("listen"):
		return nil, usagef(serveName, "serve needs one of --listen ADDRESS and --stdio")
	case c.IsSet("reindex") && o.reindex < time.Second:
		return nil, usagef(serveName, "--reindex takes a time of 1s or more")
	case o.stdio:
		return o, nil
	}
	var err error
	if o.listen, err = loopback.ListenAddress(c.String("listen")); err != nil {
		return nil, usagef(serveName, "--listen: %s", err)
	}
	if o.print && o.listen.Port() == 0 {
		return nil, usagef(serveName, "--print-config needs the port that clients will use, and 0 is chosen anew each time")
	}
	return o, nil
}

func runServe(ctx context.Context, o *serveOptions) error {
	if o.print {
		return printConfig(o)
	}
	endpoint, err := mcp.New(&mcp.Options{
		Home: o.std.home, Version: version, AllowSpawn: o.spawn, Record: o.std.recording(), Reindex: o.reindex,
	})
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(ctx, endingSignals()...)
	defer restore()
	context.AfterFunc(ctx, restore) // a second one ends the process at once
	if o.stdio {
		return endpoint.ServeStdio(ctx, interruptibleInput(o.std.In), o.std.Out)
	}
	return endpoint.ListenHTTP(ctx, o.listen, func(url string) { fmt.Fprintf(o.std.Out, "listening on %s\n", url) })
}

// interruptibleInput is in, but a read of it ends when it is closed. A read of a
// terminal or file does not by itself.
func interruptibleInput(in io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err)
	}()
	return r
}

// clientConfig is what MCP clients are configured with.
type clientConfig struct {
	Servers map[string]clientServer `json:"mcpServers"`
}

type clientServer struct {
	Type    string   `json:"type"`
	URL     string   `json:"url,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
}

func printConfig(o *serveOptions) error {
	server := clientServer{Type: "http", URL: "http://" + o.listen.String() + mcp.Path}
	if o.stdio {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		server = clientServer{Type: "stdio", Command: program, Args: []string{serveName, "--stdio"}}
		if o.spawn {
			server.Args = append(server.Args, "--allow-spawn")
		}
		if o.reindex > 0 {
			server.Args = append(server.Args, "--reindex", o.reindex.String())
		}
	}
	return writeJSON(o.std.Out, clientConfig{Servers: map[string]clientServer{"mcpeval": server}})
}
