package corpus

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"

	"github.com/mcpeval/mcpeval/probes/report"
)

//go:embed corpus.json
var public []byte

// Corpus is a collection of scored servers.
type Corpus struct {
	Standard  string   `json:"standard"`
	Collected string   `json:"collected"` // the day, as 2026-12-01
	Servers   []Server `json:"servers"`
}

// Server is one scored server.
type Server struct {
	ID       string `json:"id"`
	Registry string `json:"registry"` // npm or pypi
	Package  string `json:"package"`
	Version  string `json:"version"`
	// Needs is what its tools need that was not there: network, browser, cluster,
	// database; or "".
	Needs string `json:"needs"`
	// Error is why it has no score at all; or "".
	Error string `json:"error"`

	// Points, 0 to 100; nil is not measured.
	Total *Points `json:"total"`
	Areas Areas   `json:"areas"`
}

// Areas are the points of the areas; nil is not measured.
type Areas struct {
	Protocol     *Points `json:"protocol"`
	Catalog      *Points `json:"catalog"`
	Context      *Points `json:"context"`
	Reliability  *Points `json:"reliability"`
	ErrorHonesty *Points `json:"error_honesty"`
	Coverage     *Points `json:"coverage"`
}

// Points are hundredths of a point, written as a decimal number of points.
type Points report.Score

// MarshalJSON writes 87.5.
func (p Points) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

func (p Points) String() string { return report.Score(p).String() }

var errPoints = errors.New("points must be a number from 0 to 100 with at most two decimals")

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Points) UnmarshalJSON(data []byte) error {
	whole, fraction, dotted := bytes.Cut(data, []byte("."))
	if len(whole) == 0 || len(whole) > 3 || dotted && (len(fraction) == 0 || len(fraction) > 2) {
		return errPoints
	}
	for len(fraction) < 2 {
		fraction = append(bytes.Clone(fraction), '0')
	}
	n := Points(0)
	for _, c := range append(bytes.Clone(whole), fraction...) {
		if c < '0' || c > '9' {
			return errPoints
		}
		n = n*10 + Points(c-'0')
	}
	if n > 10000 {
		return errPoints
	}
	*p = n
	return nil
}

// Public is the collection that is part of the program.
func Public() (*Corpus, error) { return Parse(public) }

var (
	errSyntax   = errors.New("a corpus is one JSON object as docs/state-of-mcp-servers.md describes it")
	errStandard = errors.New("a corpus names its standard")
	errServer   = errors.New("every server of a corpus has an id")
)

// Parse reads a corpus. Unknown fields are errors; none quotes the text.
func Parse(data []byte) (*Corpus, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var c Corpus
	if err := d.Decode(&c); err != nil {
		return nil, errSyntax
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errSyntax
	}
	if c.Standard == "" {
		return nil, errStandard
	}
	for _, s := range c.Servers {
		if s.ID == "" {
			return nil, errServer
		}
	}
	return &c, nil
}

// Place is where a score stands: nil when it is of another standard, or when no
// server of the corpus has a total.
func (c *Corpus) Place(r *report.Readiness) *report.Place {
	if r == nil || r.Standard.String() != c.Standard {
		return nil
	}
	p := &report.Place{}
	for _, s := range c.Servers {
		if s.Total == nil {
			continue
		}
		p.Of++
		if *s.Total < Points(r.Total) {
			p.Below++
		}
	}
	if p.Of == 0 {
		return nil
	}
	return p
}
