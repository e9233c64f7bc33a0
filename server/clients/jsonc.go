package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth is how deeply a configuration may nest.
const maxDepth = 500

// kind is what a node is.
type kind uint8

const (
	other kind = iota // number, true, false, null
	object
	array
	text
)

// node is a JSON value and where it stands.
type node struct {
	span
	kind    kind
	text    string // of a text, decoded
	members []member
	items   []*node
}

// member is a key of an object with its value.
type member struct{ key, value *node }

// span is a part of a text, from its first byte to the one after its last.
type span struct{ from, to int }

// tree is a parsed configuration.
type tree struct {
	root *node
	// hidden are the comments and the values that are neither object nor array,
	// in order. Keys are not among them.
	hidden []hidden
}

type hidden struct {
	span
	comment bool
}

// SyntaxError says where a text stops being JSON with comments.
type SyntaxError struct {
	// Line and Column count from 1; columns are characters.
	Line, Column int
	// Problem is one of a few constants.
	Problem string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// bom is the byte order mark of UTF-8.
const bom = "\ufeff"

// parse reads JSON with comments and trailing commas, which is what the clients
// accept between them. A byte order mark may stand first. Keys may repeat.
func parse(source []byte) (*tree, error) {
	p := &parser{source: source}
	if bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) {
		return nil, p.fail("this is UTF-16, which clients do not read")
	}
	if !utf8.Valid(source) {
		for p.at < len(source) {
			r, n := utf8.DecodeRune(source[p.at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			p.at += n
		}
		return nil, p.fail("this is not UTF-8")
	}
	if bytes.HasPrefix(source, []byte(bom)) {
		p.at = len(bom)
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(source) {
		return nil, p.fail("something follows the document")
	}
	return &tree{root, p.hidden}, nil
}

type parser struct {
	source []byte
	at     int
	hidden []hidden
}

func (p *parser) fail(problem string) error {
	before := p.source[:min(p.at, len(p.source))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[line:]), Problem: problem}
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.source) {
		return p.source[p.at]
	}
	return 0
}

// space passes white space and comments.
func (p *parser) space() error {
	for {
		switch p.peek() {
		case ' ', '\t', '\r', '\n':
			p.at++
			continue
		case '/':
			if err := p.comment(); err != nil {
				return err
			}
			continue
		}
		return nil
	}
}

func (p *parser) comment() error {
	rest, length := p.source[p.at:], 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		length = bytes.IndexAny(rest, "\r\n")
		if length < 0 {
			length = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		length = 4 + bytes.Index(rest[2:], []byte("*/"))
		if length < 4 {
			return p.fail("a comment does not end")
		}
	default:
		return p.fail("a value was expected")
	}
	p.hidden = append(p.hidden, hidden{span{p.at, p.at + length}, true})
	p.at += length
	return nil
}

func (p *parser) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, p.fail("this is nested too deeply")
	}
	n := &node{span: span{from: p.at}}
	var err error
	switch c := p.peek(); {
	case c == '{':
		n.kind = object
		err = p.list('}', func() error { return p.member(n, depth) })
	case c == '[':
		n.kind = array
		err = p.list(']', func() error {
			item, err := p.value(depth + 1)
			n.items = append(n.items, item)
			return err
		})
	case c == '"':
		n.kind = text
		n.text, err = p.text()
		p.hidden = append(p.hidden, hidden{span: span{n.from, p.at}})
	default:
		err = p.word()
		p.hidden = append(p.hidden, hidden{span: span{n.from, p.at}})
	}
	n.to = p.at
	return n, err
}

// list reads what stands between brackets, of which the first is next.
func (p *parser) list(end byte, item func() error) error {
	p.at++
	for {
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == end {
			p.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		switch p.peek() {
		case ',':
			p.at++
		case end:
		default:
			return p.fail("a comma or a closing bracket was expected")
		}
	}
}

func (p *parser) member(n *node, depth int) error {
	if p.peek() != '"' {
		return p.fail("a key in quotes was expected")
	}
	key := &node{kind: text, span: span{from: p.at}}
	var err error
	if key.text, err = p.text(); err != nil {
		return err
	}
	key.to = p.at
	if err := p.space(); err != nil {
		return err
	}
	if p.peek() != ':' {
		return p.fail("a colon was expected")
	}
	p.at++
	if err := p.space(); err != nil {
		return err
	}
	value, err := p.value(depth + 1)
	n.members = append(n.members, member{key, value})
	return err
}

var errText = errors.New("no text")

func (p *parser) text() (string, error) {
	from := p.at
	for p.at++; p.at < len(p.source); p.at++ {
		switch p.source[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			decoded, err := decode(p.source[from:p.at])
			if err != nil {
				p.at = from
				return "", p.fail("this text has an escape or a control character that JSON has not")
			}
			return decoded, nil
		case '\n':
			return "", p.fail("a text does not end on its line")
		}
	}
	return "", p.fail("a text does not end")
}

// decode reads a text with its quotes. The error says nothing of it.
func decode(quoted []byte) (s string, err error) {
	if json.Unmarshal(quoted, &s) != nil {
		return "", errText
	}
	return s, nil
}

// word passes a number, true, false or null.
func (p *parser) word() error {
	from := p.at
	for p.at < len(p.source) && bytes.IndexByte([]byte("+-.0123456789abcdefghijklmnopqrstuvwxyzE"), p.source[p.at]) >= 0 {
		p.at++
	}
	if w := p.source[from:p.at]; len(w) == 0 || !json.Valid(w) {
		p.at = from
		return p.fail("a value was expected")
	}
	return nil
}
