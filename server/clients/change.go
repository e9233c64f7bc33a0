package clients

import (
	"slices"
)

// State is what became of a server.
type State string

// The states of a server.
const (
	// Wrapped servers were put below the shim.
	Wrapped State = "wrapped"
	// Unwrapped servers were taken from below the shim.
	Unwrapped State = "unwrapped"
	// Already is a server that was as it was wanted.
	Already State = "already"
	// Remote is a server behind a URL, for which shim-http is.
	Remote State = "url"
	// Skipped servers cannot be changed; Server.Why says why.
	Skipped State = "skipped"
)

// Server is a server of a configuration and what became of it.
type Server struct {
	Name string
	// Label is what it is, or would be, recorded under.
	Label string
	State State
	Why   string // of Skipped, "" otherwise
	// Address is the URL of a Remote one. It may hold secrets.
	Address string
}

// Change is what is to be made of a configuration.
type Change struct {
	// Servers are those that were asked for, in the order of the file.
	Servers []Server
	// Text is the configuration as it is to be.
	Text []byte

	source []byte
	tree   *tree
	groups [][]edit // by server
	shown  []span   // of source: commands that change
}

// Changed tells whether Text is another than the source.
func (c *Change) Changed() bool { return len(c.groups) > 0 }

// WrapOptions say how a configuration is to be wrapped.
type WrapOptions struct {
	// Client is one of Names; "" looks wherever any client keeps servers.
	Client string
	// Program is the path of mcpeval that clients are to start.
	Program string
	// Names selects servers; empty is all.
	Names []string
}

// Wrap puts the shim before the commands of a configuration. Its error is a
// *SyntaxError.
func Wrap(source []byte, o *WrapOptions) (*Change, error) {
	return change(source, o.Client, o.Names, func(c *Change, e *entry, s slot) (State, string) {
		if s.wrapped() {
			return Already, ""
		}
		c.groups = append(c.groups, s.wrap(source, o.Program, e.label))
		return Wrapped, ""
	})
}

// Unwrap takes the shim from before the commands of a configuration. names
// selects servers; empty is all. Its error is a *SyntaxError.
func Unwrap(source []byte, client string, names []string) (*Change, error) {
	return change(source, client, names, func(c *Change, _ *entry, s slot) (State, string) {
		if !s.wrapped() {
			return Already, ""
		}
		edits, ok := s.unwrap(source)
		if !ok {
			return Skipped, `its args name no command after "--"`
		}
		c.groups = append(c.groups, edits)
		return Unwrapped, ""
	})
}

func change(source []byte, client string, names []string, edit func(*Change, *entry, slot) (State, string)) (*Change, error) {
	t, err := parse(source)
	if err != nil {
		return nil, err
	}
	c := &Change{source: source, tree: t}
	for _, e := range t.entries(client) {
		if len(names) > 0 && !slices.Contains(names, e.name) {
			continue
		}
		server := Server{Name: e.name, Label: e.label}
		s, why := slotOf(e.value)
		switch {
		case why == "":
			server.State, server.Why = edit(c, &e, s)
			c.shown = append(c.shown, s.shown()...)
		case why == whyNoCommand && address(e.value) != "":
			server.State, server.Address = Remote, address(e.value)
		default:
			server.State, server.Why = Skipped, why
		}
		c.Servers = append(c.Servers, server)
	}
	c.Text = apply(source, sorted(c.groups))
	return c, nil
}

// sorted are all edits in the order of their places.
func sorted(groups [][]edit) []edit {
	all := slices.Concat(groups...)
	slices.SortFunc(all, func(a, b edit) int { return a.from - b.from })
	return all
}
