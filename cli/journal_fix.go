package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

type journalFixOptions struct {
	std    *IO
	verb   string
	file   string
	format string
	fix    func(h *home.Home, rel string) (*app.Removal, error)
}

func journalRepairCommand(std *IO) *urfave.Command {
	return journalFixCommand(std, app.Repair, &urfave.Command{
		Name:  "repair",
		Usage: "take the lines that cannot be read out of a log, keeping the whole log in quarantine",
		Description: "FILE is a path as messages print it, relative to the store. The log's recorder must have ended: " +
			"it would go on writing to the log that was put away. Run mcpeval index afterwards.",
	})
}

func journalQuarantineCommand(std *IO) *urfave.Command {
	return journalFixCommand(std, app.Quarantine, &urfave.Command{
		Name:        "quarantine",
		Usage:       "move a whole log out of the store, so that the rest can be indexed",
		Description: "FILE is a path as messages print it, relative to the store. Run mcpeval index afterwards; it rebuilds.",
	})
}

func journalFixCommand(std *IO, fix func(h *home.Home, rel string) (*app.Removal, error), verb *urfave.Command) *urfave.Command {
	path := "journal " + verb.Name
	verb.ArgsUsage = "FILE"
	verb.Flags = []urfave.Flag{formatFlag()}
	verb.Action = func(c *urfave.Context) error {
		f, err := format(c, path)
		if err != nil {
			return err
		}
		file, err := oneArg(c, path, "file")
		if err != nil {
			return err
		}
		return runJournalFix(c.Context, &journalFixOptions{std, path, file, f, fix})
	}
	return verb
}

func runJournalFix(ctx context.Context, o *journalFixOptions) error {
	h, err := o.std.home()
	if err != nil {
		return err
	}
	rel, err := app.Locate(h.Store(), o.file)
	if err != nil {
		return err
	}
	unlock, err := lockIndex(ctx, h, o.verb)
	if err != nil {
		return err
	}
	removal, err := o.fix(h, rel)
	unlock()
	if err != nil {
		return err
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, struct {
			Path       string     `json:"path"`
			Quarantine string     `json:"quarantine"`
			Good       [][2]int64 `json:"good_lines"`
			Bad        [][2]int64 `json:"bad_lines"`
			Torn       int64      `json:"torn_bytes"`
		}{removal.Path, removal.Quarantine, pairs(removal.Good), pairs(removal.Bad), removal.Torn})
	}
	if removal.Quarantine == "" {
		_, err := fmt.Fprintf(o.std.Out, "%s: all lines are good; nothing to do\n", journal.Shown(removal.Path))
		return err
	}
	_, err = fmt.Fprintf(o.std.Out, "%s\n  good lines: %s\n  bad lines: %s\n  bytes after the last line: %d\n  the whole log is now %s\nnext: mcpeval index\n",
		journal.Shown(removal.Path), ranges(removal.Good), ranges(removal.Bad), removal.Torn, shownBelow(h.QuarantineDir(), removal.Quarantine))
	return err
}

// shownBelow is a path below a folder of the home: the home's own name is the
// user's, and stays as it is.
func shownBelow(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return journal.Shown(path)
	}
	if shown := journal.Shown(filepath.ToSlash(rel)); shown != filepath.ToSlash(rel) {
		return shown + " in " + folder
	}
	return path
}

func ranges(list []app.Range) string {
	if len(list) == 0 {
		return "none"
	}
	var parts []string
	for _, r := range list {
		parts = append(parts, r.String())
	}
	return strings.Join(parts, ", ")
}

func pairs(list []app.Range) [][2]int64 {
	out := [][2]int64{}
	for _, r := range list {
		out = append(out, [2]int64{r.From, r.To})
	}
	return out
}
