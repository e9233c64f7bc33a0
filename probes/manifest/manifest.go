package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/mcpeval/mcpeval/probes/document"
)

// Version is the one version of the format.
const Version = 1

// MaxBytes is the largest file that is read.
const MaxBytes = 64 << 20

// Manifest is a whole file.
type Manifest struct {
	Schema    string             `json:"$schema,omitempty"`
	Version   int                `json:"version" jsonschema:"enum=1"`
	TimeoutMS int                `json:"timeout_ms,omitempty" jsonschema:"minimum=100,maximum=600000"`
	Sandboxes map[string]Sandbox `json:"sandboxes,omitempty"`
	Cases     []Case             `json:"probes" jsonschema:"minItems=1"`

	// SHA256 is the digest of the file, in lower-case hexadecimal. Parse sets it.
	SHA256 string `json:"-"`
}

// Sandbox describes where a mutating case may write.
type Sandbox struct {
	Description string `json:"description" jsonschema:"maxLength=240"`
}

// Case is one case: a pointer to the type of its kind, such as *LatencyBudget.
type Case interface {
	// Base is what every case has.
	Base() *Head
}

// Encode writes the file: fields in the order of the types, two spaces of
// indentation, a final newline.
func (m *Manifest) Encode() ([]byte, error) {
	text, err := document.Encode(m)
	if err != nil {
		return nil, errEncode
	}
	return text, nil
}

// Select is the cases of the given kinds, in the order of the manifest; all
// cases when no kind is given. A name that is no kind, or a kind without a case,
// is an error.
func (m *Manifest) Select(kinds []string) ([]Case, error) {
	if len(kinds) == 0 {
		return m.Cases, nil
	}
	for _, name := range kinds {
		if !Kind(name).Known() {
			return nil, errUnknownKind
		}
		if !slices.ContainsFunc(m.Cases, func(c Case) bool { return c.Base().Probe == Kind(name) }) {
			return nil, fmt.Errorf("no case of kind %s in the manifest", name)
		}
	}
	var selected []Case
	for _, c := range m.Cases {
		if slices.Contains(kinds, string(c.Base().Probe)) {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

// Find is the case with this id, or nil.
func (m *Manifest) Find(id string) Case {
	for _, c := range m.Cases {
		if c.Base().ID == id {
			return c
		}
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
