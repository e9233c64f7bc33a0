// Command mcpeval measures what MCP servers cost the agents that use them.
package main

import (
	"os"

	"github.com/mcpeval/mcpeval/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, cli.System()))
}
