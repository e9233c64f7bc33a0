package cli_test

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptMatched sets NAME to the first text of a file that matches:
//
//	matched NAME FILE PATTERN
func scriptMatched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: matched NAME FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[2])
	ts.Check(err)
	found := pattern.FindString(ts.ReadFile(args[1]))
	if found == "" {
		ts.Fatalf("%s holds nothing that matches %s", args[1], args[2])
	}
	ts.Setenv(args[0], found)
}
