package demo

import (
	_ "embed" // for manifest.json
)

//go:embed manifest.json
var manifest string

// Manifest is a manifest with every kind of probe, as the file that probe reads.
// The clean server passes it; the effects of an aspect name its cases. Its
// timeout is short, so that calls which are never answered cost little.
func Manifest() []byte { return []byte(manifest) }
