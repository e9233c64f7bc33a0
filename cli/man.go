package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

const manName = "man"

func manCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        manName,
		Usage:       "print the manual page of mcpeval or of a verb",
		ArgsUsage:   "[VERB...]",
		Description: "It is what the releases install. To read it: mcpeval man probe | man -l -",
		Action: func(c *urfave.Context) error {
			pages := ManPages()
			topic := c.Args().Slice()
			page, ok := pages[manFile(topic)]
			if !ok {
				return usagef(manName, "there is no verb %q", joined(topic))
			}
			_, err := std.Out.Write(page)
			return err
		},
	}
}

// ManPages are the manual pages by the names of their files: one of mcpeval and
// one of each verb, made from the tree of verbs.
func ManPages() map[string][]byte {
	root := newApp(&IO{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}, nil)
	pages := map[string][]byte{manFile(nil): rootPage(root)}
	var add func(verbs []*urfave.Command, above []string)
	add = func(verbs []*urfave.Command, above []string) {
		for _, v := range verbs {
			path := append(slices.Clip(above), v.Name)
			pages[manFile(path)] = verbPage(v, path)
			add(v.Subcommands, path)
		}
	}
	add(root.Commands, nil)
	return pages
}

func manFile(path []string) string {
	return strings.Join(append([]string{"mcpeval"}, path...), "-") + ".1"
}

// roff is a manual page in the making.
type roff struct{ strings.Builder }

func newRoff(name string) *roff {
	r := &roff{}
	fmt.Fprintf(r, ".TH \"%s\" 1 \"\" \"mcpeval %s\" \"mcpeval\"\n", strings.ToUpper(escapeRoff(name)), version)
	return r
}

func (r *roff) section(title string) { r.WriteString(".SH " + title + "\n") }

// text writes paragraphs, one a line of s.
func (r *roff) text(s string) {
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		r.WriteString(escapeRoff(strings.TrimSpace(line)) + "\n.PP\n")
	}
}

// item writes a term and what it is.
func (r *roff) item(term, text string) {
	r.WriteString(".TP\n\\fB" + escapeRoff(term) + "\\fR\n" + escapeRoff(text) + "\n")
}

// escapeRoff makes s text: no dash is a hyphen, and no line is a request.
func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func rootPage(root *urfave.App) []byte {
	r := newRoff(root.Name)
	r.section("NAME")
	r.text(root.Name + " - " + root.Usage)
	r.section("SYNOPSIS")
	r.text(root.UsageText)
	r.section("VERBS")
	for _, v := range root.Commands {
		r.item(v.Name, v.Usage)
	}
	r.options(root.Flags)
	r.section("EXIT STATUS")
	r.text(root.Description)
	r.section("ENVIRONMENT")
	r.item("MCPEVAL_HOME", "the folder to record into; otherwise .mcp-eval in the user's folder")
	r.item("MCPEVAL_SESSION", "the name of the agent's session, stored as its SHA-256")
	r.item(authorizationVariable, "the Authorization header for the URL of a server that is evaluated")
	r.item("NO_COLOR", "set to anything, it keeps colours away")
	r.section("SEE ALSO")
	var all []string
	for _, v := range root.Commands {
		all = append(all, strings.TrimSuffix(manFile([]string{v.Name}), ".1")+"(1)")
	}
	r.text(strings.Join(all, ", "))
	return []byte(r.String())
}

func verbPage(v *urfave.Command, path []string) []byte {
	name := strings.TrimSuffix(manFile(path), ".1")
	r := newRoff(name)
	r.section("NAME")
	r.text(name + " - " + v.Usage)
	r.section("SYNOPSIS")
	switch {
	case v.UsageText != "":
		r.text(v.UsageText)
	case len(v.Subcommands) > 0:
		r.text("mcpeval " + joined(path) + " VERB [options]")
	default:
		r.text(strings.TrimSpace("mcpeval " + joined(path) + " [options] " + v.ArgsUsage))
	}
	if v.Description != "" {
		r.section("DESCRIPTION")
		r.text(v.Description)
	}
	if len(v.Subcommands) > 0 {
		r.section("VERBS")
		for _, sub := range v.Subcommands {
			r.item(sub.Name, sub.Usage)
		}
	}
	r.options(v.Flags)
	r.section("SEE ALSO")
	above := strings.TrimSuffix(manFile(path[:len(path)-1]), ".1") + "(1)"
	r.text(above)
	return []byte(r.String())
}

// options are the flags as help shows them.
func (r *roff) options(flags []urfave.Flag) {
	shown := false
	for _, f := range flags {
		d, ok := f.(urfave.DocGenerationFlag)
		if !ok {
			continue
		}
		if !shown {
			r.section("OPTIONS")
			shown = true
		}
		placeholder, usage := unquoteUsage(d.GetUsage())
		if strings.EqualFold(f.Names()[0], "help") {
			usage = "show help"
		}
		term := "--" + strings.Join(f.Names(), ", -")
		if d.TakesValue() {
			if placeholder == "" {
				placeholder = "VALUE"
			}
			term += " " + placeholder
			if value := strings.Trim(d.GetDefaultText(), `"`); value != "" {
				usage += " (default: " + value + ")"
			}
		}
		r.item(term, usage)
	}
}

// unquoteUsage takes the name of a flag's value, which stands between backquotes,
// out of its usage.
func unquoteUsage(usage string) (placeholder, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	placeholder, after, _ := strings.Cut(rest, "`")
	return placeholder, before + placeholder + after
}
