package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// edit replaces a span of a text.
type edit struct {
	span
	with string
}

// apply makes the edits, which do not overlap, in the order of their places.
func apply(source []byte, edits []edit) []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(source[at:e.from])
		b.WriteString(e.with)
		at = e.to
	}
	b.Write(source[at:])
	return b.Bytes()
}

// addedArgs marks the args of an entry that had none: the label stands in one
// argument with its flag, so that taking the shim out takes the list out too.
const addedArgs = "--server="

// wrap puts the shim before what s starts. The command moves as it was written,
// escapes and all.
func (s slot) wrap(source []byte, program, label string) []edit {
	command := string(source[s.command.from:s.command.to])
	name := edit{s.command.span, quote(program)}
	if s.args == nil {
		key, colon := s.style(source)
		name.with += "," + key + quote("args") + colon + "[" + strings.Join([]string{
			quote("shim"), quote(addedArgs + label), quote("--"), command,
		}, ", ") + "]"
		return []edit{name}
	}
	before, gap := s.args.from+1, " "
	if len(s.args.items) > 0 {
		before = s.args.items[0].from
		if white := string(source[s.args.from+1 : before]); white != "" && strings.Trim(white, " \t\r\n") == "" {
			gap = white
		}
	}
	added := []string{quote("shim"), quote("--server"), quote(label), quote("--"), command}
	with := strings.Join(added, ","+gap)
	if len(s.args.items) > 0 {
		with += "," + gap
	}
	edits := []edit{name, {span{before, before}, with}}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edits
}

// style is the white space before a key of the entry, and what stands between a
// key and its value.
func (s slot) style(source []byte) (key, colon string) {
	i := slices.IndexFunc(s.owner.members, func(m member) bool { return m.value == s.command })
	k := s.owner.members[i].key
	from := k.from
	for from > 0 && strings.IndexByte(" \t\r\n", source[from-1]) >= 0 {
		from--
	}
	key, colon = string(source[from:k.from]), string(source[k.to:s.command.from])
	if !strings.Contains(key, "\n") {
		key = " "
	}
	if strings.Trim(colon, " \t:") != "" {
		colon = ": "
	}
	return key, colon
}

// unwrap takes the shim out again; false when s does not say what it wraps.
func (s slot) unwrap(source []byte) ([]edit, bool) {
	items := s.args.items
	at := 1 + s.separator()
	if at == 0 || at == len(items) || items[at].kind != text {
		return nil, false
	}
	edits := []edit{{s.command.span, string(source[items[at].from:items[at].to])}}
	switch last := at == len(items)-1; {
	case last && slices.ContainsFunc(items[:at], func(n *node) bool { return strings.HasPrefix(n.text, addedArgs) }):
		edits = append(edits, edit{span: s.member(source)})
	case last:
		// A comma that came to stand behind the last one goes too.
		edits = append(edits, edit{span: span{items[0].from, items[at].to + comma(source[items[at].to:])}})
	default:
		edits = append(edits, edit{span: span{items[0].from, items[at+1].from}})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edits, true
}

// member is the args of s with one comma: the one before it, or the one behind
// it for the first.
func (s slot) member(source []byte) span {
	i := slices.IndexFunc(s.owner.members, func(m member) bool { return m.value == s.args })
	key := s.owner.members[i].key
	if i == 0 {
		return span{key.from, s.args.to + comma(source[s.args.to:])}
	}
	// White space goes with it up to the comma; a comment stays where it is.
	from := key.from
	for strings.IndexByte(" \t\r\n", source[from-1]) >= 0 {
		from--
	}
	if source[from-1] == ',' {
		return span{from - 1, s.args.to}
	}
	return span{key.from, s.args.to + comma(source[s.args.to:])}
}

// comma is how far a comma reaches that is the next thing in source, 0 when
// something else is.
func comma(source []byte) int {
	rest := bytes.TrimLeft(source, " \t\r\n")
	if len(rest) == 0 || rest[0] != ',' {
		return 0
	}
	return len(source) - len(rest) + 1
}

// quote is s as JSON, with nothing escaped that need not be.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
