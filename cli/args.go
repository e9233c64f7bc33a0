package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// splitCommand cuts args at the first "--". What follows it belongs to the
// command a verb starts; command is nil when there is no "--".
func splitCommand(args []string) (own, command []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], append([]string{}, args[i+1:]...)
	}
	return args, nil
}

// walk follows args, which start after the program's name, down the tree of
// verbs. It returns the deepest verb they name and the rest of args.
func walk(root []*urfave.Command, args []string) (verb *urfave.Command, path, rest []string) {
	verbs := root
	for i, arg := range args {
		j := slices.IndexFunc(verbs, func(c *urfave.Command) bool { return c.Name == arg })
		if j < 0 {
			return verb, args[:i], args[i:]
		}
		verb, verbs = verbs[j], verbs[j].Subcommands
	}
	return verb, args, nil
}

// findFlag looks a flag up by the way it is written, such as --format or
// --format=json.
func findFlag(flags []urfave.Flag, arg string) urfave.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// takesValue tells whether the argument after a flag written as arg is the
// flag's value.
func takesValue(f urfave.Flag, arg string) bool {
	if f == nil || strings.Contains(arg, "=") {
		return false
	}
	d, ok := f.(urfave.DocGenerationFlag)
	return ok && d.TakesValue()
}

// flagsFirst moves a verb's flags before its other arguments, because the
// parser stops at the first argument that is no flag and people do not.
func flagsFirst(root []*urfave.Command, args []string) []string {
	verb, path, rest := walk(root, args)
	if verb == nil || len(verb.Subcommands) > 0 {
		return args
	}
	var flags, others []string
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if len(arg) < 2 || arg[0] != '-' {
			others = append(others, arg)
			continue
		}
		flags = append(flags, arg)
		if takesValue(findFlag(verb.Flags, arg), arg) && i+1 < len(rest) {
			i++
			flags = append(flags, rest[i])
		}
	}
	return slices.Concat(path, flags, others)
}
