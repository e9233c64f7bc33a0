package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/recorder/loopback"
	"github.com/mcpeval/mcpeval/server/app"
	"github.com/mcpeval/mcpeval/server/clients"
)

const (
	wrapName   = "wrap"
	unwrapName = "unwrap"
)

// wrapOptions are those of wrap and of unwrap.
type wrapOptions struct {
	std     *IO
	verb    string
	names   []string
	configs []string
	clients []string
	program string
	dry     bool
	format  string
}

func wrapCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      wrapName,
		Usage:     "put clients' servers below the shim",
		ArgsUsage: "[SERVER...]",
		UsageText: "mcpeval wrap [SERVER...] [--config FILE] [--client NAME] [--dry-run]",
		Description: "Finds the configurations of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf and Zed, and makes their servers, or those " +
			"named, start through mcpeval shim. Only these lines change; the file is backed up beside itself before the first change. A server " +
			"behind a URL is named with the shim-http command that records it. Restart the client afterwards.",
		Flags:  append(configurationFlags(), &urfave.StringFlag{Name: "program", Usage: "the `PATH` of the mcpeval that clients start; this one when absent"}),
		Action: func(c *urfave.Context) error { return wrapAction(std, c, wrapName) },
	}
}

func configurationFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{Name: "config", Usage: "a configuration `FILE`, in place of those that are found; may be repeated"},
		&urfave.StringSliceFlag{Name: "client", Usage: "only configurations of the client `NAME`: " + strings.Join(clients.Names(), ", ") + "; may be repeated"},
		&urfave.BoolFlag{Name: "dry-run", Usage: "write nothing; show the lines that would change"},
		formatFlag(),
	}
}

func wrapAction(std *IO, c *urfave.Context, verb string) error {
	o, err := parseWrap(std, c, verb)
	if err != nil {
		return err
	}
	return runWrap(c.Context, o)
}

func parseWrap(std *IO, c *urfave.Context, verb string) (*wrapOptions, error) {
	f, err := format(c, verb)
	if err != nil {
		return nil, err
	}
	o := &wrapOptions{
		std: std, verb: verb, names: c.Args().Slice(), configs: c.StringSlice("config"), clients: c.StringSlice("client"),
		dry: c.Bool("dry-run"), format: f, program: c.String("program"),
	}
	for _, name := range o.clients {
		if !slices.Contains(clients.Names(), name) {
			return nil, usagef(verb, "--client takes one of %s", strings.Join(clients.Names(), ", "))
		}
	}
	if len(o.configs) > 0 && len(o.clients) > 0 {
		return nil, usagef(verb, "give --config or --client, not both")
	}
	if verb == wrapName {
		o.program, err = programPath(o.program)
	}
	return o, err
}

// programPath is the path of mcpeval that clients, which start in folders of
// their own, can use.
func programPath(given string) (string, error) {
	if given != "" {
		path, err := filepath.Abs(given)
		if err != nil {
			return "", fmt.Errorf("find program: %w", err)
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return "", usagef(wrapName, "--program: there is no program %s", path)
		}
		return path, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find program: %w", err)
	}
	if slashed := filepath.ToSlash(path); strings.Contains(slashed, "/go-build") && strings.Contains(slashed, "/exe/") {
		return "", &usageError{what: "this mcpeval was made by go run and will be gone", next: "make build, then bin/mcpeval wrap"}
	}
	return path, nil
}

// configuration is a file and what is to be made of it.
type configuration struct {
	file   *clients.File
	change *clients.Change
	backup bool // that one is left
}

func runWrap(ctx context.Context, o *wrapOptions) error {
	all, problems, err := o.plan()
	if err != nil {
		return err
	}
	if !o.dry {
		for _, c := range all {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := o.write(c); err != nil {
				problems = append(problems, err)
			}
		}
	}
	if o.format == formatJSON {
		err = writeJSON(o.std.Out, wrapDocumentOf(o, all))
	} else {
		err = o.print(all)
	}
	if err != nil {
		return err
	}
	return errors.Join(problems...)
}

// plan reads every configuration. What cannot be read is a problem of its own,
// which keeps none of the others from being changed.
func (o *wrapOptions) plan() (all []*configuration, problems []error, err error) {
	places := o.places()
	asked := make(map[string]bool)
	found := 0
	seen := make(map[string]bool)
	for _, p := range places {
		f, err := clients.Open(p)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(o.configs) == 0:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, usagef(o.verb, "there is no configuration %s", p.Path)
		case err != nil:
			found++
			problems = append(problems, configProblem(p, err))
			continue
		case seen[f.Backup()]:
			continue // another link to it
		}
		seen[f.Backup()] = true
		found++
		change, err := o.change(f)
		if err != nil {
			problems = append(problems, configProblem(p, err))
			continue
		}
		for _, s := range change.Servers {
			asked[s.Name] = true
		}
		if len(change.Servers) > 0 {
			all = append(all, &configuration{file: f, change: change})
		}
	}
	if found == 0 {
		return nil, nil, &usageError{what: "there is no configuration of a client that is known", next: "mcpeval " + o.verb + " --config FILE"}
	}
	for _, name := range o.names {
		if !asked[name] && len(problems) == 0 {
			return nil, nil, &usageError{what: fmt.Sprintf("no configuration has a server %q", name), next: "mcpeval " + o.verb + " --dry-run shows those that there are"}
		}
	}
	return all, problems, nil
}

func (o *wrapOptions) places() []clients.Place {
	var places []clients.Place
	for _, path := range o.configs {
		places = append(places, clients.Place{Path: path})
	}
	if len(places) > 0 {
		return places
	}
	system := &clients.System{OS: runtime.GOOS, Getenv: o.std.Getenv, Glob: filepath.Glob}
	return slices.DeleteFunc(system.Places(), func(p clients.Place) bool {
		return len(o.clients) > 0 && !slices.Contains(o.clients, p.Client)
	})
}

func (o *wrapOptions) change(f *clients.File) (*clients.Change, error) {
	if o.verb == unwrapName {
		return clients.Unwrap(f.Text, f.Client, o.names)
	}
	return clients.Wrap(f.Text, &clients.WrapOptions{Client: f.Client, Program: o.program, Names: o.names})
}

// write makes the change. A client may write its configuration at any time:
// then the change is made to what it wrote.
func (o *wrapOptions) write(c *configuration) error {
	for range 5 {
		if c.change.Changed() {
			switch err := c.file.Write(c.change.Text); {
			case errors.Is(err, clients.ErrChanged):
				file, err := clients.Open(c.file.Place)
				if err != nil {
					return configProblem(c.file.Place, err)
				}
				change, err := o.change(file)
				if err != nil {
					return configProblem(c.file.Place, err)
				}
				c.file, c.change = file, change
				continue
			case err != nil:
				return configProblem(c.file.Place, err)
			}
		}
		var err error
		c.backup, err = c.file.Settle(c.change.Text)
		if err != nil {
			return configProblem(c.file.Place, err)
		}
		return nil
	}
	return &app.Problem{Err: fmt.Errorf("write %s: %w", c.file.Path, clients.ErrChanged), Next: "close the client and try again"}
}

func configProblem(p clients.Place, err error) error {
	if syntax, ok := errors.AsType[*clients.SyntaxError](err); ok {
		return &app.Problem{Err: fmt.Errorf("%s: %w", p.Path, syntax), Next: "mend the file; it stays as it is"}
	}
	return &app.Problem{Err: err, Next: "--client or --config leaves this file out"}
}

// print shows what became of each server, and on a dry run the lines.
func (o *wrapOptions) print(all []*configuration) error {
	t := &table{header: []string{"config", "server", "state", "why"}}
	var after strings.Builder
	changed := false
	for _, c := range all {
		for _, s := range c.change.Servers {
			t.add(c.file.Path, shownName(s.Name), string(s.State), s.Why)
		}
		changed = changed || c.change.Changed()
		if o.dry {
			after.WriteString(c.change.Diff(c.file.Path))
		} else if c.backup {
			fmt.Fprintf(&after, "as it was before: %s\n", c.file.Backup())
		}
	}
	if o.verb == wrapName {
		after.WriteString(hints(all))
	}
	if changed && !o.dry {
		after.WriteString("restart the clients\n")
		if dir := o.std.Getenv("MCPEVAL_HOME"); dir != "" && o.verb == wrapName {
			after.WriteString("clients that do not have MCPEVAL_HOME set record into .mcp-eval in the user's folder\n")
		}
	}
	if len(t.rows) == 0 {
		after.WriteString("no configuration has servers\n")
	} else if err := t.write(o.std); err != nil {
		return err
	}
	_, err := io.WriteString(o.std.Out, after.String())
	return err
}

// shownName is a server's name as a line can hold it: quoted when any character
// of it would steer a terminal or end the line.
func shownName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// firstPort is the first port that a hint names; each server gets its own.
const firstPort = 8090

// hints say how servers behind URLs are recorded.
func hints(all []*configuration) string {
	var b strings.Builder
	port := firstPort
	for _, c := range all {
		for _, s := range c.change.Servers {
			if s.State == clients.Remote {
				fmt.Fprintf(&b, "%s: start %s and give the client the URL that it prints\n", shownName(s.Name), shimHTTPHint(&s, port))
				port++
			}
		}
	}
	return b.String()
}

// shimHTTPHint is the command that records a server. A URL may hold secrets in
// any of its parts, so that only one on this machine is shown, and only without
// credentials, query and fragment.
func shimHTTPHint(s *clients.Server, port int) string {
	upstream, flags := "URL", " --allow-remote-http"
	if u, err := loopback.Upstream(s.Address, false); err == nil {
		upstream, flags = u.String(), ""
	}
	return fmt.Sprintf("mcpeval shim-http --server %s --listen 127.0.0.1:%d --upstream %s%s", s.Label, port, upstream, flags)
}

// wrapDocument is the JSON of wrap and unwrap.
type wrapDocument struct {
	DryRun  bool         `json:"dry_run"`
	Configs []wrapConfig `json:"configs"`
}

type wrapConfig struct {
	Client  *string      `json:"client"` // null for a file that was named
	Path    string       `json:"path"`
	Changed bool         `json:"changed"`
	Backup  *string      `json:"backup"` // null when there is none
	Diff    *string      `json:"diff"`   // null but on a dry run that changes something
	Servers []wrapServer `json:"servers"`
}

type wrapServer struct {
	Name  string  `json:"name"`
	Label string  `json:"label"`
	State string  `json:"state"`
	Why   *string `json:"why"`
	Hint  *string `json:"hint"` // for a server behind a URL
}

func wrapDocumentOf(o *wrapOptions, all []*configuration) *wrapDocument {
	d := &wrapDocument{DryRun: o.dry, Configs: []wrapConfig{}}
	port := firstPort
	for _, c := range all {
		w := wrapConfig{Client: orNull(c.file.Client), Path: c.file.Path, Changed: c.change.Changed(), Servers: []wrapServer{}}
		if o.dry {
			w.Diff = orNull(c.change.Diff(c.file.Path))
		} else if c.backup {
			w.Backup = orNull(c.file.Backup())
		}
		for _, s := range c.change.Servers {
			server := wrapServer{Name: s.Name, Label: s.Label, State: string(s.State), Why: orNull(s.Why)}
			if s.State == clients.Remote && o.verb == wrapName {
				server.Hint = orNull(shimHTTPHint(&s, port))
				port++
			}
			w.Servers = append(w.Servers, server)
		}
		d.Configs = append(d.Configs, w)
	}
	return d
}
