package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os/exec"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// counts are what a reader of JUnit XML makes of a document.
type counts struct{ tests, failures, errors, skipped int }

func readJUnit(t interface{ Fatalf(string, ...any) }, data []byte) (attributes, elements counts) {
	var doc struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	attributes = counts{doc.Tests, doc.Failures, doc.Errors, doc.Skipped}
	for _, s := range doc.Suites {
		for _, c := range s.Cases {
			elements.tests++
			switch {
			case c.Name == "" || c.Class == "":
				t.Fatalf("a test has no name:\n%s", data)
			case c.Failure != nil && c.Failure.Message != "":
				elements.failures++
			case c.Error != nil && c.Error.Message != "":
				elements.errors++
			case c.Skipped != nil:
				elements.skipped++
			}
		}
	}
	return attributes, elements
}

// TestJUnitTellsTheGate: a reader sees a failure exactly when the gate did not
// pass.
func TestJUnitTellsTheGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDocument.Draw(t, "document")
		var o *report.Outcome
		if rapid.Bool().Draw(t, "rules") && d.Gate != nil {
			var known []report.CaseID
			for _, c := range d.Cases {
				if rapid.Bool().Draw(t, "known") {
					known = append(known, c.ID)
				}
			}
			o = new(report.Judge(d.Cases, report.Rules{Known: known, AllowEmpty: rapid.Bool().Draw(t, "allow")}))
			d.Passed = o.Passed
		}
		data, err := d.JUnit(&report.Options{Outcome: o})
		if err != nil {
			t.Fatal(err)
		}
		attributes, elements := readJUnit(t, data)
		if attributes != elements {
			t.Fatalf("says %+v, has %+v", attributes, elements)
		}
		if red := elements.failures+elements.errors > 0; d.Gate != nil && red == d.Passed {
			t.Fatalf("gate passed: %v, shown red: %v\n%s", d.Passed, red, data)
		}
	})
}

// TestJUnitPython reads documents with Python's own XML reader, the one that many
// services are built on.
func TestJUnitPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	const script = `
import sys, xml.etree.ElementTree as et
root = et.fromstring(sys.stdin.buffer.read())
assert root.tag == "testsuites", root.tag
cases = [c for s in root.findall("testsuite") for c in s.findall("testcase")]
assert all(c.get("name") and c.get("classname") for c in cases)
assert all(float(c.get("time", "0")) >= 0 for c in cases)
count = lambda tag: sum(1 for c in cases if c.find(tag) is not None)
seen = [len(cases), count("failure"), count("error"), count("skipped")]
for node in [root] + root.findall("testsuite"):
    assert [int(node.get(a)) for a in ("tests", "failures", "errors", "skipped")] == seen, (node.attrib, seen)
for c in cases:
    for p in c.findall("failure") + c.findall("error"):
        assert p.get("type") and p.get("message") and p.text.strip().splitlines()[-1].startswith("fix: ")
print(*seen)
`
	for name, d := range map[string]*report.Document{
		"whole": whole(),
		"down":  document(other("a", manifest.KindTokenCost, reason.ServerNotStarted)),
		"score": report.NewScore(version, server, nil, reason.TransportClosed),
	} {
		data, err := d.JUnit(nil)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", script)
		cmd.Stdin = bytes.NewReader(data)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, data)
			continue
		}
		_, e := readJUnit(t, data)
		if want := fmt.Sprintln(e.tests, e.failures, e.errors, e.skipped); string(out) != want {
			t.Errorf("%s: python sees %s, Go %s", name, out, want)
		}
	}
}
