package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Parse reads a whole file. Its errors are of type *Error.
func Parse(data []byte) (*Manifest, error) {
	if len(data) > MaxBytes {
		return nil, &Error{Problem: TooLarge}
	}
	data = bytes.Clone(data)
	v, err := rawjson.Parse(data)
	if err != nil {
		e := &Error{Problem: NotJSON}
		var syntax *rawjson.SyntaxError
		if errors.As(err, &syntax) {
			e.Line = lineAt(data, syntax.Offset)
		}
		return nil, e
	}
	p := &parser{lines: lines{data: data, line: 1}, ids: make(map[string]bool)}
	m := &Manifest{SHA256: digest(data)}
	if err := p.value(v, reflect.ValueOf(m).Elem(), tag{}, ""); err != nil {
		err.Case, err.Line = p.current, p.currentLine
		return nil, err
	}
	return m, nil
}

// parser reads values into the types by their tags.
type parser struct {
	lines       lines
	ids         map[string]bool
	current     string // the id of the case being read, once it is known to be one
	currentLine int
}

var (
	caseType           = reflect.TypeFor[Case]()
	rawType            = reflect.TypeFor[json.RawMessage]()
	scalarType         = reflect.TypeFor[Scalar]()
	codeType           = reflect.TypeFor[Code]()
	pointerType        = reflect.TypeFor[Pointer]()
	pointerScalarsType = reflect.TypeFor[PointerScalars]()
)

func (p *parser) value(v rawjson.Value, into reflect.Value, t tag, at string) *Error {
	switch into.Type() {
	case caseType:
		return p.oneCase(v, into, at)
	case rawType:
		if t.kind == "object" && v.Kind() != rawjson.Object {
			return &Error{Path: at, Problem: WrongType}
		}
		if err := unique(v, at); err != nil {
			return err
		}
		into.SetBytes(v.Raw())
		return nil
	case scalarType, codeType:
		return scalar(v, into, at)
	case pointerScalarsType:
		return p.mapping(v, into, func(key string) bool { return Pointer(key).Valid() }, at)
	}
	switch into.Kind() {
	case reflect.Struct:
		return p.object(v, into, at)
	case reflect.Map:
		if into.Type().Elem() == scalarType {
			return p.mapping(v, into, func(string) bool { return true }, at)
		}
		return p.mapping(v, into, isID, at)
	case reflect.Slice:
		return p.list(v, into, t, at)
	case reflect.String:
		return text(v, into, t, at)
	case reflect.Bool:
		b, ok := v.Bool()
		if !ok {
			return &Error{Path: at, Problem: WrongType}
		}
		into.SetBool(b)
		return nil
	}
	return integer(v, into, t, at)
}

// object reads an object into a struct. Embedded structs lend it their fields.
func (p *parser) object(v rawjson.Value, into reflect.Value, at string) *Error {
	if v.Kind() != rawjson.Object {
		return &Error{Path: at, Problem: WrongType}
	}
	fields := fieldsOf(into)
	seen := make(map[string]bool)
	for key, member := range v.Members() {
		name := key.Text()
		path := join(at, name)
		if seen[name] {
			return &Error{Path: path, Problem: RepeatedField}
		}
		seen[name] = true
		f, ok := fields.get(name)
		if !ok {
			return &Error{Path: path, Problem: UnknownField}
		}
		if err := p.value(member, f.value, f.tag, path); err != nil {
			return err
		}
	}
	for _, f := range fields {
		if !f.optional && !seen[f.name] {
			return &Error{Path: join(at, f.name), Problem: MissingField}
		}
	}
	return nil
}

// oneCase reads a case into the type of its kind, which it looks up first.
func (p *parser) oneCase(v rawjson.Value, into reflect.Value, at string) *Error {
	p.current, p.currentLine = "", p.lines.of(v.Raw())
	if v.Kind() != rawjson.Object {
		return &Error{Path: at, Problem: WrongType}
	}
	if id, ok := v.Get("id"); ok {
		if text, ok := id.Text(); ok && isID(text) {
			p.current = text
		}
	}
	probe, ok := v.Get("probe")
	if !ok {
		return &Error{Path: at + ".probe", Problem: MissingField}
	}
	name, ok := probe.Text()
	if !ok {
		return &Error{Path: at + ".probe", Problem: WrongType}
	}
	c := New(Kind(name))
	if c == nil {
		return &Error{Path: at + ".probe", Problem: UnknownKind}
	}
	if err := p.object(v, reflect.ValueOf(c).Elem(), at); err != nil {
		return err
	}
	if err := checkCase(c, at); err != nil {
		return err
	}
	head := c.Base()
	if p.ids[head.ID] {
		return &Error{Path: at + ".id", Problem: RepeatedID}
	}
	p.ids[head.ID] = true
	head.Line = p.currentLine
	into.Set(reflect.ValueOf(c))
	p.current, p.currentLine = "", 0
	return nil
}

func (p *parser) mapping(v rawjson.Value, into reflect.Value, valid func(string) bool, at string) *Error {
	if v.Kind() != rawjson.Object {
		return &Error{Path: at, Problem: WrongType}
	}
	into.Set(reflect.MakeMap(into.Type()))
	for key, member := range v.Members() {
		name := key.Text()
		path := join(at, name)
		if !valid(name) {
			return &Error{Path: path, Problem: Malformed}
		}
		k := reflect.ValueOf(name).Convert(into.Type().Key())
		if into.MapIndex(k).IsValid() {
			return &Error{Path: path, Problem: RepeatedField}
		}
		item := reflect.New(into.Type().Elem()).Elem()
		if err := p.value(member, item, tag{}, path); err != nil {
			return err
		}
		into.SetMapIndex(k, item)
	}
	return nil
}

func (p *parser) list(v rawjson.Value, into reflect.Value, t tag, at string) *Error {
	if v.Kind() != rawjson.Array {
		return &Error{Path: at, Problem: WrongType}
	}
	into.Set(reflect.MakeSlice(into.Type(), 0, 0))
	for member := range v.Elements() {
		n := into.Len()
		item := reflect.New(into.Type().Elem()).Elem()
		if err := p.value(member, item, tag{}, at+"["+strconv.Itoa(n)+"]"); err != nil {
			return err
		}
		into.Set(reflect.Append(into, item))
	}
	switch {
	case into.Len() < t.minItems:
		return &Error{Path: at, Problem: TooFew}
	case t.maxItems > 0 && into.Len() > t.maxItems:
		return &Error{Path: at, Problem: TooMany}
	}
	return nil
}

func text(v rawjson.Value, into reflect.Value, t tag, at string) *Error {
	s, ok := v.Text()
	if !ok {
		return &Error{Path: at, Problem: WrongType}
	}
	n := utf8.RuneCountInString(s)
	switch {
	case n < t.minLength, t.maxLength > 0 && n > t.maxLength:
		return &Error{Path: at, Problem: OutOfRange}
	case !t.allows(s), into.Type() == pointerType && !Pointer(s).Valid():
		return &Error{Path: at, Problem: Malformed}
	}
	into.SetString(s)
	return nil
}

func integer(v rawjson.Value, into reflect.Value, t tag, at string) *Error {
	if v.Kind() != rawjson.Number {
		return &Error{Path: at, Problem: WrongType}
	}
	n, ok := v.Int()
	switch {
	case !ok && isInteger(v), ok && !t.holds(n):
		return &Error{Path: at, Problem: OutOfRange}
	case !ok:
		return &Error{Path: at, Problem: WrongType}
	}
	into.SetInt(n)
	return nil
}

// scalar reads a value that is no array or object, and as a code no boolean,
// null or fraction either.
func scalar(v rawjson.Value, into reflect.Value, at string) *Error {
	switch v.Kind() {
	case rawjson.String:
	case rawjson.Number:
		if into.Type() == codeType && !isInteger(v) {
			return &Error{Path: at, Problem: WrongType}
		}
	case rawjson.Bool, rawjson.Null:
		if into.Type() == codeType {
			return &Error{Path: at, Problem: WrongType}
		}
	default:
		return &Error{Path: at, Problem: WrongType}
	}
	into.SetBytes(v.Raw())
	return nil
}

// isInteger reports whether a number is a whole one, of any size.
func isInteger(v rawjson.Value) bool {
	normal := string(v.AppendNumber(nil))
	_, exponent, found := strings.Cut(normal, "e")
	return !found || !strings.HasPrefix(exponent, "-")
}

// unique reports a key that is repeated anywhere in a value.
func unique(v rawjson.Value, at string) *Error {
	switch v.Kind() {
	case rawjson.Object:
		seen := make(map[string]bool)
		for key, member := range v.Members() {
			name := key.Text()
			path := join(at, name)
			if seen[name] {
				return &Error{Path: path, Problem: RepeatedField}
			}
			seen[name] = true
			if err := unique(member, path); err != nil {
				return err
			}
		}
	case rawjson.Array:
		i := 0
		for e := range v.Elements() {
			if err := unique(e, at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// join is the path of a member. A name that is no ordinary one is not shown.
func join(at, name string) string {
	if !isName(name) {
		name = "?"
	}
	if at == "" {
		return name
	}
	return at + "." + name
}

func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		if !letter && !('0' <= c && c <= '9') && c != '-' {
			return false
		}
	}
	return true
}

// lines finds the line of parts of a document that are asked for in order.
type lines struct {
	data []byte
	at   int
	line int
}

// of is the line where part, a slice of the document, begins.
func (l *lines) of(part []byte) int {
	if len(part) == 0 {
		return 0
	}
	for ; l.at < len(l.data) && &l.data[l.at] != &part[0]; l.at++ {
		if l.data[l.at] == '\n' {
			l.line++
		}
	}
	return l.line
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}
