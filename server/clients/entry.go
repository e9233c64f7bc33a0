package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// entry is a server of a configuration.
type entry struct {
	name  string
	label string // what the shim records it under
	value *node
}

// containers are the paths of keys below which clients keep servers by name; "*"
// is every key.
func containers(client string) [][]string {
	common := []string{"mcpServers"}
	switch client {
	case ClaudeCode:
		return [][]string{common, {"projects", "*", "mcpServers"}}
	case VSCode:
		return [][]string{{"servers"}, {"mcp", "servers"}}
	case Zed:
		return [][]string{{"context_servers"}}
	case "":
		return [][]string{common, {"projects", "*", "mcpServers"}, {"servers"}, {"mcp", "servers"}, {"context_servers"}}
	}
	return [][]string{common}
}

// entries finds the servers of a client's configuration, in the order of the
// text. A name may stand more than once: clients differ in which they take.
func (t *tree) entries(client string) []entry {
	var all []entry
	for _, path := range containers(client) {
		for _, at := range t.root.below(path) {
			if at.kind != object {
				continue
			}
			for _, m := range at.members {
				all = append(all, entry{name: m.key.text, value: m.value})
			}
		}
	}
	label(all)
	return all
}

// below are the values at a path of keys.
func (n *node) below(path []string) []*node {
	if len(path) == 0 {
		return []*node{n}
	}
	var found []*node
	for _, m := range n.members {
		if path[0] == "*" || m.key.text == path[0] {
			found = append(found, m.value.below(path[1:])...)
		}
	}
	return found
}

// get is the value of a key of an object: nil without one, and false when it
// stands there twice.
func (n *node) get(key string) (value *node, once bool) {
	for _, m := range n.members {
		if m.key.text != key {
			continue
		}
		if value != nil {
			return nil, false
		}
		value = m.value
	}
	return value, true
}

// label gives every name a label of its own, the name itself where it may be
// one.
func label(all []entry) {
	owner := make(map[string]string) // label -> name
	for i := range all {
		base := labelOf(all[i].name)
		l := base
		for n := 2; ; n++ {
			if name, taken := owner[l]; !taken || name == all[i].name {
				break
			}
			l = fmt.Sprintf("%.120s-%d", base, n)
		}
		owner[l], all[i].label = all[i].name, l
	}
}

// labelOf replaces what a label may not hold.
func labelOf(name string) string {
	l := strings.Trim(strings.Map(func(r rune) rune {
		if _, err := sanitize.NewLabel(string(r)); err != nil {
			return '-'
		}
		return r
	}, name), "-")
	if len(l) > 128 {
		l = l[:128]
	}
	if _, err := sanitize.NewLabel(l); err != nil {
		return "server"
	}
	return l
}

// slot is where an entry keeps what it starts.
type slot struct {
	owner   *node // the object of both
	command *node
	args    *node // nil when there are none
}

// slotOf finds the command of an entry; why says why there is none. Zed has had
// the command and its arguments in an object of their own.
func slotOf(entry *node) (s slot, why string) {
	if entry.kind != object {
		return s, whyNoCommand
	}
	owner, key := entry, "command"
	command, once := owner.get(key)
	if once && command != nil && command.kind == object {
		owner, key = command, "path"
		command, once = owner.get(key)
	}
	args, argsOnce := owner.get("args")
	switch {
	case !once, !argsOnce:
		return s, "it has command or args twice"
	case command == nil:
		return s, whyNoCommand
	case command.kind != text || command.text == "":
		return s, "its command is no text"
	case args != nil && args.kind != array:
		return s, "its args are no list"
	}
	return slot{owner, command, args}, ""
}

const whyNoCommand = "it has no command"

// address is the URL of an entry, "" without one.
func address(entry *node) string {
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if v, once := entry.get(key); once && v != nil && v.kind == text && v.text != "" {
			return v.text
		}
	}
	return ""
}

// wrapped reports whether an entry starts the shim, whoever wrote it and whatever
// the program is called.
func (s slot) wrapped() bool {
	if s.args == nil || len(s.args.items) == 0 || s.args.items[0].text != "shim" {
		return false
	}
	name := strings.ToLower(s.command.text[strings.LastIndexAny(s.command.text, `/\`)+1:])
	if strings.TrimSuffix(name, ".exe") == "mcpeval" {
		return true
	}
	before := s.args.items[:max(0, s.separator())]
	return slices.ContainsFunc(before, func(n *node) bool { return n.text == "--server" || strings.HasPrefix(n.text, addedArgs) })
}

// separator is where "--" stands among the args, -1 when it does not.
func (s slot) separator() int {
	return slices.IndexFunc(s.args.items, func(n *node) bool { return n.kind == text && n.text == "--" })
}
