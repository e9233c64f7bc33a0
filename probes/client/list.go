package client

import (
	"context"
	"errors"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// DiscoveryPages is how many pages of tools/list are read to know a catalog.
const DiscoveryPages = 20

// Page is one page of a list. Its values are traffic.
type Page struct {
	Response *Response
	Entries  []rawjson.Value
	// Next is the cursor of the page that follows, absent when there is none.
	Next rawjson.Value
}

// PageProblem says why a list could not be read to its end. It is a fixed text.
type PageProblem string

// The problems.
const (
	PageFailed      PageProblem = "the page could not be had"
	PageRefused     PageProblem = "the server answered with an error"
	PageInvalid     PageProblem = "the answer holds no list"
	CursorInvalid   PageProblem = "the cursor is no string"
	CursorRepeated  PageProblem = "a cursor came a second time"
	MorePagesFollow PageProblem = "there are more pages than are read"
)

// PageError is why a list could not be read to its end.
type PageError struct {
	Page    int // counted from 1
	Problem PageProblem
	Fault   *Fault    // of PageFailed
	RPC     *RPCError // of PageRefused; traffic
}

func (e *PageError) Error() string {
	text := "page " + strconv.Itoa(e.Page) + ": " + string(e.Problem)
	if e.Fault != nil {
		text += ": " + e.Fault.Error()
	}
	return text
}

// Unwrap returns the fault, if there is one.
func (e *PageError) Unwrap() error {
	if e.Fault == nil {
		return nil
	}
	return e.Fault
}

// Page reads one page. cursor is absent for the first one. Its error is a
// *PageError, with Page 1.
func (c *Conn) Page(ctx context.Context, method, list string, cursor rawjson.Value) (*Page, error) {
	var params []byte
	if !cursor.IsZero() {
		params = merge(rawjson.Value{}, []member{{"cursor", cursor.Raw()}})
	}
	response, err := c.Do(ctx, Request{Method: method, Params: params})
	if err != nil {
		e := &PageError{Page: 1, Problem: PageFailed}
		errors.As(err, &e.Fault)
		return nil, e
	}
	if response.Error != nil {
		return nil, &PageError{Page: 1, Problem: PageRefused, RPC: response.Error}
	}
	entries, _ := response.Result.Get(list)
	if entries.Kind() != rawjson.Array {
		return nil, &PageError{Page: 1, Problem: PageInvalid}
	}
	p := &Page{Response: response}
	for e := range entries.Elements() {
		p.Entries = append(p.Entries, e)
	}
	if method == "tools/list" {
		c.learn(entries.Elements())
	}
	next, _ := response.Result.Get("nextCursor")
	switch next.Kind() {
	case rawjson.Invalid, rawjson.Null:
	case rawjson.String:
		// From 2026-07-28 on an empty cursor is a cursor like any other.
		if text, _ := next.Text(); text == "" && !c.stateless() {
			c.note(NoteEmptyCursor)
			break
		}
		p.Next = next
	default:
		return p, &PageError{Page: 1, Problem: CursorInvalid}
	}
	return p, nil
}

// List reads a list to its end, but no more than maxPages pages. On an error it
// returns what it had read.
func (c *Conn) List(ctx context.Context, method, list string, maxPages int) (entries []rawjson.Value, pages int, err error) {
	seen := make(map[string]bool)
	var cursor rawjson.Value
	for pages < maxPages {
		p, err := c.Page(ctx, method, list, cursor)
		if err != nil {
			var e *PageError
			if errors.As(err, &e) {
				e.Page = pages + 1
			}
			return entries, pages, err
		}
		pages++
		entries = append(entries, p.Entries...)
		if p.Next.IsZero() {
			return entries, pages, nil
		}
		cursor = p.Next
		text, _ := cursor.Text()
		if seen[text] {
			return entries, pages, &PageError{Page: pages, Problem: CursorRepeated}
		}
		seen[text] = true
	}
	return entries, pages, &PageError{Page: pages, Problem: MorePagesFollow}
}

// ListTools reads the catalog, at most DiscoveryPages pages of it. Its error is
// a *PageError.
func (c *Conn) ListTools(ctx context.Context) (tools []rawjson.Value, pages int, err error) {
	return c.List(ctx, "tools/list", "tools", DiscoveryPages)
}
