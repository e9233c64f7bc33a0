package lockfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/document"
)

// Schema is the version of the file's format.
const Schema = "mcpeval.catalog-lock/v1"

// Lock is the definitions of a server's tools.
type Lock struct {
	Schema string `json:"schema"`
	// Tools are in the order of their names.
	Tools []Tool `json:"tools"`
}

// Tool is one definition. Digests are empty for what is not there.
type Tool struct {
	Name        string      `json:"name"`
	Title       Digest      `json:"title,omitempty"`
	Description Digest      `json:"description,omitempty"`
	Annotations Annotations `json:"annotations"`
	Input       *Object     `json:"input,omitempty"`
	Output      *Object     `json:"output,omitempty"`
	// Other is of the members that are none of those above.
	Other Digest `json:"other,omitempty"`
}

// Annotations are the hints that a definition gives; nil is none.
type Annotations struct {
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
	Other       Digest `json:"other,omitempty"`
}

// Object is a schema, flattened.
type Object struct {
	// Fields are in the order of their paths. The first is the schema itself,
	// with the path ".".
	Fields []Field `json:"fields"`
	// Definitions is of what the schema defines to refer to, without its prose.
	Definitions Digest `json:"definitions,omitempty"`
	// DefinitionsProse is of the prose there.
	DefinitionsProse Digest `json:"definitions_prose,omitempty"`
}

// Field is a property, however deep, or the items of one.
type Field struct {
	// Path is names with dots between them; [] is the items of a list.
	Path     string `json:"path"`
	Type     string `json:"type"` // such as string, or null|string
	Required bool   `json:"required,omitempty"`
	// Enum are digests of the values it may have.
	Enum    []Digest `json:"enum,omitempty"`
	Default Digest   `json:"default,omitempty"`
	// Rules is of the keywords that are none of the above.
	Rules Digest `json:"rules,omitempty"`
	// Prose is of titles, descriptions and examples.
	Prose Digest `json:"prose,omitempty"`
}

// Digest is a SHA-256, cut to 128 bits, as hexadecimal digits. Empty is of nothing.
type Digest string

// New makes the lock of a catalog as tools/list gave it.
func New(entries []rawjson.Value) *Lock {
	l := &Lock{Schema: Schema, Tools: []Tool{}}
	for _, e := range entries {
		l.Tools = append(l.Tools, toolOf(decode(e.Raw())))
	}
	slices.SortFunc(l.Tools, func(a, b Tool) int { // servers may list a name twice
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.key(), b.key()))
	})
	return l
}

// key tells definitions apart.
func (t *Tool) key() string {
	text, err := json.Marshal(t)
	if err != nil {
		return "" // it always encodes
	}
	return string(text)
}

// decode reads valid JSON, keeping numbers as they are; nil for anything else.
func decode(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// Encode is the lock as its file holds it.
func (l *Lock) Encode() ([]byte, error) {
	return document.Encode(l)
}

var (
	// ErrNoLock is returned for a text that is no lockfile.
	ErrNoLock = errors.New("this is no lockfile")
	// ErrVersion is returned for a lockfile of another version.
	ErrVersion = errors.New("this lockfile is of another version")
)

// Parse reads what Encode wrote. Its errors say nothing of the text.
func Parse(text []byte) (*Lock, error) {
	var version struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &version) != nil {
		return nil, ErrNoLock
	}
	if version.Schema != Schema {
		return nil, ErrVersion
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var l Lock
	if d.Decode(&l) != nil || d.More() || l.Tools == nil {
		return nil, ErrNoLock
	}
	return &l, nil
}
