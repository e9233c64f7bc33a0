package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpeval/mcpeval/cli"
	"github.com/mcpeval/mcpeval/schemas"
)

var updateScripts = flag.Bool("update", false, "rewrite what scripts compare with")

// TestMain makes this test binary the mcpeval that scripts run: each run is a
// process of its own, guard processes included.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcpeval": func() { os.Exit(cli.Main(os.Args, cli.System())) },
		"child":   child,
		"catalog": catalogServer,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *updateScripts,
		Condition: func(cond string) (bool, error) {
			if cond == "root" { // to whom no file is read-only, nor is a folder to anyone on Windows
				return os.Geteuid() == 0 || runtime.GOOS == "windows", nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("MCPEVAL_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("MCPEVAL_SESSION", "a session of the scripts")
			program, err := exec.LookPath("mcpeval") // for scripts that change PATH
			e.Setenv("MCPEVAL", program)
			if err != nil {
				return err
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fields":  scriptFields,
			"matched": scriptMatched,
			"capture": scriptCapture,
			"damage":  scriptDamage,
			"absent":  scriptAbsent,
			"sealed":  scriptSealed,
			"exits":   scriptExits,
			"valid":   scriptValid,
			"serve":   scriptServe,
			"talk":    scriptTalk,
		},
	})
}

// scriptFields checks that the objects at a member of a JSON document have
// exactly the fields named, so that a field that is added, renamed or lost is
// noticed here:
//
//	fields FILE MEMBER FIELD...
//
// MEMBER is a dotted path to an object or to an array of them, "." the document.
func scriptFields(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fields FILE MEMBER FIELD...")
	}
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &document))
	at := document
	if args[1] != "." {
		for _, name := range strings.Split(args[1], ".") {
			object, ok := at.(map[string]any)
			if !ok || object[name] == nil {
				ts.Fatalf("there is no %s in %s", name, args[1])
			}
			at = object[name]
		}
	}
	objects, ok := at.([]any)
	if !ok {
		objects = []any{at}
	}
	if len(objects) == 0 {
		ts.Fatalf("%s is empty, which shows nothing", args[1])
	}
	want := slices.Sorted(slices.Values(args[2:]))
	for _, o := range objects {
		object, ok := o.(map[string]any)
		if !ok {
			ts.Fatalf("%s holds something else than objects", args[1])
		}
		if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
			ts.Fatalf("%s has the fields %v, want %v", args[1], got, want)
		}
	}
}

// scriptCapture finds the log of the newest capture and sets NAME to its ID,
// NAME_PATH to its path below the store and NAME_FILE to its file:
//
//	capture NAME
func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture NAME")
	}
	store := filepath.Join(ts.Getenv("MCPEVAL_HOME"), "store")
	newest, when := "", int64(-1)
	ts.Check(filepath.WalkDir(store, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".jsonl" {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().UnixNano() > when {
			newest, when = name, info.ModTime().UnixNano()
		}
		return err
	}))
	if newest == "" {
		ts.Fatalf("there is no capture")
	}
	rel, err := filepath.Rel(store, newest)
	ts.Check(err)
	ts.Setenv(args[0], strings.TrimSuffix(filepath.Base(newest), ".jsonl"))
	ts.Setenv(args[0]+"_PATH", filepath.ToSlash(rel))
	ts.Setenv(args[0]+"_FILE", newest)
}

// scriptDamage changes a log as its arguments say:
//
//	damage FILE line N TEXT       replaces line N
//	damage FILE append TEXT       adds text at the end, \n for a newline
//	damage FILE cut N             takes N bytes from the end
//	damage FILE replace OLD NEW   replaces the first OLD
func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: damage FILE line|append|cut|replace ...")
	}
	name := ts.MkAbs(args[0])
	text, err := os.ReadFile(name)
	ts.Check(err)
	switch args[1] {
	case "line":
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		lines := bytes.SplitAfter(text, []byte("\n"))
		lines[n-1] = []byte(args[3] + "\n")
		text = bytes.Join(lines, nil)
	case "append":
		text = append(text, strings.ReplaceAll(args[2], `\n`, "\n")...)
	case "cut":
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		text = text[:len(text)-n]
	case "replace":
		if !bytes.Contains(text, []byte(args[2])) {
			ts.Fatalf("%s does not hold %s", args[0], args[2])
		}
		text = bytes.Replace(text, []byte(args[2]), []byte(args[3]), 1)
	default:
		ts.Fatalf("damage: %s?", args[1])
	}
	ts.Check(os.WriteFile(name, text, 0o600))
}

// scriptAbsent checks that no file below the folders named holds a text:
//
//	absent TEXT FOLDER...
func scriptAbsent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: absent TEXT FOLDER...")
	}
	looked := 0
	for _, folder := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			looked++
			text, err := os.ReadFile(name)
			if bytes.Contains(text, []byte(args[0])) {
				ts.Fatalf("%s holds %s", name, args[0])
			}
			return err
		}))
	}
	if looked == 0 {
		ts.Fatalf("there are no files to look at")
	}
}

// scriptSealed remembers the bytes of a file, or with ! checks that they are
// still the same:
//
//	sealed FILE
//	! sealed FILE
func scriptSealed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] sealed FILE")
	}
	text := ts.ReadFile(args[0])
	copied := ts.MkAbs(filepath.Base(args[0]) + ".sealed")
	if !neg {
		ts.Check(os.WriteFile(copied, []byte(text), 0o600))
		return
	}
	if before := ts.ReadFile(copied); before != text {
		ts.Fatalf("%s has changed", args[0])
	}
}

// scriptValid checks a JSON document against the published schema of that name:
//
//	valid NAME FILE
func scriptValid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: valid NAME FILE")
	}
	text, ok := schemas.Get(args[0])
	if !ok {
		ts.Fatalf("there is no schema %s", args[0])
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("mem:///schema", schema))
	s, err := c.Compile("mem:///schema")
	ts.Check(err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(s.Validate(document))
}
