package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/lockfile"
	"github.com/mcpeval/mcpeval/server/app"
)

const (
	catalogName = "catalog"
	lockName    = "lock"
	checkName   = "check"
)

// defaultLockfile is where catalog keeps its lockfile.
const defaultLockfile = "mcp-eval.lock.json"

type catalogOptions struct {
	std *IO
	connection
	verb     string
	target   client.Target
	lockfile string
	format   string
}

func catalogCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:  catalogName,
		Usage: "notice when a server's tools are defined differently",
		Subcommands: []*urfave.Command{{
			Name:      lockName,
			Usage:     "write a lockfile of a server's tool definitions, to be committed",
			UsageText: "mcpeval catalog lock [--lockfile FILE] (-- COMMAND ARGS... | --url URL)",
			Description: "It holds names, types, what is required, annotations, and digests of everything else, so that it may be shared. " +
				"It replaces the file that is there. No tool is called.",
			Flags:  catalogFlags(),
			Action: func(c *urfave.Context) error { return catalogAction(std, c, lockName, command, runCatalogLock) },
		}, {
			Name:      checkName,
			Usage:     "say what is different from the lockfile; exit 1 when anything is",
			UsageText: "mcpeval catalog check [--lockfile FILE] (-- COMMAND ARGS... | --url URL)",
			Description: "A change is breaking when calls that worked may fail or a tool is more dangerous than it said, caution when it has to be " +
				"looked at, and minor otherwise. The order of tools, members, required names and alternatives is no change. No tool is called.",
			Flags:  catalogFlags(),
			Action: func(c *urfave.Context) error { return catalogAction(std, c, checkName, command, runCatalogCheck) },
		}},
	}
}

func catalogFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.StringFlag{Name: "lockfile", Value: defaultLockfile, Usage: "the `FILE`"},
		&urfave.StringFlag{Name: "url", Usage: "the Streamable HTTP `URL` of the server, in place of a command"},
		formatFlag(),
	}, connectionFlags()...)
}

func catalogAction(std *IO, c *urfave.Context, name string, command []string, run func(context.Context, *catalogOptions) error) error {
	verb := catalogName + " " + name
	o := &catalogOptions{std: std, verb: verb, lockfile: c.String("lockfile")}
	var err error
	switch {
	case c.Args().Present():
		return usagef(verb, "%s takes the server's command after \"--\"", verb)
	case command != nil && c.IsSet("url"):
		return usagef(verb, "give a command after \"--\" or --url, not both")
	case c.IsSet("url"):
		if o.target, err = urlTarget(std, c.String("url"), c.Bool("allow-remote-http")); err != nil {
			return usagef(verb, "--url: %s", err)
		}
	case len(command) == 0 || command[0] == "":
		return usagef(verb, "%s needs the server's command after \"--\", or --url URL", verb)
	default:
		o.target.Command = command
	}
	if o.lockfile == "" {
		return usagef(verb, "--lockfile takes a file")
	}
	if o.connection, err = parseConnection(c, verb); err != nil {
		return err
	}
	if o.format, err = format(c, verb); err != nil {
		return err
	}
	return run(c.Context, o)
}

// read makes the lock of the server.
func (o *catalogOptions) read(ctx context.Context) (*lockfile.Lock, error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	p := newProgress(o.std, "reading the catalog")
	p.start("starting")
	defer p.clear()
	l, err := lockfile.Read(ctx, o.target, &client.Options{Protocol: o.protocol, StartupTimeout: o.startup, Version: version, Stop: ctx.Done()})
	if err != nil {
		return nil, evaluationProblem(o.verb, err)
	}
	return l, nil
}

// catalogLocked is the JSON of catalog lock.
type catalogLocked struct {
	Lockfile string `json:"lockfile"`
	Tools    int    `json:"tools"`
	Changed  bool   `json:"changed"`
}

func runCatalogLock(ctx context.Context, o *catalogOptions) error {
	if info, err := os.Stat(filepath.Dir(o.lockfile)); err != nil || !info.IsDir() {
		return usagef(o.verb, "--lockfile: there is no folder %s", filepath.Dir(o.lockfile))
	}
	// A rename would replace a device with a file, and a pipe is never read to its end.
	if info, err := os.Stat(o.lockfile); err == nil && !info.Mode().IsRegular() {
		return usagef(o.verb, "--lockfile: %s is no file", o.lockfile)
	}
	l, err := o.read(ctx)
	if err != nil {
		return err
	}
	text, err := l.Encode()
	if err != nil {
		return err
	}
	old, err := os.ReadFile(o.lockfile)
	done := &catalogLocked{Lockfile: o.lockfile, Tools: len(l.Tools), Changed: err != nil || string(old) != string(text)}
	if done.Changed {
		if err := replaceFile(o.lockfile, text); err != nil {
			return &app.Problem{Err: fmt.Errorf("write lockfile: %w", err), Next: "--lockfile names another file"}
		}
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, done)
	}
	what := "wrote "
	if !done.Changed {
		what = "no change of "
	}
	_, err = fmt.Fprintf(o.std.Out, "%s%s: %s\n", what, o.lockfile, plural(len(l.Tools), "tool"))
	return err
}

// replaceFile writes a whole file or none.
func replaceFile(name string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".mcpeval-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// catalogChecked is the JSON of catalog check.
type catalogChecked struct {
	Lockfile string          `json:"lockfile"`
	Tools    int             `json:"tools"`
	Drift    bool            `json:"drift"`
	Changes  []catalogChange `json:"changes"`
}

type catalogChange struct {
	Tool     string  `json:"tool"`
	Field    *string `json:"field"` // null is the tool
	Kind     string  `json:"kind"`
	Severity string  `json:"severity"`
	Was      *string `json:"was"` // null where only a digest is known
	Is       *string `json:"is"`
}

func runCatalogCheck(ctx context.Context, o *catalogOptions) error {
	text, err := readInput(o.std, o.verb, "lockfile", o.lockfile)
	if err != nil {
		return o.withoutLock(err)
	}
	was, err := lockfile.Parse(text)
	if err != nil {
		return o.withoutLock(&usageError{what: o.lockfile + ": " + err.Error()})
	}
	now, err := o.read(ctx)
	if err != nil {
		return err
	}
	changes := lockfile.Compare(was, now)
	if o.format == formatJSON {
		err = writeJSON(o.std.Out, checkedOf(o.lockfile, now, changes))
	} else {
		err = writeChanges(o.std, now, changes)
	}
	if err == nil && len(changes) > 0 {
		return errFound
	}
	return err
}

// withoutLock says how a lockfile is made.
func (o *catalogOptions) withoutLock(err error) error {
	if usage, ok := errors.AsType[*usageError](err); ok {
		return &usageError{what: usage.what, next: "mcpeval catalog lock writes one"}
	}
	return err
}

func checkedOf(name string, now *lockfile.Lock, changes []lockfile.Change) *catalogChecked {
	d := &catalogChecked{Lockfile: name, Tools: len(now.Tools), Drift: len(changes) > 0, Changes: []catalogChange{}}
	for _, c := range changes {
		d.Changes = append(d.Changes, catalogChange{
			Tool: c.Tool, Field: orNull(c.Field), Kind: string(c.Kind), Severity: string(c.Severity), Was: orNull(c.Was), Is: orNull(c.Is),
		})
	}
	return d
}

func writeChanges(std *IO, now *lockfile.Lock, changes []lockfile.Change) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintf(std.Out, "no drift: %s\n", plural(len(now.Tools), "tool"))
		return err
	}
	t := &table{header: []string{"SEVERITY", "TOOL", "FIELD", "CHANGE", "WAS", "IS"}}
	counts := make(map[lockfile.Severity]int)
	for _, c := range changes {
		counts[c.Severity]++
		t.add(string(c.Severity), c.Tool, c.Field, string(c.Kind), c.Was, c.Is)
	}
	if err := t.write(std); err != nil {
		return err
	}
	var parts []string
	for _, s := range []lockfile.Severity{lockfile.Breaking, lockfile.Caution, lockfile.Minor} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	_, err := io.WriteString(std.Out, plural(len(changes), "change")+": "+strings.Join(parts, ", ")+"\n")
	return err
}
