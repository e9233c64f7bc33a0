package recorder

import (
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Store is where captures go.
type Store struct {
	Dir  string // of the journal
	Salt sanitize.Salt
}

// OpenStore finds the user's store, making home and salt where they are
// missing. getenv is os.Getenv and goos runtime.GOOS outside tests.
func OpenStore(getenv func(string) string, goos string) (Store, error) {
	dir, err := home.Resolve(getenv, goos)
	if err != nil {
		return Store{}, err
	}
	h, err := home.Open(dir)
	if err != nil {
		return Store{}, err
	}
	salt, err := h.Salt()
	if err != nil {
		return Store{}, err
	}
	return Store{Dir: h.Store(), Salt: salt}, nil
}
