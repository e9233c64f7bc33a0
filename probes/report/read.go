package report

import (
	"bytes"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// maxDocument bounds what Read takes, in bytes.
const maxDocument = 16 << 20

// Read reads a document that Encode wrote, with any white space and any order of
// members. Unknown, missing, repeated and ill-typed members are refused, and so is
// what Validate refuses. Hints are set from the table of reasons, whatever the
// document has. The error is an *Error.
func Read(data []byte) (*Document, error) {
	if len(data) > maxDocument {
		return nil, &Error{"", "is larger than 16 MiB"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{"", "is UTF-16; write it as UTF-8"}
	}
	root, err := rawjson.Parse(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, &Error{"", "is not JSON in UTF-8"}
	}
	if schema, ok := root.Get("schema"); ok {
		if text, ok := schema.Text(); !ok || text != Schema {
			return nil, &Error{"schema", "is not " + Schema}
		}
	}
	r := &reader{}
	d := r.document(root)
	if r.err == nil {
		r.err = d.problem()
	}
	if r.err != nil {
		return nil, r.err
	}
	return d.hinted(), nil
}

// reader keeps the first error; what it reads after that means nothing.
type reader struct{ err *Error }

func (r *reader) fail(path, problem string) {
	if r.err == nil {
		r.err = &Error{path, problem}
	}
}

// object gives the values of exactly these members, in the order of names.
func (r *reader) object(v rawjson.Value, path string, names ...string) []rawjson.Value {
	values := make([]rawjson.Value, len(names))
	if v.Kind() != rawjson.Object {
		r.fail(path, "is no object")
		return values
	}
	for key, value := range v.Members() {
		i := 0
		for i < len(names) && !key.Is(names[i]) {
			i++
		}
		switch {
		case i == len(names):
			r.fail(path, "has a member that reports do not have")
		case !values[i].IsZero():
			r.fail(join(path, names[i]), "is repeated")
		default:
			values[i] = value
		}
	}
	for i, value := range values {
		if value.IsZero() {
			r.fail(join(path, names[i]), "is missing")
		}
	}
	return values
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func isNull(v rawjson.Value) bool { return v.Kind() == rawjson.Null }

func (r *reader) text(v rawjson.Value, path string) string {
	s, ok := v.Text()
	if !ok {
		r.fail(path, "is no string")
	}
	return s
}

func (r *reader) optText(v rawjson.Value, path string) string {
	if isNull(v) {
		return ""
	}
	s := r.text(v, path)
	if s == "" {
		r.fail(path, "is empty")
	}
	return s
}

// count reads an integer in its plain form: Encode writes no other.
func (r *reader) count(v rawjson.Value, path string) int64 {
	n, ok := v.Int()
	if !ok || n < 0 || string(v.Raw()) != decimal(n) {
		r.fail(path, "is no count")
	}
	return n
}

func (r *reader) bool(v rawjson.Value, path string) bool {
	b, ok := v.Bool()
	if !ok {
		r.fail(path, "is no boolean")
	}
	return b
}

func (r *reader) value(v rawjson.Value, path string) Value {
	if b, ok := v.Bool(); ok {
		return Bool(b)
	}
	return Int(r.count(v, path))
}

// score reads points with at most two decimals, as Score writes them.
func (r *reader) score(v rawjson.Value, path string) Score {
	whole, part, _ := bytes.Cut(v.Raw(), []byte("."))
	s, ok := Score(0), v.Kind() == rawjson.Number && len(whole) <= 3 && len(part) <= 2
	if ok {
		for _, c := range append(append(bytes.Clone(whole), part...), "00"[len(part):]...) {
			s = s*10 + Score(c) - '0'
		}
	}
	if !ok || s < 0 || s > maxScore || s.String() != string(v.Raw()) {
		r.fail(path, "is no score from 0 to 100")
		return 0
	}
	return s
}

func (r *reader) label(v rawjson.Value, path string) Label {
	l, err := NewLabel(r.text(v, path))
	if err != nil {
		r.fail(path, "is no label")
	}
	return l
}

func (r *reader) tool(v rawjson.Value, path string) Tool {
	s := r.optText(v, path)
	if s == "" {
		return Tool{}
	}
	t, ok := sanitize.ParseTool([]byte(s))
	if !ok {
		r.fail(path, "is no tool name that a report may have")
	}
	return Tool{t.String()}
}

func (r *reader) reason(v rawjson.Value, path string) reason.Label {
	l := reason.Label(r.optText(v, path))
	if l != "" && !l.Known() {
		r.fail(path, "is no reason of this version")
		return ""
	}
	return l
}
