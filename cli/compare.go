package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/server/app"
)

const compareName = "compare"

type compareOptions struct {
	std *IO
	connection
	targets  []app.CompareTarget
	manifest string
	kinds    []string
	mutation bool
	standard *app.StandardOptions // nil does not run the battery
	format   string
}

func compareCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      compareName,
		Usage:     "run one manifest against several servers, side by side",
		UsageText: "mcpeval compare [--manifest FILE] --target LABEL=TARGET --target LABEL=TARGET... [options]",
		Description: "A TARGET is a URL, or a command with its arguments: words parted by blanks, where '...' and \"...\" keep blanks and nothing is " +
			"expanded, or a JSON array of words.\n\n" +
			"   --target 'old=npx -y notes-server@1'\n" +
			"   --target 'new=[\"node\", \"dist/index.js\", \"my notes\"]'\n" +
			"   --target live=http://127.0.0.1:8080/mcp\n\n" +
			"The targets run one after the other, each with a budget and a capture of its own. The exit code is the worst of theirs. " +
			authorizationVariable + " is sent only when all URLs have the same origin.",
		Flags: append(append([]urfave.Flag{
			&urfave.StringSliceFlag{Name: "target", Usage: "a server, as `LABEL=TARGET`; at least two"},
			manifestFlag(),
			kindFlag(),
			&urfave.BoolFlag{Name: "allow-mutation", Usage: "let the mutating cases run that name a declared sandbox"},
			gateOnlyFlag(),
			formatsFlag(compareName),
		}, standardFlags()...), connectionFlags()...),
		Action: func(c *urfave.Context) error {
			if err := noArgs(c, compareName); err != nil {
				return err
			}
			o := &compareOptions{std: std, manifest: c.String("manifest"), kinds: c.StringSlice("probe"), mutation: c.Bool("allow-mutation")}
			var err error
			if o.targets, err = parseTargets(std, c); err != nil {
				return err
			}
			if o.connection, err = parseConnection(c, compareName); err != nil {
				return err
			}
			if o.format, err = formatOf(c, compareName); err != nil {
				return err
			}
			if o.standard, err = parseBattery(std, c, compareName); err != nil {
				return err
			}
			return runCompare(c.Context, o)
		},
	}
}

func parseTargets(std *IO, c *urfave.Context) ([]app.CompareTarget, error) {
	var (
		targets []app.CompareTarget
		origin  string
	)
	seen := make(map[string]bool)
	for _, text := range c.StringSlice("target") {
		label, what, ok := strings.Cut(text, "=")
		if _, err := sanitize.NewLabel(label); !ok || err != nil {
			return nil, usagef(compareName, "--target takes LABEL=TARGET; a label is 1 to 128 of A-Z a-z 0-9 _ . : -")
		}
		if seen[label] {
			return nil, usagef(compareName, "--target %s is given twice", label)
		}
		seen[label] = true
		target, err := parseWhat(std, what, c.Bool("allow-remote-http"))
		if err != nil {
			return nil, usagef(compareName, "--target %s: %s", label, err)
		}
		if u, err := url.Parse(target.URL); err == nil && target.URL != "" && target.Authorization != "" {
			at := strings.ToLower(u.Scheme + "://" + u.Host)
			if origin != "" && at != origin {
				return nil, usagef(compareName, "%s is set and would be sent to several origins; compare them one at a time, with probe and diff", authorizationVariable)
			}
			origin = at
		}
		targets = append(targets, app.CompareTarget{Server: label, Target: target})
	}
	if len(targets) < 2 {
		return nil, usagef(compareName, "compare needs two --target LABEL=TARGET at least")
	}
	return targets, nil
}

func parseWhat(std *IO, what string, remote bool) (client.Target, error) {
	if strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://") {
		return urlTarget(std, what, remote)
	}
	words, err := commandWords(what)
	if err == nil && (len(words) == 0 || words[0] == "") {
		err = errors.New("give a URL or a command")
	}
	return client.Target{Command: words}, err
}

// commandWords cuts a command into words: a JSON array of them, or words parted by
// blanks.
func commandWords(text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") {
		var words []string
		if json.Unmarshal([]byte(text), &words) != nil {
			return nil, errors.New("the command is no JSON array of strings")
		}
		return words, nil
	}
	var (
		words []string
		word  strings.Builder
		open  bool // a word has begun
		quote rune
	)
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

func runCompare(ctx context.Context, o *compareOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	text, err := readManifest(o.std, compareName, o.manifest)
	if err != nil {
		return err
	}
	p := newProgress(o.std, "comparing")
	p.start("starting")
	comparison, probed, err := app.Compare(ctx, &app.ProbeOptions{
		Version: version, Manifest: text, Kinds: o.kinds, AllowMutation: o.mutation,
		Standard: o.standard, Protocol: o.protocol, StartupTimeout: o.startup,
		Record: o.std.recording(), Progress: p.count,
	}, o.targets)
	p.clear()
	if err != nil {
		return evaluationProblem(compareName, err)
	}
	var out []byte
	switch o.format {
	case formatJSON:
		if out, err = comparison.Encode(); err != nil {
			return fmt.Errorf("render comparison: %w", err)
		}
	case formatMarkdown:
		out = comparison.Markdown()
	default:
		out = comparison.Text()
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	found := false
	for i, one := range probed {
		switch err := verdict(one); {
		case errors.Is(err, errFound):
			found = true
		case err != nil:
			return fmt.Errorf("target %s: %w", o.targets[i].Server, err)
		}
	}
	if found {
		return errFound
	}
	return nil
}
