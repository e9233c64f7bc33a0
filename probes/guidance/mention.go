package guidance

import "strings"

// maxInstructions bounds what is read of instructions, in bytes.
const maxInstructions = 1 << 20

// mentions are the words that stand alone in backticks, each once, in order. A
// span opens with a run of backticks and closes with the next run as long, as in
// CommonMark; a call such as `get_weather(city)` is its name. What no run closes
// is no span, so that one stray backtick does not turn the rest inside out.
func mentions(text string) []string {
	text = text[:min(len(text), maxInstructions)]
	var (
		names  []string
		seen   = make(map[string]bool)
		closed = make(map[int]bool) // run lengths that occur no more in what is left
	)
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		n := runOf(text[i:])
		start := i + n
		i = start
		if closed[n] {
			continue
		}
		end := closing(text, start, n)
		if end < 0 {
			closed[n] = true
			continue
		}
		i = end + n
		if name := nameIn(text[start:end]); name != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// runOf is the length of the run of backticks that s begins with.
func runOf(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closing is where the next run of n backticks begins, or -1.
func closing(text string, from, n int) int {
	for i := from; i < len(text); {
		at := strings.IndexByte(text[i:], '`')
		if at < 0 {
			return -1
		}
		i += at
		run := runOf(text[i:])
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// nameIn is the word that a span holds, "" when it holds anything else.
func nameIn(span string) string {
	span = strings.TrimSpace(span)
	if open := strings.IndexByte(span, '('); open > 0 && strings.HasSuffix(span, ")") {
		span = span[:open]
	}
	if strings.ContainsAny(span, " \t\r\n") {
		return ""
	}
	return span
}
