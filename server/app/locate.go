package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpeval/mcpeval/journal"
)

// Locate finds the journal file that a person names: by its path relative to
// the store, as our messages print it, or by any path that leads there. The
// result is relative to the store, with slashes.
func Locate(store, name string) (string, error) {
	candidates := []string{filepath.Join(store, filepath.FromSlash(name)), name}
	if plain, ok := journal.Unshown(name); ok && plain != name {
		candidates = append(candidates, filepath.Join(store, filepath.FromSlash(plain)))
	}
	for _, candidate := range candidates {
		full, err := filepath.Abs(candidate)
		if err != nil {
			continue
		}
		root, err := filepath.Abs(store)
		if err != nil {
			return "", fmt.Errorf("find store: %w", err)
		}
		rel, err := filepath.Rel(root, full)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", fmt.Errorf("find journal file: %w", err)
		}
		rel = filepath.ToSlash(rel)
		if !info.Mode().IsRegular() || journal.KindOf(rel) == journal.FileOther {
			return "", &Problem{Err: fmt.Errorf("%s is no journal file", journal.Shown(rel)), Next: "name a .jsonl file below the store"}
		}
		return rel, nil
	}
	return "", &Problem{Err: errors.New("there is no such file in the store"), Next: "mcpeval journal ls --format json lists the paths"}
}
