package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/generate"
	"github.com/mcpeval/mcpeval/projections/query"
)

// GenerateOptions are one case to be written for a finding.
type GenerateOptions struct {
	Home    *home.Home
	Finding string // its ID

	// Output is the file to write. One that is there is replaced only with Force.
	Output string
	Force  bool

	// ConfirmReadOnly attests that the finding's tool only reads.
	ConfirmReadOnly bool
	// Expect is the text of an expectation file; nil is none.
	Expect []byte
}

// Generate writes the manifest of one case that reproduces a finding. On an
// error, which is an *InputError for what was asked for, nothing was written.
func Generate(ctx context.Context, o *GenerateOptions) (*generate.Generated, error) {
	if !o.ConfirmReadOnly { // before anything is looked up
		_, err := generate.Generate(&generate.Finding{}, &generate.Options{})
		return nil, refusal(err)
	}
	if err := o.checkPlace(); err != nil {
		return nil, err
	}
	if err := writable(o.Output, o.Force); err != nil {
		return nil, err
	}
	f, err := promoted(ctx, o.Home, o.Finding)
	if err != nil {
		return nil, err
	}
	g, err := generate.Generate(subject(f), &generate.Options{ConfirmReadOnly: true, Expect: o.Expect})
	if err != nil {
		return nil, refusal(err)
	}
	if err := writeManifest(o.Output, g.Text, o.Force); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return g, nil
}

// checkPlace refuses an output that would replace what the home is made of: the
// salt cannot be had again, and a manifest in the store is a log that cannot be
// read. Other files of the home may be written.
func (o *GenerateOptions) checkPlace() error {
	refused := within(o.Output, o.Home.Store()) || within(o.Output, o.Home.QuarantineDir())
	if within(filepath.Dir(o.Output), o.Home.Dir) {
		name := filepath.Base(o.Output)
		for _, own := range []string{o.Home.SaltPath(), o.Home.ConfigPath(), o.Home.CorpusPath(), o.Home.LockPath()} {
			refused = refused || strings.EqualFold(name, filepath.Base(own))
		}
		for _, own := range []string{o.Home.IndexPath(), o.Home.LedgerPath()} { // with what stands beside them: index.db-wal
			refused = refused || strings.HasPrefix(strings.ToLower(name), filepath.Base(own))
		}
	}
	if refused {
		return &InputError{Err: fmt.Errorf("%s is the home's own", o.Output), Next: "name a file outside of " + o.Home.Dir}
	}
	return nil
}

// promoted looks a finding up. That it is not known is an *InputError.
func promoted(ctx context.Context, h *home.Home, id string) (*query.Finding, error) {
	if _, ok := sanitize.ParseFindingID([]byte(id)); !ok {
		return nil, &InputError{Err: errors.New("a finding's id is finding- and 16 hex digits"), Next: "mcpeval findings lists them"}
	}
	f, err := FindingByID(ctx, h, id)
	if err == nil && f == nil {
		err = &InputError{Err: errors.New("there is no finding " + id), Next: "mcpeval index takes in what is new; mcpeval findings lists them"}
	}
	return f, err
}

// subject is a finding as the probes know it.
func subject(f *query.Finding) *generate.Finding {
	return &generate.Finding{
		ID: f.ID, Tool: f.Tool, Class: generate.Class(f.Class), Rate: f.Rate, Retryable: f.Retryable, Repro: f.Repro,
	}
}

// refusal makes what the probes refuse an *InputError.
func refusal(err error) error {
	if e, ok := errors.AsType[*generate.Refusal](err); ok {
		return &InputError{Err: e, Next: e.Next}
	}
	return err
}
