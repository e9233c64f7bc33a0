package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/corpus"
	"github.com/mcpeval/mcpeval/probes/report"
)

// maxCorpus bounds a private corpus, in bytes.
const maxCorpus = 8 << 20

var errCorpusSize = errors.New("the file is over 8 MiB")

// PlaceOf is where a score stands among the servers of the home's own corpus,
// else of the public one; nil without a score, or when the corpus is of another
// standard. h may be nil.
func PlaceOf(h *home.Home, r *report.Readiness) (*report.Place, error) {
	if r == nil {
		return nil, nil
	}
	c, err := corpusOf(h)
	if err != nil {
		return nil, err
	}
	return c.Place(r), nil
}

func corpusOf(h *home.Home) (*corpus.Corpus, error) {
	if h == nil {
		return corpus.Public()
	}
	info, err := os.Stat(h.CorpusPath())
	if errors.Is(err, fs.ErrNotExist) {
		return corpus.Public()
	}
	problem := func(err error) error {
		return &Problem{Err: fmt.Errorf("read corpus %s: %w", h.CorpusPath(), err), Next: "mend it, or move it away to be placed among public servers"}
	}
	switch {
	case err != nil:
		return nil, problem(err)
	case !info.Mode().IsRegular():
		return nil, problem(errors.New("it is no file"))
	case info.Size() > maxCorpus:
		return nil, problem(errCorpusSize)
	}
	data, err := os.ReadFile(h.CorpusPath())
	if err != nil {
		return nil, problem(err)
	}
	c, err := corpus.Parse(data)
	if err != nil {
		return nil, problem(err)
	}
	return c, nil
}
