package reason

import "github.com/mcpeval/mcpeval/probes/manifest"

// Kind is a kind of probe.
type Kind = manifest.Kind

// Kinds are all kinds, in the order of the manifest's documentation.
func Kinds() []Kind { return manifest.Kinds() }
