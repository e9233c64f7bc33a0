package projections_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

// TestMain turns the test binary into a child where a test asks for one: an
// indexer that is to be killed, or a reader that must be another process.
func TestMain(m *testing.M) {
	if verb := os.Getenv(childVerb); verb != "" {
		os.Exit(child(verb))
	}
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "rapid.checks" })
	if !chosen {
		if err := flag.Set("rapid.checks", strconv.Itoa(rounds(25))); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// rounds is few in the suite, and what MCPEVAL_SOAK says in a soak.
func rounds(few int) int {
	n, err := strconv.Atoi(os.Getenv("MCPEVAL_SOAK"))
	switch {
	case err != nil:
		return few
	case n == 1:
		return 200
	}
	return max(n, few)
}
