package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/mcpeval/mcpeval/probes/reason"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr,omitempty"` // seconds
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// JUnit is the document as JUnit XML: a test a case. Failed cases are failures,
// cases that could not be judged are errors, and those that do not apply, known
// failures among them, are skipped. What fails the gate without a case (a server
// that never started, a stale known failure, a gate that judged nothing) is a
// test of its own, so that no reader shows a red gate green.
func (d *Document) JUnit(o *Options) ([]byte, error) {
	v, err := d.view(o)
	if err != nil {
		return nil, err
	}
	suite := junitSuite{Name: v.Server.s}
	for i := range v.Cases {
		suite.add(v.junitCase(&v.Cases[i]))
	}
	own := func(name string, l reason.Label) junitCase {
		return junitCase{Class: v.Server.s + ".gate", Name: name, Error: problemOf(l, "")}
	}
	if v.Gate != nil && v.Gate.NotRun > 0 {
		suite.add(own("server", reason.ServerNotStarted))
	}
	for _, id := range v.stale {
		c := own("known-failure:"+id.s, reason.StaleKnownFailure)
		c.Failure, c.Error = c.Error, nil
		suite.add(c)
	}
	if v.verdict() == "empty" {
		suite.add(junitCase{Class: v.Server.s + ".gate", Name: "judged", Failure: &junitProblem{Type: "empty", Message: "no case applied to this server: nothing was tested", Text: "--allow-empty lets that pass"}})
	}
	if v.ReadinessError != "" && v.Gate == nil {
		suite.add(own("readiness", v.ReadinessError))
	}
	if v.Gate != nil && !v.Passed && suite.Failures+suite.Errors == 0 {
		suite.add(junitCase{Class: v.Server.s + ".gate", Name: "passed", Failure: &junitProblem{Type: "gate", Message: "the gate failed though no case did", Text: "a known-failures file was stale when the run was made"}})
	}
	all := junitSuites{
		Name: "mcpeval", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped,
		Suites: []junitSuite{suite},
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return nil, fmt.Errorf("encode junit: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func (v *view) junitCase(c *Case) junitCase {
	j := junitCase{Class: v.Server.s + "." + string(c.Probe), Name: c.ID.s}
	if ms, ok := c.Measurements[LatencyMS].Int(); ok {
		j.Time = fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
	}
	switch {
	case c.Passed == Pass:
	case v.excused[c.ID]:
		j.Skipped = &junitSkipped{"known failure: " + c.why()}
	case reason.ClassOf(c.Reason) == reason.Fault:
		j.Error = problemOf(c.Reason, c.junitDetail())
	case c.Passed == Fail:
		j.Failure = problemOf(c.Reason, c.junitDetail())
	default:
		j.Skipped = &junitSkipped{string(c.Reason) + ": " + meaning(c.Reason)}
	}
	return j
}

// junitDetail are the facts of a failed case, a line each.
func (c *Case) junitDetail() string {
	var lines []string
	if c.Tool != (Tool{}) {
		lines = append(lines, "tool: "+c.Tool.s)
	}
	for _, s := range []string{c.detail(), c.attempt()} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

func problemOf(l reason.Label, detail string) *junitProblem {
	text := "fix: " + reason.Fix(l)
	if detail != "" {
		text = detail + "\n" + text
	}
	return &junitProblem{Type: string(l), Message: meaning(l), Text: text}
}
