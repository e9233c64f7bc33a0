package report

import (
	"errors"
	"math/bits"
	"strings"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Context is what text and Markdown say beside the document. Nothing of it is
// part of the document or of its digest. The zero value says nothing.
type Context struct {
	// Protocol is the protocol revision that was used.
	Protocol Revision
	// Notes are remarks about the run.
	Notes []Note
	// Start is how the server ended or answered instead of starting; nil when it
	// started or nothing is known.
	Start *Start
	// Place is where the readiness score stands among public servers; nil when not
	// known.
	Place *Place
	// Unbuilt are the tools that the standard battery could not build arguments
	// for.
	Unbuilt []Unbuilt
	// CatalogTokens is what the catalog costs, where no case measures it; zero when
	// not known.
	CatalogTokens int64
	// Price is what a million tokens cost; zero when it was not asked for.
	Price Price
	// Portability is what some clients cannot take. It has no part in a score.
	Portability []Remark
}

// Remark is a sentence of this program, with names of this package's grammars at
// most.
type Remark string

// Unbuilt is a tool that no arguments could be built for.
type Unbuilt struct {
	Tool Tool
	// Keyword is the keyword of its schema that stopped the build, from a fixed
	// list, or "".
	Keyword string
}

func (u Unbuilt) text() string {
	if u.Keyword == "" {
		return "no arguments can be built for " + u.Tool.s + ": its input schema cannot be used"
	}
	return "no arguments can be built for " + u.Tool.s + ": " + u.Keyword + " in its input schema stops it"
}

// Revision is a protocol revision, or "unlisted".
type Revision struct{ s string }

// RevisionOf is the revision of that name; any text but a date is "unlisted", and
// "" gives the zero Revision.
func RevisionOf(name string) Revision {
	if name == "" {
		return Revision{}
	}
	return Revision{sanitize.RevisionOf([]byte(name)).String()}
}

func (v Revision) String() string { return v.s }

// Number is the revision as the number that a measurement may hold, 20251125;
// false when it is no date.
func (v Revision) Number() (Value, bool) {
	n := int64(0)
	for _, c := range []byte(strings.ReplaceAll(v.s, "-", "")) {
		if c < '0' || c > '9' {
			return Value{}, false
		}
		n = n*10 + int64(c-'0')
	}
	return Int(n), v.s != ""
}

// Start is what was seen of a server that did not start. It holds numbers only:
// what the server wrote is never kept.
type Start struct {
	Exited      bool
	Code        int   // exit code; of no meaning when Signal is not 0
	Signal      int   // that ended the process; 0 for none
	StderrBytes int64 // written to stderr
	Status      int   // HTTP status; 0 for none
}

func (s *Start) text() string {
	stderr := ", with " + grouped(s.StderrBytes) + " bytes on stderr"
	switch {
	case s.Status != 0:
		return "the server answered with HTTP status " + decimal(int64(s.Status))
	case s.Exited && s.Signal != 0:
		return "the server was ended by signal " + decimal(int64(s.Signal)) + stderr
	case s.Exited:
		return "the server exited with code " + decimal(int64(s.Code)) + stderr
	}
	return "the server stayed silent" + stderr
}

// Place is a rank among the servers of a collection.
type Place struct {
	Below int // servers with a lower score
	Of    int // servers in the collection
}

// Note is a remark about a run: one of a fixed list, with a count where it has
// one.
type Note struct {
	Kind  NoteKind
	Count int64
}

// NoteKind is the kind of a note.
type NoteKind uint8

// The notes. Those that count say so.
const (
	NoteRespawned         NoteKind = iota + 1 // the server was started again after server/discover
	NoteStrayLines                            // counts lines on stdout that are no JSON-RPC
	NoteUnsolicited                           // counts notifications that nobody asked for
	NoteReconnects                            // counts connections that were lost and made again
	NoteDeclined                              // counts requests of the server that were declined
	NoteUndeclared                            // counts surfaces that answer though they are not declared
	NoteRedirect                              // an answer was a redirect, which is never followed
	NotePatterns                              // counts schema patterns that were not evaluated
	NotePagesBound                            // the catalog has more pages than the pagination case allows
	NoteEmptyCursor                           // an empty nextCursor was taken as the end
	NoteAllowEmpty                            // no case was judged, which was allowed
	NoteManifestsDiffer                       // two documents are of different manifests
	NoteStandardsDiffer                       // two documents are of different standards
	NoteReadinessLost                         // readiness was measured before, and could not be now
	NoteServerEndedItself                     // counts cases after which the server had ended
)

// text is the note as a sentence without a full stop.
func (n Note) text() string {
	some := func(one, many string) string {
		if n.Count == 1 {
			return "1 " + one
		}
		return grouped(n.Count) + " " + many
	}
	switch n.Kind {
	case NoteRespawned:
		return "the server exited or stayed silent on server/discover; it was started again and got initialize"
	case NoteStrayLines:
		return some("line on stdout was no JSON-RPC and was passed over", "lines on stdout were no JSON-RPC and were passed over")
	case NoteUnsolicited:
		return some("notification came unasked and was passed over", "notifications came unasked and were passed over")
	case NoteReconnects:
		return some("connection was lost and made again", "connections were lost and made again")
	case NoteDeclined:
		return some("request of the server was declined", "requests of the server were declined")
	case NoteUndeclared:
		return some("surface answers though it is not declared", "surfaces answer though they are not declared")
	case NoteRedirect:
		return "the server answered with a redirect, which is never followed; give the final URL"
	case NotePatterns:
		return some("pattern in a schema could not be evaluated and was left out", "patterns in schemas could not be evaluated and were left out")
	case NotePagesBound:
		return "the catalog has more pages than the pagination case allows"
	case NoteEmptyCursor:
		return "an empty nextCursor was taken as the end of the listing"
	case NoteAllowEmpty:
		return "no case was judged, which --allow-empty lets pass"
	case NoteManifestsDiffer:
		return "the documents come from different manifests"
	case NoteStandardsDiffer:
		return "the readiness scores are of different standards and cannot be compared"
	case NoteReadinessLost:
		return "readiness was measured before and could not be now; it does not decide whether something regressed"
	case NoteServerEndedItself:
		return some("case ended the server", "cases ended the server")
	}
	return ""
}

// Price is what a million tokens cost, in millionths of a US dollar.
type Price int64

const maxPrice = 1_000_000 // US dollars

// ParsePrice reads US dollars for a million tokens: a positive decimal number
// with at most six decimals and at most 1000000.
func ParsePrice(s string) (Price, error) {
	errPrice := errors.New("a price is a number of US dollars between 0.000001 and 1000000 with at most six decimals")
	whole, part, _ := strings.Cut(s, ".")
	if whole == "" || len(whole) > 7 || len(part) > 6 || strings.HasSuffix(s, ".") {
		return 0, errPrice
	}
	n := Price(0)
	for _, c := range []byte(whole + part + "000000"[len(part):]) {
		if c < '0' || c > '9' {
			return 0, errPrice
		}
		n = n*10 + Price(c-'0')
	}
	if n == 0 || n > maxPrice*1_000_000 {
		return 0, errPrice
	}
	return n, nil
}

// String is the price in dollars, such as $3 or $0.25.
func (p Price) String() string { return dollars(int64(p), 2) }

// of is what that many tokens cost, in millionths of a dollar, rounded to the
// nearest.
func (p Price) of(tokens int64) int64 {
	hi, lo := bits.Mul64(uint64(p), uint64(tokens))
	lo, carry := bits.Add64(lo, 500_000, 0)
	hi += carry
	if hi >= 1_000_000 {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, 1_000_000)
	return int64(min(q, 1<<63-1))
}

// dollars writes millionths of a dollar with at least so many decimals, but none
// for whole dollars.
func dollars(millionths int64, decimals int) string {
	s := decimal(millionths % 1_000_000)
	part := strings.TrimRight(strings.Repeat("0", 6-len(s))+s, "0")
	if part == "" {
		return "$" + grouped(millionths/1_000_000)
	}
	for len(part) < decimals {
		part += "0"
	}
	return "$" + grouped(millionths/1_000_000) + "." + part
}

// tokens is the catalog's cost in tokens, as far as some case measured it.
func (d *Document) tokens() (int64, bool) {
	for i := range d.Cases {
		if n, ok := d.Cases[i].Measurements[TotalTokens].Int(); ok {
			return n, true
		}
	}
	return 0, false
}

// lines are the context as sentences, in a fixed order.
func (c *Context) lines(d *Document) []string {
	var list []string
	if c.Start != nil {
		list = append(list, c.Start.text())
	}
	if c.Price > 0 {
		n, ok := d.tokens()
		if !ok {
			n = c.CatalogTokens
		}
		if n > 0 {
			list = append(list, "the catalog costs "+grouped(n)+" tokens a session, "+dollars(c.Price.of(n), 2)+" at "+c.Price.String()+" per million tokens")
		} else if d.Gate != nil {
			list = append(list, "no case measured what the catalog costs; add a token-cost case")
		}
	}
	if c.Place != nil && d.Readiness != nil {
		list = append(list, "the readiness score is above that of "+decimal(int64(c.Place.Below))+" of "+decimal(int64(c.Place.Of))+" public servers")
	}
	for _, u := range c.Unbuilt {
		list = append(list, u.text())
	}
	for _, n := range c.Notes {
		if s := n.text(); s != "" {
			list = append(list, s)
		}
	}
	return list
}
