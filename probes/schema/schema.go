package schema

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

const (
	// location is the name of a schema's document. Relative references resolve
	// against it and lead nowhere.
	location = "mcpeval:///schema"

	// maxSteps and maxTime bound one compilation and one validation.
	maxSteps = 500_000
	maxTime  = 2 * time.Second
)

// Options configure Compile. A nil *Options means all defaults.
type Options struct {
	// Now is the clock of the time limit. Default time.Now.
	Now func() time.Time
}

// Schema is a compiled schema. It may be used from several goroutines.
type Schema struct {
	skipped []string

	mu       sync.Mutex // guards what follows: one validation at a time
	compiled *jsonschema.Schema
	reading  *reading
	meter    *meter
}

// Compile compiles a schema. Its errors are of type *Error.
func Compile(v rawjson.Value, o *Options) (*Schema, error) {
	now := time.Now
	if o != nil && o.Now != nil {
		now = o.Now
	}
	doc, err := convert(v, schemaLimits)
	if err != nil {
		return nil, err
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, &Error{Problem: NotASchema}
	}
	draft, ok := draftOf(doc)
	if !ok {
		return nil, &Error{Problem: Dialect, Keyword: "$schema"}
	}

	s := &Schema{reading: &reading{}, meter: &meter{now: now}}
	found := skipped{}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(engine{s.reading}.compile)
	silenceFormats(c)
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "mcpeval:///meter",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			found.look(obj, draft)
			if s.meter.over() {
				return nil, errTooSlow
			}
			return s.meter, nil
		},
	})
	c.AssertVocabs()
	s.meter.start()
	err = guarded(func() error {
		if err := c.AddResource(location, doc); err != nil {
			return err
		}
		s.compiled, err = c.Compile(location)
		return err
	})
	if err != nil {
		return nil, problemOf(err)
	}
	s.skipped = found.list()
	return s, nil
}

// NotEvaluated lists the keywords of the schema that are not evaluated, sorted.
// They are from a fixed list.
func (s *Schema) NotEvaluated() []string { return s.skipped }

// Validate validates a value. Its errors are of type *Error; they mean that
// there is no verdict.
func (s *Schema) Validate(v rawjson.Value) (Verdict, error) {
	doc, err := convert(v, valueLimits)
	if err != nil {
		return Verdict{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first, asked, err := s.run(doc, true)
	if err != nil || !asked {
		return Verdict{Violations: capped(first)}, err
	}
	second, _, err := s.run(doc, false)
	if err != nil {
		return Verdict{}, err
	}
	both := intersect(first, second)
	return Verdict{Violations: capped(both), Unsure: len(both) < len(first) || len(both) < len(second)}, nil
}

// run validates with patterns that are not evaluated taken to match or not. It
// requires mu.
func (s *Schema) run(doc any, match bool) (found []Violation, asked bool, err error) {
	*s.reading = reading{match: match}
	s.meter.start()
	err = guarded(func() error { return s.compiled.Validate(doc) })
	if err == nil {
		return nil, s.reading.asked, nil
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return flatten(invalid), s.reading.asked, nil
	}
	return nil, false, problemOf(err)
}

// guarded runs f in a goroutine of its own, which the meter ends when it takes
// too long: the validator has no other way out. Its panics, on numbers that it
// cannot represent, become an error.
func guarded(f func() error) error {
	result := make(chan error, 1)
	go func() {
		err := errTooSlow // unless f returns
		defer func() {
			if recover() != nil {
				err = errGaveUp
			}
			result <- err
		}()
		err = f()
	}()
	return <-result
}

var (
	errTooSlow = errors.New("too slow")
	errGaveUp  = errors.New("gave up")
	errRefused = errors.New("refused")
)

// noLoader opens nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRefused }

// meter counts the steps of a compilation or validation. It is a part of every
// schema object, so that each evaluation of one is a step.
type meter struct {
	now      func() time.Time
	steps    int
	deadline time.Time
}

func (m *meter) start() {
	m.steps = 0
	m.deadline = m.now().Add(maxTime)
}

func (m *meter) over() bool {
	const between = 64 // looks at the clock
	m.steps++
	return m.steps > maxSteps || m.steps%between == 0 && m.now().After(m.deadline)
}

// Validate ends the goroutine of a validation that takes too long.
func (m *meter) Validate(*jsonschema.ValidatorContext, any) {
	if m.over() {
		runtime.Goexit()
	}
}

// silenceFormats makes format an annotation in every dialect. Its checks differ
// from validator to validator, and old dialects assert it.
func silenceFormats(c *jsonschema.Compiler) {
	for _, name := range []string{
		"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email", "date",
		"time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver",
	} {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

// draftOf is the dialect of a schema; ok is false for one that is not built in.
func draftOf(doc any) (draft int, ok bool) {
	obj, _ := doc.(map[string]any)
	name, ok := obj["$schema"].(string)
	if !ok {
		return 2020, true
	}
	draft, ok = dialects[trimmed(name)]
	return draft, ok
}

var dialects = map[string]int{
	"json-schema.org/draft-04/schema":      4,
	"json-schema.org/draft-06/schema":      6,
	"json-schema.org/draft-07/schema":      7,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/schema":               2020,
}
