package scaffold_test

import (
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/scaffold"
)

// Whatever a server lists, the manifest is one that the strict decoder reads, and
// no case names a tool that is annotated as a writer.
func FuzzCatalog(f *testing.F) {
	f.Add([]byte(`[` + tool("a", reads, needsBuildable, `{"type":"object"}`) + `,` + tool("a b", "", "", "") + `,` + tool("w", writes, "", "") + `]`))
	f.Add([]byte(`[{"name":"\ud800","inputSchema":true},{"name":"\u0000","annotations":[]},7,{"name":""}]`))
	f.Add([]byte(`[{"name":"a","inputSchema":{"required":["x"],"properties":{"x":{"default":{"b":1e400,"c":"\u2028"}}}}}]`))
	f.Add([]byte(`[{"name":"a","annotations":{"destructiveHint":true,"destructiveHint":false},"inputSchema":{"properties":{"":{"type":"string"}}}}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := rawjson.Parse(text)
		if err != nil {
			return
		}
		var entries []rawjson.Value
		for e := range v.Elements() {
			entries = append(entries, e)
		}
		m, tools, err := scaffold.Written(entries)
		if err != nil {
			t.Fatal(err)
		}
		cases := 0
		for _, tool := range tools {
			if !tool.Decision.Candidate() && tool.Cases > 0 {
				t.Fatalf("%s has %d cases", tool.Decision, tool.Cases)
			}
			cases += tool.Cases
		}
		if len(m.Cases) != 4+cases {
			t.Fatalf("%d cases, of which %d are the tools'", len(m.Cases), cases)
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := manifest.Parse(again); err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
	})
}
