package corpus_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/corpus"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
)

func TestPublic(t *testing.T) {
	c, err := corpus.Public()
	if err != nil {
		t.Fatal(err)
	}
	if c.Standard != standardOf().String() {
		t.Errorf("the corpus is of %q, the battery is %q: collect it again", c.Standard, standardOf().String())
	}
	totals, seen := 0, map[string]bool{}
	for _, s := range c.Servers {
		if seen[s.ID] {
			t.Errorf("%s is listed twice", s.ID)
		}
		seen[s.ID] = true
		if s.Version == "" || s.Package == "" || s.Registry != "npm" && s.Registry != "pypi" {
			t.Errorf("%s: package %q, version %q, registry %q", s.ID, s.Package, s.Version, s.Registry)
		}
		if (s.Needs != "" || s.Error != "") && s.Total != nil {
			t.Errorf("%s needs %q and failed with %q, and has a total", s.ID, s.Needs, s.Error)
		}
		if s.Total != nil {
			totals++
		}
	}
	if len(c.Servers) < 25 || totals < 10 {
		t.Errorf("%d servers, %d with a total", len(c.Servers), totals)
	}
}

func TestTableIsCurrent(t *testing.T) {
	c, err := corpus.Public()
	if err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile("../../docs/state-of-mcp-servers.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(published), "\r\n", "\n"), c.Markdown()); diff != "" {
		t.Errorf("run go generate ./probes/corpus (-published +now):\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	c, err := corpus.Parse([]byte(`{"standard":"` + standardOf().String() + `","servers":[
		{"id":"a","total":50},{"id":"b","total":70.5},{"id":"c","total":70.51},{"id":"d","total":null},{"id":"e","total":100}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		total report.Score
		below int
	}{{0, 0}, {5000, 0}, {5001, 1}, {7050, 1}, {7051, 2}, {7052, 3}, {10000, 3}} {
		got := c.Place(&report.Readiness{Standard: standardOf(), Total: test.total})
		if diff := cmp.Diff(&report.Place{Below: test.below, Of: 4}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.total, diff)
		}
	}
	if c.Standard = "other/1"; c.Place(&report.Readiness{Standard: standardOf()}) != nil {
		t.Error("scores of two standards are compared")
	}
	if c.Place(nil) != nil {
		t.Error("no score has a place")
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":            ``,
		"list":             `[]`,
		"unknown field":    `{"standard":"s","servers":[],"secret-canary":1}`,
		"no standard":      `{"servers":[]}`,
		"no id":            `{"standard":"s","servers":[{"total":1}]}`,
		"trailing":         `{"standard":"s","servers":[]} {}`,
		"total of text":    `{"standard":"s","servers":[{"id":"a","total":"secret-canary"}]}`,
		"total over 100":   `{"standard":"s","servers":[{"id":"a","total":100.01}]}`,
		"negative":         `{"standard":"s","servers":[{"id":"a","total":-1}]}`,
		"three decimals":   `{"standard":"s","servers":[{"id":"a","total":1.234}]}`,
		"exponent":         `{"standard":"s","servers":[{"id":"a","total":1e1}]}`,
		"no whole part":    `{"standard":"s","servers":[{"id":"a","total":.5}]}`,
		"no fraction":      `{"standard":"s","servers":[{"id":"a","total":5.}]}`,
		"duplicate braces": `{{`,
	} {
		_, err := corpus.Parse([]byte(text))
		if err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error quotes the file: %v", name, err)
		}
	}
}

// standardOf is the standard that the battery measures.
func standardOf() report.Standard { return report.NewStandard(standard.Version) }
