package cli

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	httpshim "github.com/mcpeval/mcpeval/recorder/http"
	"github.com/mcpeval/mcpeval/recorder/loopback"
)

const shimHTTPName = "shim-http"

type shimHTTPOptions struct {
	std        *IO
	server     sanitize.Label
	listen     netip.AddrPort
	upstream   *url.URL
	syncAlways bool
}

func shimHTTPCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      shimHTTPName,
		Usage:     "forward to a Streamable HTTP MCP server and record what passes",
		UsageText: "mcpeval shim-http --server LABEL --listen 127.0.0.1:8090 --upstream URL [--allow-remote-http] [--sync always]",
		Description: "Clients use the URL that is printed instead of the server's. It runs until interrupted: then open exchanges have five " +
			"seconds to end. Every Mcp-Session-Id is a capture of its own, and without MCPEVAL_SESSION a session of its own; what has no " +
			"Mcp-Session-Id shares one until it rests for 30 minutes. Requests that a web page may have made a browser send are refused.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "server", Usage: "the `LABEL` to record the server under"},
			&urfave.StringFlag{Name: "listen", Usage: "the loopback `ADDRESS` to listen on, with a port; port 0 chooses a free one"},
			&urfave.StringFlag{Name: "upstream", Usage: "the server's `URL`, without credentials, query and fragment"},
			&urfave.BoolFlag{Name: "allow-remote-http", Usage: "let the server be on another machine, by https"},
			&urfave.StringFlag{Name: "sync", Usage: "`WHEN` to fsync: always is after every write, so that not even a power loss takes an event; about once a second when absent"},
		},
		Action: func(c *urfave.Context) error {
			o, err := parseShimHTTP(std, c)
			if err != nil {
				return err
			}
			return runShimHTTP(c.Context, o)
		},
	}
}

func parseShimHTTP(std *IO, c *urfave.Context) (*shimHTTPOptions, error) {
	if err := noArgs(c, shimHTTPName); err != nil {
		return nil, err
	}
	for _, needed := range [][2]string{{"server", "LABEL"}, {"listen", "ADDRESS"}, {"upstream", "URL"}} {
		if c.String(needed[0]) == "" {
			return nil, usagef(shimHTTPName, "shim-http needs --%s %s", needed[0], needed[1])
		}
	}
	if c.IsSet("sync") && c.String("sync") != "always" {
		return nil, usagef(shimHTTPName, "--sync takes always")
	}
	o := &shimHTTPOptions{std: std, syncAlways: c.IsSet("sync")}
	var err error
	if o.server, err = sanitize.NewLabel(c.String("server")); err != nil {
		return nil, usagef(shimHTTPName, "--server: a label is 1 to 128 of A-Z a-z 0-9 _ . : -")
	}
	if o.listen, err = loopback.ListenAddress(c.String("listen")); err != nil {
		return nil, usagef(shimHTTPName, "--listen: %s", err)
	}
	if o.upstream, err = loopback.Upstream(c.String("upstream"), c.Bool("allow-remote-http")); err != nil {
		return nil, usagef(shimHTTPName, "--upstream: %s", err)
	}
	return o, nil
}

func runShimHTTP(ctx context.Context, o *shimHTTPOptions) error {
	stamp, err := sanitize.NewLabel(version)
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(ctx, endingSignals()...)
	defer restore()
	context.AfterFunc(ctx, restore) // a second one ends the process at once
	return httpshim.Run(ctx, httpshim.Options{
		Listen:   o.listen,
		Upstream: o.upstream,
		Capture: recorder.CaptureOptions{
			Open:       o.std.openStore,
			Session:    o.std.Getenv("MCPEVAL_SESSION"),
			Server:     o.server,
			Version:    stamp,
			Recorder:   journal.RecorderShimHTTP,
			Kind:       journal.Real,
			SyncAlways: o.syncAlways,
		},
		Report: func(line string) { fmt.Fprintln(o.std.Err, line) },
		Ready:  func(url string) { fmt.Fprintf(o.std.Out, "listening on %s\n", url) },
		Now:    time.Now,
	})
}

// endingSignals are the signals that end a verb that runs until interrupted. One
// that is ignored, as a shell's background jobs ignore INT, stays so.
func endingSignals() (all []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}
