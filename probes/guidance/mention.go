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
	var names []string
	seen := make(map[string]bool)
	left := runs(text) // how often each length still comes
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		n := runOf(text[i:])
		left[n]--
		start := i + n
		i = start
		if left[n] == 0 {
			continue
		}
		// All that is passed over on the way to the end is not looked at again.
		for {
			at := i + strings.IndexByte(text[i:], '`')
			run := runOf(text[at:])
			left[run]--
			i = at + run
			if run != n {
				continue
			}
			if name := nameIn(text[start:at]); name != "" && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
			break
		}
	}
	return names
}

// runs counts the runs of backticks by their length.
func runs(text string) map[int]int {
	counts := make(map[int]int)
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		n := runOf(text[i:])
		counts[n]++
		i += n
	}
	return counts
}

// runOf is the length of the run of backticks that s begins with.
func runOf(s string) int {
	n := 0
	for n < len(s) && s[n] == '`' {
		n++
	}
	return n
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
