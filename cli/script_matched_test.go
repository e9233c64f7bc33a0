package cli_test

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptMatched sets NAME to the first text of a file that matches, or to what
// the group of the pattern holds there:
//
//	matched NAME FILE PATTERN
func scriptMatched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: matched NAME FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[2])
	ts.Check(err)
	found := pattern.FindStringSubmatch(ts.ReadFile(args[1]))
	if found == nil {
		ts.Fatalf("%s holds nothing that matches %s", args[1], args[2])
	}
	ts.Setenv(args[0], found[len(found)-1])
}
