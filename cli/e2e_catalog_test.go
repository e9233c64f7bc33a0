package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestEndToEndCatalog locks the catalog of a public server and checks two
// versions of it: the same one, and one that added tools and said more about them.
func TestEndToEndCatalog(t *testing.T) {
	endToEnd(t)
	if testing.Short() {
		t.Skip("uses the network")
	}
	const pkg = "@modelcontextprotocol/server-filesystem"
	old, current := npmVersion(t, pkg, "2025.7.1"), npmVersion(t, pkg, "2026.8.31")
	mcpeval, dir := buildBinary(t), t.TempDir()
	check := func(server string, args ...string) (code int, out []byte) {
		t.Helper()
		cmd := exec.Command(mcpeval, append([]string{"catalog"}, append(args, "--", "node", server, dir)...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out
	}
	if code, out := check(old, "lock"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	if code, out := check(old, "check"); code != 0 {
		t.Errorf("the same version: exit %d: %s", code, out)
	}
	code, out := check(current, "check", "--format", "json")
	if code != 1 {
		t.Errorf("another version: exit %d: %s", code, out)
	}
	var drift struct {
		Changes []struct{ Tool, Kind, Severity string }
	}
	if err := json.Unmarshal(out, &drift); err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	for _, c := range drift.Changes {
		kinds[c.Severity+" "+c.Kind]++
	}
	for _, want := range []string{"minor tool-added", "minor schema-added", "minor annotation-changed", "caution title-changed"} {
		if kinds[want] == 0 {
			t.Errorf("there is no %s in %v", want, kinds)
		}
	}
}

// npmVersion installs one version of a package below the user's cache and returns
// its server. Where npm does not answer the test is skipped.
func npmVersion(t *testing.T, pkg, version string) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "mcpeval-e2e-"+version)
	server := filepath.Join(dir, "node_modules", filepath.FromSlash(pkg), "dist", "index.js")
	installed := filepath.Join(dir, "installed")
	if _, err := os.Stat(installed); err == nil {
		return server
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, npm, "view", pkg, "version", "--fetch-retries=1").CombinedOutput(); err != nil {
		t.Skipf("npm does not answer: %v\n%s", err, out)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", pkg+"@"+version).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Skip("npm does not answer in time")
	case err != nil:
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	if err := os.WriteFile(installed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return server
}
