package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/recorder/loopback"
	"github.com/mcpeval/mcpeval/server/app"
)

// authorizationVariable holds the Authorization header for a URL.
const authorizationVariable = "MCPEVAL_HTTP_AUTHORIZATION"

// startsCommand reports whether a verb starts what follows "--".
func startsCommand(verb string) bool {
	return slices.Contains([]string{shimName, probeName, initName, scoreName, guidanceName, verifyName, catalogName, lockName, checkName}, verb)
}

// targetFlags are the flags of a verb that evaluates one server.
func targetFlags() []urfave.Flag {
	return append([]urfave.Flag{&urfave.StringFlag{Name: "server", Usage: "the `LABEL` of the server"}}, serverFlags()...)
}

// serverFlags are those of targetFlags that say where the server is.
func serverFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.StringFlag{Name: "url", Usage: "the Streamable HTTP `URL` of the server, in place of a command"},
	}, connectionFlags()...)
}

// connectionFlags say how servers are talked to.
func connectionFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "allow-remote-http", Usage: "let a URL be on another machine, by https"},
		&urfave.StringFlag{Name: "protocol", Value: client.Auto, Usage: "the protocol `REVISION`, or auto"},
		&urfave.DurationFlag{Name: "startup-timeout", Value: client.DefaultStartupTimeout, Usage: "how long a command may take to its first answer"},
	}
}

// connection is what connectionFlags say.
type connection struct {
	protocol string
	startup  time.Duration
}

func parseConnection(c *urfave.Context, verb string) (connection, error) {
	k := connection{protocol: c.String("protocol"), startup: c.Duration("startup-timeout")}
	switch {
	case k.protocol != client.Auto && !slices.Contains(client.Revisions(), k.protocol):
		return k, usagef(verb, "--protocol takes auto or one of %s", joined(client.Revisions()))
	case k.startup <= 0:
		return k, usagef(verb, "--startup-timeout takes a time such as 60s")
	}
	return k, nil
}

// parseTarget reads the server to evaluate: a command or a URL, and its label.
func parseTarget(std *IO, c *urfave.Context, verb string, command []string) (label string, target client.Target, err error) {
	label = c.String("server")
	if label == "" && !c.Args().Present() {
		return "", target, usagef(verb, "%s needs --server LABEL", verb)
	}
	if target, err = parseServer(std, c, verb, command); err != nil {
		return "", target, err
	}
	if _, err := sanitize.NewLabel(label); err != nil {
		return "", target, usagef(verb, "--server: a label is 1 to 128 of A-Z a-z 0-9 _ . : -")
	}
	return label, target, nil
}

// parseServer reads a command or a URL.
func parseServer(std *IO, c *urfave.Context, verb string, command []string) (target client.Target, err error) {
	switch {
	case c.Args().Present():
		return target, usagef(verb, "%s takes the server's command after \"--\"", verb)
	case command != nil && c.IsSet("url"):
		return target, usagef(verb, "give a command after \"--\" or --url, not both")
	case command == nil && !c.IsSet("url"):
		return target, usagef(verb, "%s needs the server's command after \"--\", or --url URL", verb)
	case command != nil && (len(command) == 0 || command[0] == ""):
		return target, usagef(verb, "%s needs the server's command after \"--\"", verb)
	}
	if command != nil {
		return client.Target{Command: command}, nil
	}
	target, err = urlTarget(std, c.String("url"), c.Bool("allow-remote-http"))
	if err != nil {
		return target, usagef(verb, "--url: %s", err)
	}
	return target, nil
}

func urlTarget(std *IO, raw string, remote bool) (client.Target, error) {
	if _, err := loopback.Upstream(raw, remote); err != nil {
		return client.Target{}, err
	}
	return client.Target{URL: raw, AllowRemote: remote, Authorization: std.Getenv(authorizationVariable)}, nil
}

// recording is where evaluations are journaled.
func (std *IO) recording() *app.Recording {
	return &app.Recording{
		Open:    std.openStore,
		Report:  func(line string) { fmt.Fprintln(std.Err, line) },
		Session: std.Getenv("MCPEVAL_SESSION"),
		Now:     std.Now,
	}
}

// evaluationProblem makes the errors of an evaluation ours.
func evaluationProblem(verb string, err error) error {
	if e, ok := errors.AsType[*app.InputError](err); ok {
		next := e.Next
		if next == "" {
			next = "mcpeval " + verb + " --help"
		}
		return &usageError{what: err.Error(), next: next}
	}
	if e, ok := errors.AsType[*client.PageError](err); ok {
		return &app.Problem{
			Err:  fmt.Errorf("the server's tools cannot be listed: %w", e),
			Next: "a manifest with a pagination case, and mcpeval probe --probe pagination, show where the listing breaks",
		}
	}
	if f, ok := errors.AsType[*client.Fault](err); ok {
		return &app.Problem{Err: err, Next: nextOf(f)}
	}
	return err
}

// nextOf is what to do about a server that is not to be had.
func nextOf(f *client.Fault) string {
	switch f.Detail {
	case client.CommandFailed:
		return "check the command after \"--\""
	case client.SilentStart:
		return "--startup-timeout gives it more time"
	case client.Unauthorized, client.BadAuthorization:
		return authorizationVariable + " is sent as the Authorization header"
	case client.RedirectRefused:
		return "give the URL that it redirects to"
	}
	return "mcpeval explain " + string(f.Kind)
}

// maxInput is the largest file that a verb reads whole.
const maxInput = 64 << 20

// readInput reads a file that was named on the command line; "-" is stdin.
func readInput(std *IO, verb, what, name string) ([]byte, error) {
	in := std.In
	if name == "" {
		return nil, usagef(verb, "the %s has no name", what)
	}
	if name != "-" {
		f, err := os.Open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, usagef(verb, "there is no %s %s", what, name)
		case err != nil:
			return nil, fmt.Errorf("open %s: %w", what, err)
		}
		defer f.Close() // it was only read
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, usagef(verb, "the %s %s is a folder", what, name)
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", what, err)
	case len(data) > maxInput:
		return nil, usagef(verb, "the %s is larger than %s", what, size(maxInput))
	}
	return data, nil
}

// count says that done of total steps are over. Like update it may be called
// often.
func (p *progress) count(done, total int) {
	if p == nil || p.std.Now().Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = p.std.Now()
	fmt.Fprintf(p.std.Err, "\r\x1b[K%s: %d of %d", p.what, done, total)
}

// start says that there is nothing to count yet.
func (p *progress) start(what string) {
	if p != nil {
		fmt.Fprintf(p.std.Err, "\r\x1b[K%s: %s", p.what, what)
	}
}
