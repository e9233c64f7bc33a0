package cli_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcpeval/mcpeval/"

// layers orders the top-level folders: a package imports only folders of a
// lower layer, and its own.
var layers = map[string]int{
	"schemas": 0, "journal": 1, "recorder": 2, "projections": 2, "probes": 3, "server": 4, "cli": 5,
}

// The longest a file may be, in lines.
const (
	maxLines     = 500
	maxTestLines = 800
)

// bannedImports are imports that only the folders of allow may have, or with
// deny, all folders but those may.
var bannedImports = []struct {
	path        string
	allow, deny []string // prefixes of a package's folder
	why         string
}{
	{path: "encoding/json", deny: []string{"journal", "recorder"}, why: "it folds case, accepts repeated keys and quotes its input in errors; use journal/rawjson or recorder/wire"},
	{path: "os/exec", allow: []string{"recorder/process"}, why: "processes start through recorder/process, which leaves none behind"},
	{path: "io/ioutil", why: "use io and os"},
	{path: "log", why: "return errors"},
	{path: "math/rand", why: "use math/rand/v2 or crypto/rand"},
	{path: "C", why: "the binary is static"},
	{path: "zombiezen.com/go/sqlite", allow: []string{"projections", "server", "cli"}, why: "the index is read through projections"},
	{path: "go.etcd.io/bbolt", allow: []string{"projections/ledger"}, why: "ledger.db is opened by projections/ledger only"},
}

// bannedNames are names of other packages that only the folders of allow may use.
var bannedNames = []struct {
	pkg, name string
	allow     []string
	why       string
}{
	{"bufio", "Scanner", nil, "it stops at 64 KiB; use recorder/wire or bufio.Reader"},
	{"bufio", "NewScanner", nil, "it stops at 64 KiB; use recorder/wire or bufio.Reader"},
	{"os/exec", "CommandContext", nil, "it kills the child only; use recorder/process"},
	{"os/signal", "Ignore", nil, "children inherit it; use signal.Notify"},
	{"net/http", "DefaultTransport", nil, "it uses the system's proxy and follows its settings; make a Transport"},
	{"net/http", "DefaultClient", nil, "it follows redirects; make a Client"},
	{"zombiezen.com/go/sqlite", "OpenConn", []string{"projections/index"}, "without flags it creates the file and waits for ever when busy; use projections/index"},
}

type sourceFile struct {
	path   string // relative to the root, with slashes
	folder string
	text   []byte
	ast    *ast.File
}

func (f *sourceFile) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// sources parses every Go file of the module.
func sources(t *testing.T) (*token.FileSet, []*sourceFile) {
	t.Helper()
	var files []*sourceFile
	set := token.NewFileSet()
	root := filepath.Join("..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		parsed, err := parser.ParseFile(set, relative, text, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, &sourceFile{relative, path.Dir(relative), text, parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("found only %d Go files", len(files))
	}
	return set, files
}

func below(folder string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return folder == p || strings.HasPrefix(folder, p+"/") })
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return p
}

func top(folder string) string {
	first, _, _ := strings.Cut(folder, "/")
	return first
}

func TestLayers(t *testing.T) {
	_, files := sources(t)
	for _, f := range files {
		if f.test() || f.folder == "schemas/gen" {
			continue
		}
		layer, known := layers[top(f.folder)]
		if !known {
			t.Errorf("%s: no code folder of that name at the top", f.path)
			continue
		}
		for _, spec := range f.ast.Imports {
			to, ours := strings.CutPrefix(importPath(spec), module)
			if ours && top(to) != top(f.folder) && layers[top(to)] >= layer {
				t.Errorf("%s imports %s, which is not below it", f.path, to)
			}
		}
	}
}

func TestBans(t *testing.T) {
	set, files := sources(t)
	for _, f := range files {
		if f.test() {
			continue
		}
		names := map[string]string{} // local name -> import path
		for _, spec := range f.ast.Imports {
			p := importPath(spec)
			local := path.Base(p)
			if spec.Name != nil {
				local = spec.Name.Name
			}
			names[local] = p
			for _, ban := range bannedImports {
				refused := ban.deny == nil && !below(f.folder, ban.allow) || below(f.folder, ban.deny)
				if ban.path == p && refused {
					t.Errorf("%s imports %s: %s", set.Position(spec.Pos()), p, ban.why)
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if d, ok := n.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" {
				t.Errorf("%s: init does work before main", set.Position(d.Pos()))
			}
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			local, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, ban := range bannedNames {
				if names[local.Name] == ban.pkg && selector.Sel.Name == ban.name && !below(f.folder, ban.allow) {
					t.Errorf("%s: %s.%s: %s", set.Position(n.Pos()), ban.pkg, ban.name, ban.why)
				}
			}
			return true
		})
	}
}

func TestFiles(t *testing.T) {
	_, files := sources(t)
	documented := map[string]bool{} // by a comment in doc.go, or in the only file
	parts := map[string]int{}
	for _, f := range files {
		if !f.test() {
			parts[f.folder]++
		}
	}
	for _, f := range files {
		limit := maxLines
		if f.test() {
			limit = maxTestLines
		}
		if n := bytes.Count(f.text, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines, more than %d", f.path, n, limit)
		}
		for _, word := range []string{"TO" + "DO", "FIX" + "ME", "X" + "XX", "not imple" + "mented"} {
			if regexp.MustCompile(`\b` + word + `\b`).Match(f.text) {
				t.Errorf("%s says %s", f.path, word)
			}
		}
		if base := path.Base(f.folder); slices.Contains([]string{"util", "utils", "common", "shared", "helpers", "types"}, base) {
			t.Errorf("%s: %s is no name for a package", f.path, base)
		}
		documented[f.folder] = documented[f.folder] || f.ast.Doc != nil && !f.test() && (path.Base(f.path) == "doc.go" || parts[f.folder] == 1)
	}
	for _, folder := range slices.Sorted(maps.Keys(documented)) {
		if !documented[folder] && folder != "cli/mcpeval" && folder != "schemas/gen" {
			t.Errorf("%s has no doc.go", folder)
		}
	}
}

func TestMainIsSmall(t *testing.T) {
	text, err := os.ReadFile("mcpeval/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 15 {
		t.Errorf("main.go has %d lines", n)
	}
}
