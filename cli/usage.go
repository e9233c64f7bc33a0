package cli

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// flagError turns an error of the flag parser into one of ours.
func flagError(path string, err error) error {
	what := err.Error()
	for from, to := range map[string]string{
		"flag provided but not defined: -": "there is no flag --",
		"flag needs an argument: -":        "a value must follow --",
		" for flag -":                      " for --",
	} {
		what = strings.Replace(what, from, to, 1)
	}
	if path != "" {
		what = path + ": " + what
	}
	return &usageError{what: what, next: strings.Join(strings.Fields("mcpeval "+path+" --help"), " ")}
}

// unknownVerb says that name is no verb of those below path, and which one it
// may have been meant to be.
func unknownVerb(verbs []*urfave.Command, path, name string) error {
	parent := strings.TrimSpace("mcpeval " + path)
	next := parent + " --help"
	best := 3 // more edits than that are another word
	for _, v := range verbs {
		if d := distance(v.Name, name); d < best {
			best, next = d, parent+" "+v.Name+" --help"
		}
	}
	return &usageError{what: fmt.Sprintf("there is no verb %q", strings.TrimSpace(path+" "+name)), next: next}
}

// distance is the Levenshtein distance of two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// noArgs refuses arguments of a verb that takes none.
func noArgs(c *urfave.Context, path string) error {
	if c.Args().Present() {
		return usagef(path, "%s takes no arguments", path)
	}
	return nil
}

// oneArg returns the only argument of a verb.
func oneArg(c *urfave.Context, path, name string) (string, error) {
	if c.NArg() != 1 || c.Args().First() == "" {
		return "", usagef(path, "%s takes exactly one %s", path, name)
	}
	return c.Args().First(), nil
}
