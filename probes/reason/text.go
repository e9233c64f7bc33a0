package reason

import (
	"fmt"
	"strings"
)

// width is where the lines of an explanation are broken.
const width = 80

// Text is the explanation of one reason for a terminal.
func (r Reason) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n", r.Label, r.Class)
	fmt.Fprintf(&b, "%s\n\n", wrap(sentence(r.Meaning), "  "))
	fmt.Fprintf(&b, "fix:\n%s\n\n", wrap(sentence(r.Fix), "  "))
	b.WriteString(wrap(r.Explain, "  "))
	b.WriteByte('\n')
	switch len(r.Kinds) {
	case 0:
	case len(Kinds()):
		b.WriteString("\nprobes: all\n")
	default:
		var kinds []string
		for _, k := range r.Kinds {
			kinds = append(kinds, string(k))
		}
		fmt.Fprintf(&b, "\nprobes:\n%s\n", wrap(strings.Join(kinds, ", "), "  "))
	}
	return b.String()
}

// Table is every reason with its meaning, in groups by class.
func Table() string {
	var b strings.Builder
	long := 0
	for _, l := range Labels() {
		long = max(long, len(l))
	}
	var class Class
	for _, r := range All() {
		if r.Class != class {
			if class != 0 {
				b.WriteByte('\n')
			}
			class = r.Class
			fmt.Fprintf(&b, "%s:\n", class)
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", long, r.Label, r.Meaning)
	}
	return b.String()
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// wrap breaks text into lines of at most width bytes that begin with indent.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
