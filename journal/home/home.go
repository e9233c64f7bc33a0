package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoHome is returned when the environment names no place for a home.
var ErrNoHome = errors.New("no home for records: set MCPEVAL_HOME to a folder of your own")

// Resolve finds the home's path: MCPEVAL_HOME, else .mcp-eval in HOME, else (on
// Windows) .mcp-eval in USERPROFILE, else ErrNoHome. getenv is os.Getenv and goos
// runtime.GOOS outside tests.
func Resolve(getenv func(string) string, goos string) (string, error) {
	if dir := getenv("MCPEVAL_HOME"); dir != "" {
		return dir, nil
	}
	if dir := getenv("HOME"); dir != "" {
		return below(dir, goos), nil
	}
	if goos == "windows" {
		if dir := getenv("USERPROFILE"); dir != "" {
			return below(dir, goos), nil
		}
	}
	return "", ErrNoHome
}

func below(dir, goos string) string {
	const name = ".mcp-eval"
	separator := "/"
	if goos == "windows" {
		separator = `\`
		if strings.HasSuffix(dir, "/") {
			return dir + name
		}
	}
	return strings.TrimSuffix(dir, separator) + separator + name
}

// Home is an existing home.
type Home struct {
	// Dir is the absolute path of the home.
	Dir string

	pause func() // between looks at a salt that another process is writing
}

// Open makes dir a home, if it is none yet.
func Open(dir string) (*Home, error) {
	if dir == "" {
		return nil, ErrNoHome
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve home: %w", err)
	}
	h := &Home{Dir: dir, pause: pause}
	if err := os.MkdirAll(h.Store(), 0o700); err != nil {
		return nil, fmt.Errorf("create home: %w", err)
	}
	return h, nil
}

// SpecialError says that something which is no file stands where a file of the
// home belongs. Opening it could wait for ever.
type SpecialError struct{ Path string }

func (e *SpecialError) Error() string { return e.Path + " is no file: move it away" }

// notSpecial refuses a folder, a pipe and the like at path. What is not there,
// or cannot be looked at, is left to who opens it.
func notSpecial(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &SpecialError{path}
	}
	return nil
}

// Store is the folder of the journal, the only part that may be shared.
func (h *Home) Store() string { return filepath.Join(h.Dir, "store") }

// IndexPath is the SQLite index; derived.
func (h *Home) IndexPath() string { return filepath.Join(h.Dir, "index.db") }

// LedgerPath is the ledger; derived but for its witness.
func (h *Home) LedgerPath() string { return filepath.Join(h.Dir, "ledger.db") }

// LockPath is the file that Lock locks.
func (h *Home) LockPath() string { return filepath.Join(h.Dir, ".index.lock") }

// SaltPath is the salt, which must never be shared.
func (h *Home) SaltPath() string { return filepath.Join(h.Dir, ".salt") }

// ConfigPath is the optional configuration.
func (h *Home) ConfigPath() string { return filepath.Join(h.Dir, "config.json") }

// CorpusPath is the optional corpus that scores are placed in instead of the
// public one.
func (h *Home) CorpusPath() string { return filepath.Join(h.Dir, "corpus.json") }

// QuarantineDir takes logs that cannot be read. It is not created here.
func (h *Home) QuarantineDir() string { return filepath.Join(h.Dir, "quarantine") }
