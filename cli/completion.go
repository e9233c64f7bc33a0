package cli

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/schemas"
	"github.com/mcpeval/mcpeval/server/app"
	"github.com/mcpeval/mcpeval/server/clients"
)

// completeVerb is what the completion scripts call, with the words of the line
// so far, the one being completed last. It is no verb of the tree, so that no
// help shows it.
const completeVerb = "__complete"

func completionCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        "completion",
		Usage:       "print a completion script for a shell",
		ArgsUsage:   "bash|zsh|fish|powershell",
		Description: "bash: source <(mcpeval completion bash)\nzsh: source <(mcpeval completion zsh)\nfish: mcpeval completion fish | source\npowershell: mcpeval completion powershell | Out-String | Invoke-Expression",
		Action: func(c *urfave.Context) error {
			script, ok := completionScripts()[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return usagef("completion", "completion takes one of bash, zsh, fish, powershell")
			}
			_, err := fmt.Fprint(std.Out, script)
			return err
		},
	}
}

// runComplete prints what may stand for the last word, a line each.
func runComplete(std *IO, words []string) error {
	for _, candidate := range complete(newApp(std, nil).Commands, words) {
		if _, err := fmt.Fprintln(std.Out, candidate); err != nil {
			return err
		}
	}
	return nil
}

// complete finds what may stand for the last of words. After "--" nothing is
// ours to complete.
func complete(root []*urfave.Command, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	if slices.Contains(before, "--") {
		return nil
	}
	verb, path, rest := walk(root, before)
	flags := []urfave.Flag{&urfave.BoolFlag{Name: "version"}}
	below := root
	if verb != nil {
		flags, below = verb.Flags, verb.Subcommands
	}
	var candidates []string
	if previous := lastFlag(flags, before); previous != nil {
		candidates = flagValues(verb, previous)
	} else {
		if len(rest) == 0 {
			for _, v := range below {
				candidates = append(candidates, v.Name)
			}
		}
		switch joined(path) {
		case "completion":
			candidates = []string{"bash", "fish", "powershell", "zsh"}
		case shimName, probeName, initName, guidanceName, verifyName, catalogName + " " + lockName, catalogName + " " + checkName:
			candidates = append(candidates, "--")
		case explainName:
			for _, l := range reason.Labels() {
				candidates = append(candidates, string(l))
			}
		case schemaName:
			candidates = schemas.Names()
		}
		if strings.HasPrefix(last, "-") {
			for _, f := range flags {
				candidates = append(candidates, "--"+f.Names()[0])
			}
			candidates = append(candidates, "--help")
		}
	}
	return slices.DeleteFunc(candidates, func(s string) bool { return !strings.HasPrefix(s, last) })
}

// lastFlag is the flag whose value is being completed, or nil.
func lastFlag(flags []urfave.Flag, before []string) urfave.Flag {
	if len(before) == 0 {
		return nil
	}
	arg := before[len(before)-1]
	if f := findFlag(flags, arg); strings.HasPrefix(arg, "-") && takesValue(f, arg) {
		return f
	}
	return nil
}

// flagValues are the values of a flag that takes one of a few.
func flagValues(verb *urfave.Command, f urfave.Flag) []string {
	switch f.Names()[0] {
	case "format":
		return slices.Sorted(slices.Values(formatsOf(verb.Name)))
	case "outcome":
		return outcomes()
	case "state":
		return app.FindingStates()
	case "kind":
		return app.AnnotationKinds()
	case "as-of":
		return []string{"now"}
	case "client":
		return clients.Names()
	case "sync":
		return []string{"always"}
	case "probe":
		var kinds []string
		for _, k := range manifest.Kinds() {
			kinds = append(kinds, string(k))
		}
		return kinds
	case "broken":
		return strings.Split(demo.AspectNames(), ", ")
	}
	return nil
}

func joined(path []string) string { return strings.Join(path, " ") }

// CompletionFiles are the scripts by the names of the files that shells look for.
func CompletionFiles() map[string]string {
	scripts := completionScripts()
	return map[string]string{
		"mcpeval.bash": scripts["bash"], "_mcpeval": scripts["zsh"], "mcpeval.fish": scripts["fish"], "mcpeval.ps1": scripts["powershell"],
	}
}

// completionScripts are the scripts by shell. Each hands the words of the line
// to completeVerb and falls back to file names.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_mcpeval() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _mcpeval mcpeval
`,
		"zsh": `#compdef mcpeval
_mcpeval() {
  local -a candidates
  candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${candidates[1]}" ]]; then
    compadd -- "${candidates[@]}"
  else
    _files
  fi
}
compdef _mcpeval mcpeval
`,
		"fish": `function __mcpeval_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c mcpeval -a '(__mcpeval_complete)'
`,
		"powershell": `Register-ArgumentCompleter -Native -CommandName mcpeval -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  & $ast.CommandElements[0].ToString() __complete @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
	}
}
