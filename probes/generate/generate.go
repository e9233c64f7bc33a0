package generate

import (
	"fmt"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

// Options are what the operator adds to a finding.
type Options struct {
	// ConfirmReadOnly attests that the finding's tool only reads. Without it
	// there is no case.
	ConfirmReadOnly bool
	// Expect is the text of an expectation file; nil is none. A semantic class
	// needs one, and no other takes one.
	Expect []byte
}

// Generated is a manifest of one case.
type Generated struct {
	Manifest *manifest.Manifest // as Parse reads it back
	Text     []byte             // the file
	CaseID   string             // the finding's own ID, so that it may join any manifest
	Kind     manifest.Kind
	// MaxAttempts is that of the case, 0 for a kind that calls once.
	MaxAttempts int
	Fills       []Fill
}

// argumentsPath is where the arguments stand in the file.
const argumentsPath = "/probes/0/arguments"

// Generate writes the case of a finding. Its error is a *Refusal.
func Generate(f *Finding, o *Options) (*Generated, error) {
	if !o.ConfirmReadOnly {
		return nil, &Refusal{"generate needs --confirm-read-only: it attests that the finding's tool only reads", "mcpeval generate --help"}
	}
	if err := f.callable(); err != nil {
		return nil, err
	}
	g := &Generated{CaseID: f.ID}
	c, err := g.newCase(f, o.Expect)
	if err != nil {
		return nil, err
	}
	head := c.Base()
	head.ID, head.Access, g.Kind = f.ID, manifest.ReadOnly, head.Probe
	m := &manifest.Manifest{Version: manifest.Version, Cases: []manifest.Case{c}}
	if g.Text, err = m.Encode(); err != nil {
		return nil, err
	}
	if g.Manifest, err = manifest.Parse(g.Text); err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	return g, nil
}

// newCase is the case without its head.
func (g *Generated) newCase(f *Finding, expect []byte) (c manifest.Case, err error) {
	if expect != nil && !f.Class.Semantic() {
		return nil, &Refusal{f.ID + " is a " + string(f.Class) + ", for which no expectation is needed", "leave --expect out"}
	}
	call := manifest.Call{Tool: f.Tool}
	if call.Arguments, g.Fills, err = Rebuild(f.Repro, argumentsPath); err != nil {
		return nil, &Refusal{f.ID + ": " + err.Error(), "write the case by hand; mcpeval schema manifest has the form"}
	}
	switch {
	case f.Class.Semantic():
		want, err := expectation(f, expect)
		if err != nil {
			return nil, err
		}
		c := manifest.New(manifest.KindInstructionFidelity).(*manifest.InstructionFidelity)
		c.Call, c.Expect = call, *want
		return c, nil
	case f.Class == UnstableCode:
		if f.Retryable == nil {
			return nil, &Refusal{
				f.ID + ": its failures do not all say, or say differently, whether they are retryable, which an error-honesty case has to expect",
				"write an error-honesty case for tool " + f.Tool + " by hand, with expect_retryable true or false; mcpeval schema manifest has the form",
			}
		}
		g.MaxAttempts = min(Attempts(f.Rate), mostErrorHonesty)
		c := manifest.New(manifest.KindErrorHonesty).(*manifest.ErrorHonesty)
		c.Call, c.MaxAttempts, c.ExpectRetryable = call, g.MaxAttempts, *f.Retryable
		return c, nil
	}
	g.MaxAttempts = Attempts(f.Rate)
	repeated := manifest.New(manifest.KindDegradationOverN).(*manifest.DegradationOverN)
	repeated.Call, repeated.MaxAttempts = call, g.MaxAttempts
	return repeated, nil
}

// expectation reads the file that a semantic class needs.
func expectation(f *Finding, text []byte) (*manifest.Expect, error) {
	if text == nil {
		return nil, &Refusal{
			f.ID + " is a " + string(f.Class) + ": what its tool should answer has to be said",
			`--expect FILE with, for example, {"outcome": "ok", "equals": {"status": "saved"}}`,
		}
	}
	want, err := ParseExpect(text)
	if err != nil {
		return nil, &Refusal{err.Error(), `give what stands under "expect" in a manifest, such as {"outcome": "ok", "equals": {"status": "saved"}}`}
	}
	if f.Class == FalseSuccess && !asserts(want) {
		return nil, &Refusal{
			"expectation: any success would do, also the false one of " + f.ID,
			"add required_result_fields, equals, required_result_paths or equals_paths, or expect an error",
		}
	}
	return want, nil
}
