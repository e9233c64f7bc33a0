package generate

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Fill is a placeholder that a person has to complete.
type Fill struct {
	Path  string // a JSON pointer into the manifest
	Shape string // what stood there, as far as it is known
}

var errShape = errors.New("the recorded arguments have no shape that this version knows")

// Rebuild makes the arguments of a call from their recorded shape: an object. at
// is its path. No shape is a call without arguments.
func Rebuild(shape []byte, at string) (arguments []byte, fills []Fill, err error) {
	if len(shape) == 0 {
		return []byte("{}"), nil, nil
	}
	if _, ok := sanitize.ParseShape(shape); !ok {
		return nil, nil, errShape
	}
	v, err := rawjson.Parse(shape)
	if err != nil {
		return nil, nil, errShape
	}
	r := &rebuilder{}
	if _, isArray := arrayCount(v); isArray || v.Kind() != rawjson.Object {
		// Only an object can be sent: what stood in its place has to be told.
		r.fill(at, describe(v))
		return []byte("{}"), r.fills, nil
	}
	r.object(v, at)
	return r.out, r.fills, nil
}

type rebuilder struct {
	out   []byte
	fills []Fill
}

func (r *rebuilder) fill(at, shape string) { r.fills = append(r.fills, Fill{at, shape}) }

func (r *rebuilder) value(v rawjson.Value, at string) {
	if v.Kind() != rawjson.Object {
		r.leaf(v, at)
		return
	}
	if count, ok := arrayCount(v); ok {
		r.out = append(r.out, "[]"...)
		if count != "0" {
			r.fill(at, describe(v))
		}
		return
	}
	r.object(v, at)
}

// object leaves out the members whose names were not kept.
func (r *rebuilder) object(v rawjson.Value, at string) {
	r.out = append(r.out, '{')
	lost, first := 0, true
	for key, member := range v.Members() {
		name := key.Text()
		if isBucket(name) {
			lost++
			continue
		}
		if !first {
			r.out = append(r.out, ',')
		}
		first = false
		// Names of shapes need no escaping, in JSON or in a pointer.
		r.out = append(append(append(r.out, '"'), name...), `":`...)
		r.value(member, at+"/"+name)
	}
	r.out = append(r.out, '}')
	if lost > 0 {
		r.fill(at, "unlisted keys: "+strconv.Itoa(lost))
	}
}

const nilUUID = `"00000000-0000-0000-0000-000000000000"`

func (r *rebuilder) leaf(v rawjson.Value, at string) {
	shape, _ := v.Text()
	kind, value, _ := strings.Cut(shape, ":")
	switch kind {
	case "null":
		r.out = append(r.out, kind...)
	case "bool", "num":
		r.out = append(r.out, value...)
	case "enum": // its grammar needs no escaping
		r.out = append(append(append(r.out, '"'), value...), '"')
	default:
		r.fill(at, shape)
		switch kind {
		case "num+":
			r.out = append(r.out, '0')
		case "deep":
			r.out = append(r.out, "{}"...)
		case "uuid":
			r.out = append(r.out, nilUUID...)
		default: // a string of some length, or a URL
			r.out = append(r.out, `""`...)
		}
	}
}

// arrayCount is the count of an array's shape: only there does a number stand.
func arrayCount(v rawjson.Value) (count string, ok bool) {
	n, ok := v.Get("array")
	if !ok || n.Kind() != rawjson.Number {
		return "", false
	}
	return string(n.Raw()), true
}

// describe says in one word or two what stood in a place.
func describe(v rawjson.Value) string {
	if v.Kind() != rawjson.Object {
		text, _ := v.Text()
		return text
	}
	count, ok := arrayCount(v)
	if !ok {
		return "object"
	}
	items, _ := v.Get("items")
	of := describe(items)
	if _, ok := arrayCount(items); ok {
		of = "array"
	}
	if count == "0" {
		return "array:0"
	}
	return "array:" + count + " of " + of
}

// isBucket reports whether a key stands for a name that was not kept: key8 ...
// key4096+, key8#2. No name that is kept looks like one.
func isBucket(name string) bool {
	bucket, _, _ := strings.Cut(name, "#")
	switch bucket {
	case "key8", "key32", "key128", "key512", "key4096", "key4096+":
		return true
	}
	return false
}
