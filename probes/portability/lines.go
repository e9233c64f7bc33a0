package portability

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// unended is a message whose lines have not all come. Each byte is looked at once.
type unended struct {
	text []byte
	nesting
}

func (u *unended) empty() bool { return len(u.text) == 0 }

// continued takes a line of a message that has not ended.
func (w *Watch) continued(line []byte) {
	w.open.text = append(append(w.open.text, line...), '\n')
	end := w.open.closes(line)
	switch {
	case end < 0 && len(w.open.text) <= maxOpen:
		return
	case end < 0 || len(bytes.TrimSpace(line[end:])) > 0:
		w.flush()
		return
	}
	v, err := rawjson.Parse(w.open.text)
	if err != nil || !isMessage(v) {
		w.flush()
		return
	}
	w.open = unended{}
	w.add(SeveralLines, w.asked[idKey(member(v, "id"))])
	w.value(v)
}

// flush gives up on a message that never ended.
func (w *Watch) flush() {
	if !w.open.empty() {
		w.open = unended{}
		w.add(StrayText, request{})
	}
}

// several reports whether a line is a JSON object with another one right after it.
func several(line []byte) bool {
	var n nesting
	end := n.closes(line)
	return line[0] == '{' && end > 0 && bytes.HasPrefix(bytes.TrimSpace(line[end:]), []byte("{")) && rawjson.Valid(line[:end])
}

// nesting follows how deep JSON text is. Text that is no JSON gives some number.
type nesting struct {
	depth           int
	inText, escaped bool
}

// closes goes on with b and returns where in it the outermost value ends, or -1.
func (n *nesting) closes(b []byte) int {
	for i, c := range b {
		switch {
		case n.escaped:
			n.escaped = false
		case n.inText && c == '\\':
			n.escaped = true
		case c == '"':
			n.inText = !n.inText
		case n.inText:
		case c == '{' || c == '[':
			n.depth++
		case c == '}' || c == ']':
			if n.depth--; n.depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}
