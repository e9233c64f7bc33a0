package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a client starts from a wrapped configuration is the server it had, and it
// is recorded under its name.
func TestWrappedServerRuns(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "mcp.json")
	write(t, config, "{\"mcpServers\": {\"my demo\": {\"command\": \"mcpeval\", // mine\n\"args\": [\"demo-server\"]}}}")
	program, err := exec.LookPath("mcpeval")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "MCPEVAL_HOME="+filepath.Join(dir, "home"))
	if code, out := runIn(t, dir, env, "mcpeval", "wrap", "--program", program, "--config", config); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(strings.Replace(string(text), "// mine", "", 1)), &client); err != nil {
		t.Fatal(err)
	}
	demo := client.MCPServers["my demo"]
	if code, out := runIn(t, dir, env, "mcpeval", append([]string{"catalog", "lock", "--", demo.Command}, demo.Args...)...); code != 0 || !strings.Contains(out, "14 tools") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, out := runIn(t, dir, env, "mcpeval", "journal", "ls", "--server", "my-demo"); code != 0 || !strings.Contains(out, "my-demo") {
		t.Errorf("exit %d: %s", code, out)
	}
}
