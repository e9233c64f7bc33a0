package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// bom is a bill of materials, as CycloneDX 1.6 wants it. It has neither time nor
// serial number, which would make every one another.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill lists the modules that are in any of the binaries, and the Go that made
// them.
func bill(binaries []string, version string) ([]byte, error) {
	modules := make(map[string]component)
	b := &bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read build information: %w", err)
		}
		purl := "pkg:golang/" + info.Main.Path + "@" + version
		b.Metadata.Component = component{Type: "application", Ref: purl, Name: info.Main.Path, Version: version, PURL: purl}
		std := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
		modules[std] = component{Type: "library", Ref: std, Name: "std", Version: info.GoVersion, PURL: std}
		for _, m := range info.Deps {
			c := moduleOf(m)
			modules[c.Ref] = c
		}
	}
	b.Components = slices.SortedFunc(maps.Values(modules), func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(b)
	return text.Bytes(), err
}

func moduleOf(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
