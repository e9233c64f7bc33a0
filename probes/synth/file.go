package synth

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// MaxFileBytes is the largest arguments file that is read.
const MaxFileBytes = 16 << 20

// File is an arguments file: for some tools, what to call them with. A nil *File
// has no entries.
type File struct {
	entries []entry
}

type entry struct {
	tool      string
	arguments rawjson.Value
}

// FileProblem is what is wrong with an arguments file. Its text is fixed.
type FileProblem string

// The problems.
const (
	FileTooLarge    FileProblem = "the file is too large"
	FileNotJSON     FileProblem = "the file is not JSON in UTF-8"
	FileNotObject   FileProblem = `the file must be an object of tools and their arguments, {"tool": {...}}`
	EntryNotObject  FileProblem = "the arguments must be an object"
	EntryRepeated   FileProblem = "the tool is given twice"
	KeyRepeated     FileProblem = "the arguments have a key twice, or are nested too deep"
	ToolUnknown     FileProblem = "the server lists no such tool"
	ToolNotCallable FileProblem = "the tool may not be called: it is annotated as a writer, or needs --confirm-read-only"
	SchemaMismatch  FileProblem = "the arguments break the tool's input schema"
	SchemaUnusable  FileProblem = "the tool's input schema cannot be used, so that no arguments can satisfy it"
)

// FileError is the first thing that is wrong with an arguments file.
type FileError struct {
	Tool    string // as it may be shown; "" for the whole file
	Line    int    // of a syntax error; 0 otherwise
	Keyword string // that a SchemaMismatch breaks, or "" when that is not known
	Problem FileProblem
}

func (e *FileError) Error() string {
	text := "arguments file: "
	if e.Tool != "" {
		text += e.Tool + ": "
	}
	text += string(e.Problem)
	if e.Line > 0 {
		text += " (line " + strconv.Itoa(e.Line) + ")"
	}
	if e.Keyword != "" {
		text += " (" + e.Keyword + ")"
	}
	return text
}

// ParseFile reads an arguments file. Its errors are of type *FileError.
func ParseFile(data []byte) (*File, error) {
	if len(data) > MaxFileBytes {
		return nil, &FileError{Problem: FileTooLarge}
	}
	data = bytes.Clone(data)
	v, err := rawjson.Parse(data)
	if err != nil {
		e := &FileError{Problem: FileNotJSON}
		if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
			e.Line = 1 + bytes.Count(data[:min(syntax.Offset, len(data))], []byte("\n"))
		}
		return nil, e
	}
	if v.Kind() != rawjson.Object {
		return nil, &FileError{Problem: FileNotObject}
	}
	f := &File{}
	for key, arguments := range v.Members() {
		name := key.Text()
		if _, twice := f.For(name); twice {
			return nil, problem(name, EntryRepeated)
		}
		if arguments.Kind() != rawjson.Object {
			return nil, problem(name, EntryNotObject)
		}
		if repeats(arguments, 0) {
			return nil, problem(name, KeyRepeated)
		}
		f.entries = append(f.entries, entry{name, arguments})
	}
	return f, nil
}

func problem(tool string, p FileProblem) *FileError {
	return &FileError{Tool: sanitize.ToolOf([]byte(tool), true).String(), Problem: p}
}

// For is the entry of a tool.
func (f *File) For(tool string) (arguments rawjson.Value, ok bool) {
	if f == nil {
		return rawjson.Value{}, false
	}
	for _, e := range f.entries {
		if e.tool == tool {
			return e.arguments, true
		}
	}
	return rawjson.Value{}, false
}

// Listing is what a catalog says of a tool.
type Listing struct {
	Listed   bool
	Callable bool // by its annotations and what the operator attests
	Schema   rawjson.Value
}

// Check holds every entry against the catalog. Its errors are of type *FileError.
func (f *File) Check(look func(tool string) Listing) error {
	if f == nil {
		return nil
	}
	for _, e := range f.entries {
		tool := look(e.tool)
		switch {
		case !tool.Listed:
			return problem(e.tool, ToolUnknown)
		case !tool.Callable:
			return problem(e.tool, ToolNotCallable)
		case tool.Schema.IsZero():
			continue
		}
		compiled, err := schema.Compile(tool.Schema, nil)
		if err != nil {
			return problem(e.tool, SchemaUnusable)
		}
		verdict, err := compiled.Validate(e.arguments)
		if err != nil {
			return problem(e.tool, SchemaUnusable)
		}
		if !verdict.Valid() {
			p := problem(e.tool, SchemaMismatch)
			p.Keyword = verdict.Violations[0].Keyword
			return p
		}
	}
	return nil
}
