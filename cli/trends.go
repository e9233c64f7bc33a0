package cli

import (
	"context"
	"fmt"
	"strconv"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

type trendsOptions struct {
	std    *IO
	asked  app.TrendsOptions
	format string
}

func trendsCommand(std *IO) *urfave.Command {
	const path = "trends"
	return &urfave.Command{
		Name:        path,
		Usage:       "show the readiness of each server over time",
		Description: "Each run of mcpeval score is a row. A change is shown against the run before of the same standard alone: scores of different standards do not compare.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "server", Usage: "only that of `LABEL`"},
			&urfave.IntFlag{Name: "last", Usage: "only the last `N` runs of each server"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if err := noArgs(c, path); err != nil {
				return err
			}
			if c.IsSet("last") && c.Int("last") < 1 {
				return usagef(path, "--last takes a number from 1 on")
			}
			return runTrends(c.Context, &trendsOptions{std, app.TrendsOptions{Server: c.String("server"), Last: c.Int("last")}, f})
		},
	}
}

func runTrends(ctx context.Context, o *trendsOptions) error {
	h, err := o.std.home()
	if err != nil {
		return err
	}
	list, err := app.Trends(ctx, h, o.asked)
	if err != nil {
		return askedProblem("trends", err)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.std.Err, "mcpeval: no readiness was indexed\nnext: mcpeval score --server LABEL -- COMMAND, then mcpeval index")
	}
	if o.format == formatJSON {
		text, err := app.EncodeTrends(list)
		if err != nil {
			return err
		}
		_, err = o.std.Out.Write(text)
		return err
	}
	if len(list) == 0 {
		return nil
	}
	t := &table{
		header: []string{"SERVER", "TIME", "STANDARD", "TOTAL", "CHANGE", "PROTOCOL", "CATALOG", "CONTEXT", "RELIABILITY", "ERRORS", "COVERAGE"},
		right:  map[int]bool{3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true},
	}
	for _, server := range list {
		for _, r := range server.Runs {
			change := "-"
			if r.Delta != nil {
				change = fmt.Sprintf("%+.2f", *r.Delta)
			}
			t.add(server.Server, r.TS, r.Standard, points(r.Total), change, points(r.Protocol), points(r.Catalog), points(r.Context),
				points(r.Reliability), points(r.ErrorHonesty), points(r.Coverage))
		}
	}
	return t.write(o.std)
}

// points shows a score; one that was not measured is a dash.
func points(score *float64) string {
	if score == nil {
		return "-"
	}
	return strconv.FormatFloat(*score, 'f', -1, 64)
}
