package generate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/manifest"
)

// ParseExpect reads an expectation file: what stands under "expect" in an
// instruction-fidelity case, alone and by the same rules. Its error names the
// place, and no value.
func ParseExpect(text []byte) (*manifest.Expect, error) {
	v, err := rawjson.Parse(text)
	if err != nil {
		return nil, errors.New("expectation: the document is not JSON in UTF-8")
	}
	const before = `{"version":1,"probes":[{"id":"x","probe":"instruction-fidelity","access":"read_only","tool":"x","arguments":{},"expect":`
	m, err := manifest.Parse(append(append([]byte(before), v.Raw()...), "}]}"...))
	if err != nil {
		e, ok := errors.AsType[*manifest.Error](err)
		if !ok {
			return nil, errors.New("expectation: cannot be read")
		}
		at := strings.TrimPrefix(strings.TrimPrefix(e.Path, "probes[0].expect"), ".")
		if at == "" {
			at = "the document"
		}
		return nil, fmt.Errorf("expectation: %s %s", at, e.Problem)
	}
	return &m.Cases[0].(*manifest.InstructionFidelity).Expect, nil
}

// asserts reports whether an expectation can tell a success from a false one: it
// says what the result holds, or that the call must fail.
func asserts(e *manifest.Expect) bool {
	return e.Outcome == "error" ||
		len(e.RequiredResultFields)+len(e.Equals)+len(e.RequiredResultPaths)+len(e.EqualsPaths) > 0
}
