package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// gateFolder is a folder with the manifest of the demo server and two cases, the
// scripts' environment, and mcpeval on the PATH.
func gateFolder(t *testing.T) (dir string, env []string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the scripts need bash")
	}
	dir = t.TempDir()
	write(t, filepath.Join(dir, "mcp-eval.manifest.json"), `{"version": 1, "probes": [
		{"id": "cost", "probe": "discovery-cost", "access": "read_only", "max_tools": 200, "max_schema_bytes": 1000000},
		{"id": "cities", "probe": "degradation-over-n", "access": "read_only", "tool": "list_cities", "arguments": {}, "max_attempts": 5}
	]}`)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MCPEVAL") && !strings.HasPrefix(variable, "GITHUB_") && !strings.HasPrefix(variable, "GIT_") {
			env = append(env, variable)
		}
	}
	return dir, append(env, "MCPEVAL_SERVER=demo", "MCPEVAL_COMMAND=mcpeval demo-server", "MCPEVAL_FLAGS=--gate-only",
		"HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "step-summary"))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runIn runs a command in a folder and returns its code and everything it printed.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../.ci/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The gate passes, fails, regresses and drifts as its parts do, and leaves every
// report.
func TestGate(t *testing.T) {
	dir, env := gateFolder(t)
	gate := script(t, "gate")
	check := func(name string, want int, says string, more ...string) {
		t.Helper()
		code, out := runIn(t, dir, append(env, more...), gate)
		if code != want || !strings.Contains(out, says) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", name, code, want, says, out)
		}
	}
	check("passes", 0, "2 passed, 0 failed of 2")
	for _, file := range []string{"report.json", "report.sarif", "report.junit.xml", "summary.md"} {
		if info, err := os.Stat(filepath.Join(dir, "mcpeval-report", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "step-summary")); err != nil || !strings.Contains(string(text), "### mcpeval") {
		t.Errorf("the step's summary: %v %s", err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, ".mcp-eval")); err == nil {
		t.Error("the user's own home was written to")
	}
	if err := os.Rename(filepath.Join(dir, "mcpeval-report", "report.json"), filepath.Join(dir, "base.json")); err != nil {
		t.Fatal(err)
	}
	const flaky = "MCPEVAL_COMMAND=mcpeval demo-server --broken flaky"
	check("fails", 1, "1 passed, 1 failed of 2", flaky)
	write(t, filepath.Join(dir, "known"), "cities\n")
	check("a known failure passes", 0, "1 passed", flaky, "MCPEVAL_KNOWN=known")
	check("a known failure that regressed", 1, "1 regressed", flaky, "MCPEVAL_KNOWN=known", "MCPEVAL_BASELINE=base.json")
	check("the baseline holds", 0, "0 regressed", "MCPEVAL_BASELINE=base.json")
	check("no baseline yet", 0, "2 passed", "MCPEVAL_BASELINE=absent.json")
	if code, out := runIn(t, dir, env, "mcpeval", "catalog", "lock", "--", "mcpeval", "demo-server"); code != 0 {
		t.Fatal(out)
	}
	check("no drift", 0, "no drift")
	check("drift", 1, "100 changes", "MCPEVAL_COMMAND=mcpeval demo-server --broken many-tools")
	check("not to be had", 3, "not run", "MCPEVAL_COMMAND=no-such-server")
	check("no label", 2, "MCPEVAL_SERVER", "MCPEVAL_SERVER=")
	check("two targets", 2, "one of them", "MCPEVAL_URL=http://127.0.0.1:1/mcp")
	check("no manifest", 2, "absent.json", "MCPEVAL_MANIFEST=absent.json")
}

// The hook lets a commit pass or keeps it, and does nothing where nothing is set.
func TestPreCommit(t *testing.T) {
	dir, env := gateFolder(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	git := func(want int, args ...string) string {
		t.Helper()
		code, out := runIn(t, dir, env, "git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		if code != want {
			t.Fatalf("git %v: exit %d: %s", args, code, out)
		}
		return out
	}
	git(0, "init", "-q")
	if err := os.Symlink(script(t, "pre-commit"), filepath.Join(dir, ".git", "hooks", "pre-commit")); err != nil {
		t.Fatal(err)
	}
	git(0, "commit", "-q", "--allow-empty", "-m", "nothing is set")
	git(0, "config", "mcpeval.server", "demo")
	git(0, "config", "mcpeval.gate", script(t, "gate"))
	git(0, "config", "mcpeval.command", "mcpeval demo-server")
	git(0, "commit", "-q", "--allow-empty", "-m", "it passes")
	git(0, "config", "mcpeval.command", "mcpeval demo-server --broken flaky")
	if out := git(1, "commit", "-q", "--allow-empty", "-m", "it fails"); !strings.Contains(out, "the gate of demo failed") || !strings.Contains(out, "cities") {
		t.Error(out)
	}
	git(0, "commit", "-q", "--no-verify", "--allow-empty", "-m", "past it")
}

// The steps of the action, taken from its file, run here as a runner runs them:
// they build the program and gate with it.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	dir, env := gateFolder(t)
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(string(text), "  steps:\n")
	if strings.Contains(steps, "uses:") {
		t.Error("a step uses another action, which would have to be pinned")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{"server": "demo", "command": "mcpeval demo-server --broken flaky", "manifest": "mcp-eval.manifest.json", "output": "out dir", "flags": "--gate-only"}
	env = append(env, "RUNNER_TEMP="+dir, "GITHUB_OUTPUT="+filepath.Join(dir, "outputs"))
	var code int
	var out string
	ran := 0
	for _, step := range strings.Split(steps, "    - name: ")[1:] {
		script := regexp.MustCompile(`(?s)      run: \|\n(.*)`).FindStringSubmatch(step)
		if script == nil || strings.Contains(script[1], "${{") {
			t.Fatalf("a step without a script, or with an expression in it: %s", step)
		}
		own := env
		for _, v := range regexp.MustCompile(`(?m)^        ([A-Z_]+): \$\{\{ (?:inputs\.([a-z-]+)|github\.action_path) \}\}$`).FindAllStringSubmatch(step, -1) {
			value := root
			if v[2] != "" {
				value = inputs[v[2]]
				if !strings.Contains(string(text), "\n  "+v[2]+":\n    description:") {
					t.Errorf("there is no input %s", v[2])
				}
			}
			own = append(own, v[1]+"="+value)
		}
		code, out = runIn(t, dir, own, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script[1])
		if ran++; ran == 1 && code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
	}
	if ran != 2 || code != 1 || !strings.Contains(out, "1 passed, 1 failed of 2") {
		t.Errorf("%d steps, exit %d: %s", ran, code, out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "outputs")); err != nil || string(text) != "exit-code=1\n" {
		t.Errorf("the outputs are %q, %v", text, err)
	}
	for _, name := range []string{"report.json", "report.sarif", "report.junit.xml"} {
		if _, err := os.Stat(filepath.Join(dir, "out dir", name)); err != nil || !strings.Contains(string(text), "value: ${{ inputs.output }}/"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The GitLab template runs the gate and collects what it leaves.
func TestGitLab(t *testing.T) {
	dir, env := gateFolder(t)
	text, err := os.ReadFile("../.ci/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(text), "  script:\n")
	lines, artifacts, _ := strings.Cut(lines, "  artifacts:\n")
	if strings.Count(lines, "    - ") != 3 {
		t.Fatalf("the script has other steps: %s", lines)
	}
	// Its last step, with the program and the checkout where the others put them.
	_, gate, _ := strings.Cut(lines, "    - MCPEVAL=")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("mcpeval")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(root, filepath.Join(dir, ".mcpeval-source")), os.Mkdir(filepath.Join(dir, ".mcpeval-bin"), 0o755),
		os.Symlink(program, filepath.Join(dir, ".mcpeval-bin", "mcpeval"))); err != nil {
		t.Fatal(err)
	}
	if code, out := runIn(t, dir, append(env, "MCPEVAL_OUT=mcpeval-report"), "bash", "-c", "MCPEVAL="+gate); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	kept := regexp.MustCompile(`(?m)mcpeval-report/\S+`).FindAllString(artifacts, -1)
	if len(kept) != 4 {
		t.Errorf("the artifacts are %v", kept)
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
