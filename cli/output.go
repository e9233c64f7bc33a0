package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/document"
)

// The values of --format.
const (
	formatText = "text"
	formatJSON = "json"
)

func formatFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "format", Value: formatText, Usage: "`text` or json"}
}

// format reads the flag of formatFlag.
func format(c *urfave.Context, path string) (string, error) {
	switch f := c.String("format"); f {
	case formatText, formatJSON:
		return f, nil
	}
	return "", usagef(path, "--format takes text or json")
}

// writeJSON writes v as one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	text, err := document.Encode(v)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// table is rows below a header. Columns named in right are numbers.
type table struct {
	header []string
	right  map[int]bool
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table: aligned with a bold header on a terminal, otherwise
// tab-separated, the header first.
func (t *table) write(std *IO) error {
	var b strings.Builder
	if !terminal(std.Out) {
		for _, row := range append([][]string{t.header}, t.rows...) {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	} else {
		bold, plain := "", ""
		if std.colour(std.Out) {
			bold, plain = "\x1b[1m", "\x1b[0m"
		}
		b.WriteString(bold + t.line(t.header) + plain + "\n")
		for _, row := range t.rows {
			b.WriteString(t.line(row) + "\n")
		}
	}
	_, err := io.WriteString(std.Out, b.String())
	return err
}

func (t *table) line(row []string) string {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", t.width(i)-utf8.RuneCountInString(cell))
		if t.right[i] {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *table) width(column int) int {
	n := utf8.RuneCountInString(t.header[column])
	for _, row := range t.rows {
		n = max(n, utf8.RuneCountInString(row[column]))
	}
	return n
}

// plural is "1 call" or "2 calls".
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
