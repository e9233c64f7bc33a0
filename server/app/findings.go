package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// FindingStates are the values of a filter by state.
func FindingStates() []string {
	return []string{query.StateOpen, query.StateFixClaimed, query.StateVerifying, query.StateClosed}
}

// Findings are the promoted issues of the index, the most severe first. Without
// an index there are none, which is no error; an index that cannot be read is a
// *Problem, a filter that nothing can match an *InputError.
func Findings(ctx context.Context, h *home.Home, f query.FindingFilter) ([]query.Finding, error) {
	if f.State != "" && !slices.Contains(FindingStates(), f.State) {
		return nil, &InputError{Err: fmt.Errorf("a state is one of %s", strings.Join(FindingStates(), ", "))}
	}
	if err := checkLabel(f.Server); err != nil {
		return nil, err
	}
	list := []query.Finding{}
	err := readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		list, err = query.Findings(conn, f)
		return err
	})
	if errors.Is(err, index.ErrNone) {
		return []query.Finding{}, nil
	}
	return list, err
}

// FindingByID is nil when no finding has this ID, without an index too.
func FindingByID(ctx context.Context, h *home.Home, id string) (*query.Finding, error) {
	var found *query.Finding
	err := readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		found, err = query.FindingByID(conn, id)
		return err
	})
	if errors.Is(err, index.ErrNone) {
		return nil, nil
	}
	return found, err
}

// findingsDocument is the JSON of findings.
type findingsDocument struct {
	Findings []query.Finding `json:"findings"`
}

// EncodeFindings gives the document that findings --format json prints and
// list_findings answers, byte for byte.
func EncodeFindings(list []query.Finding) ([]byte, error) {
	if list == nil {
		list = []query.Finding{}
	}
	return document.Encode(findingsDocument{list})
}

// EncodeFinding gives one element of that document, which get_finding answers.
func EncodeFinding(f *query.Finding) ([]byte, error) { return document.Encode(f) }

// checkLabel refuses what can be no server's label; empty is none.
func checkLabel(server string) error {
	if server == "" {
		return nil
	}
	if _, err := sanitize.NewLabel(server); err != nil {
		return &InputError{Err: errServer}
	}
	return nil
}

// readIndex runs f over one snapshot of the index. Its errors say what to do:
// index.ErrNone is among them.
func readIndex(ctx context.Context, h *home.Home, f func(*sqlite.Conn) error) error {
	err := index.Read(ctx, h.IndexPath(), func(conn *sqlite.Conn) error {
		if _, err := index.ReadMeta(conn); err != nil {
			return err
		}
		return f(conn)
	})
	switch {
	case errors.Is(err, index.ErrNone), errors.Is(err, index.ErrOutdated):
		return &Problem{Err: err, Next: "mcpeval index"}
	case errors.Is(err, index.ErrUnreadable):
		return &Problem{Err: fmt.Errorf("read index: %w", err), Next: "mcpeval index --rebuild"}
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("read index: %w", err)
	}
	return err
}
