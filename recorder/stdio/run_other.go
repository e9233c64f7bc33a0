//go:build (!unix && !windows) || unsupported

package stdio

import "github.com/mcpeval/mcpeval/recorder/process"

// Run returns ErrUnsupportedTarget.
func Run(o Options) (process.Exit, error) {
	_ = o.withDefaults()
	return process.Exit{}, ErrUnsupportedTarget
}
