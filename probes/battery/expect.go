package battery

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// unmet is why an answer is not what was expected, "" when it is. What is missing
// is said before what is different, so that the order of maps decides nothing.
func unmet(want *manifest.Expect, a *answer) reason.Label {
	if a.ok != (want.Outcome == "ok") {
		return reason.UnexpectedOutcome
	}
	if !a.ok {
		if want.ErrorCode != nil && a.code() != codeForm(parsed(want.ErrorCode)) {
			return reason.ErrorCodeMismatch
		}
		return ""
	}
	different := false
	for _, name := range slices.Concat(want.RequiredResultFields, slices.Collect(maps.Keys(want.Equals))) {
		v, ok := a.data.Get(name)
		if !ok {
			return reason.MissingField
		}
		if scalar, compared := want.Equals[name]; compared && !equal(v, parsed(scalar)) {
			different = true
		}
	}
	for _, at := range slices.Concat(want.RequiredResultPaths, slices.Collect(maps.Keys(want.EqualsPaths))) {
		v, ok := follow(a.data, at)
		if !ok {
			return reason.MissingField
		}
		if scalar, compared := want.EqualsPaths[at]; compared && !equal(v, parsed(scalar)) {
			different = true
		}
	}
	if different {
		return reason.ValueMismatch
	}
	return ""
}

// parsed is a value of the manifest, which has been read as JSON before.
func parsed[T ~[]byte](raw T) rawjson.Value {
	v, err := rawjson.Parse(raw)
	if err != nil {
		return rawjson.Value{}
	}
	return v
}

// follow finds what a JSON pointer (RFC 6901) points to.
func follow(v rawjson.Value, at manifest.Pointer) (rawjson.Value, bool) {
	if v.IsZero() || !at.Valid() {
		return rawjson.Value{}, false
	}
	if at == "" {
		return v, true
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for token := range strings.SplitSeq(string(at[1:]), "/") {
		var ok bool
		switch v.Kind() {
		case rawjson.Object:
			v, ok = v.Get(unescape.Replace(token))
		case rawjson.Array:
			v, ok = element(v, token)
		}
		if !ok {
			return rawjson.Value{}, false
		}
	}
	return v, true
}

// element is an element of an array by its index without leading zeros.
func element(list rawjson.Value, token string) (rawjson.Value, bool) {
	n, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(n) != token || n < 0 {
		return rawjson.Value{}, false
	}
	for e := range list.Elements() {
		if n == 0 {
			return e, true
		}
		n--
	}
	return rawjson.Value{}, false
}
