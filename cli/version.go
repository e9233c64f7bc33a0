package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"
)

// version is the release this source becomes. It is what captures are stamped
// with.
const version = "0.1.0"

type versionOptions struct {
	std    *IO
	format string
}

func versionCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "version",
		Usage: "print the version",
		Flags: []urfave.Flag{formatFlag()},
		Action: func(c *urfave.Context) error {
			f, err := format(c, "version")
			if err != nil {
				return err
			}
			if err := noArgs(c, "version"); err != nil {
				return err
			}
			return runVersion(&versionOptions{std, f})
		},
	}
}

func runVersion(o *versionOptions) error {
	if o.format == formatText {
		_, err := fmt.Fprintf(o.std.Out, "mcpeval %s\n", version)
		return err
	}
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return writeJSON(o.std.Out, struct {
		Version  string `json:"version"`
		Revision string `json:"revision"`
		Go       string `json:"go"`
		OS       string `json:"os"`
		Arch     string `json:"arch"`
	}{version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH})
}
