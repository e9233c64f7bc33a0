package demo

// The revisions of the specification that the server speaks. They are dates,
// so that they compare as text.
const (
	revision2024   = "2024-11-05"
	revision2025a  = "2025-03-26" // adds annotations and batches
	revision2025b  = "2025-06-18" // adds titles and structured output, removes batches
	revision2025c  = "2025-11-25"
	revisionModern = "2026-07-28" // no handshake: every request says its revision
)

func revisions() []string {
	return []string{revisionModern, revision2025c, revision2025b, revision2025a, revision2024}
}

// negotiate answers the revision of initialize: the one asked for when it has
// a handshake and is known, else the newest that has.
func negotiate(asked string) string {
	for _, r := range revisions() {
		if r == asked && r != revisionModern {
			return r
		}
	}
	return revision2025c
}

// implementation names the server, as serverInfo.
type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

func serverInfo(revision string) implementation {
	info := implementation{Name: "mcpeval-demo", Version: "1.0"}
	if revision >= revision2025b {
		info.Title = "mcpeval demo server"
	}
	return info
}

const instructions = "Weather that never changes and three notes, for trying out mcpeval. Every tool only reads."

// capabilities says what the server offers: tools, in a list that never changes.
type capabilities struct {
	Tools struct{} `json:"tools"`
}

type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// listing is a tool as tools/list shows it.
type listing struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	InputSchema  *schema      `json:"inputSchema"`
	OutputSchema *schema      `json:"outputSchema,omitempty"`
	Annotations  *annotations `json:"annotations,omitempty"`
}

// catalog lists the tools with the fields that the revision knows.
func catalog(revision string) []listing {
	var list []listing
	for _, t := range tools() {
		l := listing{Name: t.name, Description: t.description, InputSchema: t.input}
		if revision >= revision2025a {
			l.Annotations = &annotations{ReadOnly: true, Idempotent: true}
		}
		if revision >= revision2025b {
			l.Title, l.OutputSchema = t.title, t.output
		}
		list = append(list, l)
	}
	return list
}
