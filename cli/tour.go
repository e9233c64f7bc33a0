package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/recorder/process"
)

type tourOptions struct {
	std  *IO
	home string // "" is a temporary one
}

func tourCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        "tour",
		Usage:       "show the whole loop on a demo server, with nothing else installed",
		Description: "Every command is printed before it runs. The home of the tour is removed at its end, unless --home names one to keep.",
		Flags:       []urfave.Flag{&urfave.StringFlag{Name: "home", Usage: "work in the empty folder `DIR` and keep it"}},
		Action: func(c *urfave.Context) error {
			if err := noArgs(c, "tour"); err != nil {
				return err
			}
			return runTour(c.Context, &tourOptions{std, c.String("home")})
		},
	}
}

// runTour uses mcpeval as a person would: each step is a process of its own.
func runTour(ctx context.Context, o *tourOptions) (err error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, cleanUp, err := newTour(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	t.say("mcpeval records what passes between an MCP client and a server, and shows what it cost.")
	t.say("This tour wraps a demo server that fails now and then, and works in a home of its own.")
	t.say("")
	t.say("$ export MCPEVAL_HOME=%s", t.home)
	for _, step := range t.steps(ctx) {
		t.heading(step.heading)
		if err := errors.Join(ctx.Err(), step.run()); err != nil {
			return err
		}
	}
	t.next()
	return nil
}

// tour is one run of it.
type tour struct {
	std     *IO
	program string // the path of mcpeval
	home    string
	kept    bool
	finding string // the ID, once there is one
}

// newTour makes the home of the tour; cleanUp removes it again.
func newTour(o *tourOptions) (t *tour, cleanUp func() error, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find own program: %w", err)
	}
	t = &tour{std: o.std, program: program, home: o.home, kept: o.home != ""}
	if !t.kept {
		dir, err := os.MkdirTemp("", "mcpeval-tour-*")
		if err != nil {
			return nil, nil, fmt.Errorf("make home: %w", err)
		}
		t.home = dir
		return t, func() error { return os.RemoveAll(dir) }, nil
	}
	if t.home, err = filepath.Abs(o.home); err != nil {
		return nil, nil, fmt.Errorf("find home: %w", err)
	}
	if err := os.MkdirAll(t.home, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make home: %w", err)
	}
	entries, err := os.ReadDir(t.home)
	if err != nil {
		return nil, nil, fmt.Errorf("read home: %w", err)
	}
	if len(entries) > 0 {
		return nil, nil, usagef("tour", "--home takes an empty folder, so that the tour counts only its own calls")
	}
	return t, func() error { return nil }, nil
}

func (t *tour) say(format string, args ...any) {
	fmt.Fprintf(t.std.Out, format+"\n", args...)
}

func (t *tour) heading(text string) { t.say("\n# %s", text) }

// environ is the environment of every command: this one, with the tour's home.
func (t *tour) environ(session string) []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "MCPEVAL_HOME" && name != "MCPEVAL_SESSION" {
			env = append(env, v)
		}
	}
	return append(env, "MCPEVAL_HOME="+t.home, "MCPEVAL_SESSION="+session)
}

// command is a step that prints and runs one mcpeval command.
func (t *tour) command(args ...string) func() error {
	return func() error { return t.mcpeval(exitOK, args...) }
}

// mcpeval prints and runs one mcpeval command that is to exit with a code.
func (t *tour) mcpeval(want int, args ...string) error {
	shown := strings.NewReplacer(t.home, "$MCPEVAL_HOME", t.program, "mcpeval").Replace(strings.Join(args, " "))
	t.say("$ mcpeval %s", shown)
	return t.run(want, t.program, args...)
}

// run starts a program with the tour's output as its own and waits for it. Any
// other exit than the one that is wanted ends the tour.
func (t *tour) run(want int, program string, args ...string) error {
	out, ok := t.std.Out.(*os.File)
	if !ok {
		return errors.New("the tour needs a file as its output")
	}
	child, err := process.Start(process.Command{
		Args: append([]string{program}, args...), Env: t.environ(""), Stdout: out, Stderr: os.Stderr, Guard: true,
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", filepath.Base(program), err)
	}
	defer child.Release()
	exit, err := child.Wait()
	switch {
	case err != nil:
		return fmt.Errorf("run %s: %w", filepath.Base(program), err)
	case exit.Code != want || exit.Signal != nil:
		return fmt.Errorf("the tour ends here: %s %s exited with %d", filepath.Base(program), strings.Join(args, " "), exit.Code)
	}
	return nil
}

const seedQuery = "SELECT server, tool, outcome, COUNT(*) FROM calls GROUP BY 1,2,3 ORDER BY 4 DESC;"

// query runs the query of the README with sqlite3, or where that is not
// installed with the SQLite inside mcpeval, in the same form.
func (t *tour) query(ctx context.Context) error {
	t.say("$ sqlite3 \"$MCPEVAL_HOME/index.db\" \\\n    \"%s\"", seedQuery)
	h := &home.Home{Dir: t.home}
	if sqlite3, err := process.LookPath("sqlite3"); err == nil {
		return t.run(0, sqlite3, h.IndexPath(), seedQuery)
	}
	t.say("(sqlite3 is not installed here; this is the SQLite inside mcpeval)")
	return readIndex(ctx, h, func(conn *sqlite.Conn) error {
		return sqlitex.ExecuteTransient(conn, seedQuery, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			t.say("%s|%s|%s|%s", s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnText(3))
			return nil
		}})
	})
}

// next says what to do with a server of one's own.
func (t *tour) next() {
	t.heading("Next: your own server.")
	t.say("In your MCP client's configuration, put the shim before the server's command:")
	t.say(`  { "command": "mcpeval", "args": ["shim", "--server", "myserver", "--", "/path/to/server", "serve"] }`)
	t.say("Restart the client, let it call a tool, then run mcpeval index and mcpeval findings.")
	if t.kept {
		t.say("The home of this tour stays in %s.", t.home)
	}
}
