package synth

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// resolve finds what a $ref within the document leads to: the document itself, a
// JSON pointer, or an anchor. Any other reference leads nowhere.
func resolve(root, ref rawjson.Value, m *meter) (rawjson.Value, bool) {
	if !m.step(root, 0) {
		return rawjson.Value{}, false
	}
	text, ok := ref.Text()
	fragment, local := strings.CutPrefix(text, "#")
	if !ok || !local {
		return rawjson.Value{}, false
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return rawjson.Value{}, false
	}
	switch {
	case fragment == "":
		return root, true
	case fragment[0] != '/':
		return anchored(root, fragment, m)
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	at := root
	for token := range strings.SplitSeq(fragment[1:], "/") {
		switch at.Kind() {
		case rawjson.Object:
			at, ok = at.Get(unescape.Replace(token))
		case rawjson.Array:
			at, ok = element(at, token)
		default:
			ok = false
		}
		if !ok {
			return rawjson.Value{}, false
		}
	}
	return at, true
}

func element(list rawjson.Value, token string) (rawjson.Value, bool) {
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 {
		return rawjson.Value{}, false
	}
	for e := range list.Elements() {
		if n == 0 {
			return e, true
		}
		n--
	}
	return rawjson.Value{}, false
}

// anchored is the first object of the document with that $anchor, breadth first.
func anchored(root rawjson.Value, name string, m *meter) (rawjson.Value, bool) {
	queue := []rawjson.Value{root}
	for len(queue) > 0 && m.step(queue[0], 0) {
		v := queue[0]
		queue = queue[1:]
		if anchor, ok := v.Get("$anchor"); ok {
			if text, _ := anchor.Text(); text == name {
				return v, true
			}
		}
		for _, member := range v.Members() {
			queue = append(queue, member)
		}
		for e := range v.Elements() {
			queue = append(queue, e)
		}
	}
	return rawjson.Value{}, false
}
