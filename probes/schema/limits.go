package schema

import (
	"encoding/json"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Limits bound what is read of one document.
type Limits struct {
	Bytes   int // of its text
	Depth   int // of arrays and objects
	Values  int // scalars, arrays and objects
	Objects int
	Names   int // $id, id, $anchor and $dynamicAnchor members
}

// schemaLimits are the limits of a schema. Compiling takes time that grows with
// the square of the number of its objects.
var schemaLimits = Limits{Bytes: 2 << 20, Depth: 200, Values: 100_000, Objects: 10_000, Names: 200}

// valueLimits are the limits of a value.
var valueLimits = Limits{Bytes: 16 << 20, Depth: 200, Values: 1_000_000, Objects: 1_000_000, Names: 1_000_000}

const (
	// maxNumber is the longest number that is read, and maxExponent the largest
	// power of ten: exact arithmetic writes out every digit.
	maxNumber   = 1000
	maxExponent = 400
)

// convert makes Go values of v, as the validator takes them: numbers stay text,
// and of repeated keys the last one counts.
func convert(v rawjson.Value, l Limits) (any, error) {
	if v.IsZero() {
		return nil, &Error{Problem: NotASchema}
	}
	if len(v.Raw()) > l.Bytes {
		return nil, &Error{Problem: TooLarge}
	}
	c := converter{left: l}
	return c.value(v, 0)
}

type converter struct{ left Limits }

func (c *converter) value(v rawjson.Value, depth int) (any, error) {
	if c.left.Values--; c.left.Values < 0 {
		return nil, &Error{Problem: TooLarge}
	}
	switch v.Kind() {
	case rawjson.Object:
		return c.object(v, depth)
	case rawjson.Array:
		if depth >= c.left.Depth {
			return nil, &Error{Problem: TooDeep}
		}
		list := []any{}
		for e := range v.Elements() {
			item, err := c.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	case rawjson.String:
		text, _ := v.Text()
		return text, nil
	case rawjson.Bool:
		b, _ := v.Bool()
		return b, nil
	case rawjson.Number:
		if !readable(v.Raw()) {
			return nil, &Error{Problem: NumberTooLarge}
		}
		return json.Number(v.Raw()), nil
	}
	return nil, nil
}

func (c *converter) object(v rawjson.Value, depth int) (any, error) {
	if c.left.Objects--; c.left.Objects < 0 {
		return nil, &Error{Problem: TooLarge}
	}
	if depth >= c.left.Depth {
		return nil, &Error{Problem: TooDeep}
	}
	members := make(map[string]any)
	for key, member := range v.Members() {
		name := key.Text()
		switch name {
		case "$id", "id", "$anchor", "$dynamicAnchor":
			if c.left.Names--; c.left.Names < 0 {
				return nil, &Error{Problem: TooLarge}
			}
		}
		item, err := c.value(member, depth+1)
		if err != nil {
			return nil, err
		}
		members[name] = item
	}
	return members, nil
}

// readable reports whether a number is small enough for exact arithmetic.
func readable(raw []byte) bool {
	if len(raw) > maxNumber {
		return false
	}
	for i, c := range raw {
		if c != 'e' && c != 'E' {
			continue
		}
		n, err := strconv.Atoi(string(raw[i+1:]))
		return err == nil && -maxExponent <= n && n <= maxExponent
	}
	return true
}
