package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Redaction is the result of CheckRedaction.
type Redaction struct {
	Files, Lines int64
	Findings     []journal.Place // lines that may hold something private
}

// CheckRedaction decodes every line below store by the closed grammar and looks
// through what the grammar leaves open for what looks private. Lines of an
// earlier format must be in the grammar too, though indexing would accept them.
// progress, if not nil, is told the bytes done and those there are.
func CheckRedaction(ctx context.Context, store string, progress func(done, total int64)) (*Redaction, error) {
	files, err := journal.Files(store)
	if err != nil {
		return nil, fmt.Errorf("list journal: %w", err)
	}
	var done, total int64
	for _, f := range files {
		total += f.Size
	}
	out := &Redaction{}
	for _, f := range files {
		err := out.file(ctx, store, f)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		if done += f.Size; progress != nil {
			progress(done, total)
		}
	}
	return out, nil
}

func (out *Redaction) file(ctx context.Context, store string, f journal.File) error {
	file, err := os.Open(filepath.Join(store, filepath.FromSlash(f.Path)))
	if err != nil {
		return err
	}
	defer file.Close()
	out.Files++
	decoder := journal.NewDecoder()
	r := journal.NewReader(file, journal.Place{Path: f.Path})
	for r.Next() {
		out.Lines++
		if out.Lines%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !clean(decoder, f.Kind, r.Line()) {
			out.Findings = append(out.Findings, r.Place())
		}
	}
	var corrupt *journal.CorruptionError
	if errors.As(r.Err(), &corrupt) { // too long to look at: whatever it is, it is not ours
		out.Findings = append(out.Findings, journal.Place{Path: corrupt.Path, Line: corrupt.Line, Offset: corrupt.Offset})
		return nil
	}
	return r.Err()
}

func clean(decoder *journal.Decoder, kind journal.FileKind, line []byte) bool {
	var event journal.Event
	switch err := decoder.Decode(kind, line, &event); {
	case errors.Is(err, journal.ErrSkip):
	case err != nil:
		return false
	case event.Legacy && !legacyClean(kind, line):
		return false
	}
	_, suspicious := sanitize.Suspicious(line)
	return !suspicious
}

// legacyClean tells whether a record of the earlier format holds only what the
// grammar allows, so that nothing had to be replaced when it was read. A member
// whose name is not known may hold anything.
func legacyClean(kind journal.FileKind, line []byte) bool {
	record, err := rawjson.Parse(line)
	if err != nil {
		return false
	}
	for key, value := range record.Members() {
		check := legacyMembers()[key.Text()]
		if key.Is("kind") && kind == journal.FileLegacyAnnotations {
			check = func(v rawjson.Value) bool {
				_, ok := journal.ParseAnnotationKind(textOf(v))
				return ok
			}
		}
		if check == nil || !check(value) {
			return false
		}
	}
	return true
}

// legacyMembers says for each member of a record what its value must be.
func legacyMembers() map[string]func(rawjson.Value) bool {
	return map[string]func(rawjson.Value) bool{
		"ts": func(v rawjson.Value) bool {
			_, err := time.Parse(time.RFC3339Nano, textOf(v))
			return err == nil
		},
		"session": parses(sanitize.ParseSession),
		"seq":     isInt,
		"server":  parses(sanitize.ParseLabel),
		"method": func(v rawjson.Value) bool {
			m := textOf(v)
			return isUnparsedMethod(m) || parses(sanitize.ParseMethod)(v)
		},
		"tool":         func(v rawjson.Value) bool { return v.Kind() == rawjson.Null || parses(sanitize.ParseTool)(v) },
		"args":         inShape,
		"latency_ms":   isIntOrNull,
		"outcome":      oneOf("ok", "error", "unparsed", "unknown"),
		"error":        legacyErrorClean,
		"shim_self_us": isIntOrNull,
		"kind":         oneOf("real", "synthetic", "unparsed"),
		"note":         func(v rawjson.Value) bool { _, ok := sanitize.ParseNote([]byte(textOf(v))); return ok },
		"identity":     identityClean,
	}
}

func textOf(v rawjson.Value) string {
	s, _ := v.Text()
	return s
}

func parses[T any](parse func([]byte) (T, bool)) func(rawjson.Value) bool {
	return func(v rawjson.Value) bool {
		s, ok := v.Text()
		if ok {
			_, ok = parse([]byte(s))
		}
		return ok
	}
}

func oneOf(names ...string) func(rawjson.Value) bool {
	return func(v rawjson.Value) bool {
		s, ok := v.Text()
		for _, name := range names {
			if ok && s == name {
				return true
			}
		}
		return false
	}
}

func isInt(v rawjson.Value) bool {
	_, ok := v.Int()
	return ok
}

func isIntOrNull(v rawjson.Value) bool { return v.Kind() == rawjson.Null || isInt(v) }

func isUnparsedMethod(m string) bool { return m == "unparsed/inbound" || m == "unparsed/outbound" }

// inShape: what is in the grammar comes out of it as it went in.
func inShape(v rawjson.Value) bool {
	if v.Kind() == rawjson.Null {
		return true
	}
	var compact bytes.Buffer
	return json.Compact(&compact, v.Raw()) == nil && compact.String() == sanitize.ShapeFromLegacy(v).String()
}

func legacyErrorClean(v rawjson.Value) bool {
	if v.Kind() == rawjson.Null {
		return true
	}
	if v.Kind() != rawjson.Object {
		return false
	}
	for key, value := range v.Members() {
		ok := value.Kind() == rawjson.Null
		switch {
		case key.Is("code"):
			ok = ok || isInt(value) || value.Kind() == rawjson.Bool || sanitize.CodeFromLegacy(value).String() == textOf(value)
		case key.Is("layer"):
			ok = ok || sanitize.LayerFromLegacy(value).String() == textOf(value)
		case key.Is("kind"):
			ok = ok || sanitize.BucketFromLegacy(value).String() == textOf(value)
		case key.Is("retryable"):
			ok = ok || value.Kind() == rawjson.Bool
		case key.Is("template"):
			ok = ok || textOf(value) == "{message}"
		case key.Is("template_id"):
			ok = ok || parses(sanitize.ParseTemplateID)(value)
		}
		if !ok {
			return false
		}
	}
	return true
}

func identityClean(v rawjson.Value) bool {
	if v.Kind() == rawjson.Null {
		return true
	}
	for key, value := range v.Members() {
		id := textOf(value)
		if !key.Is("capture_id") && !key.Is("event_id") || len(id) != 36 || strings.Trim(id, "0123456789abcdef-") != "" {
			return false
		}
	}
	return v.Kind() == rawjson.Object
}
