package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/scaffold"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// ScaffoldOptions are one manifest to be written.
type ScaffoldOptions struct {
	Server  string // the label
	Version string // of mcpeval
	Target  client.Target

	// Output is the file to write; "" writes none. One that is there is replaced
	// only with Force.
	Output string
	Force  bool
	// DryRun writes and calls nothing, and looks at no file.
	DryRun bool

	ConfirmReadOnly bool
	// Arguments is the text of an arguments file; nil is none.
	Arguments []byte
	Tools     []string

	Protocol       string
	StartupTimeout time.Duration
	Clock          client.Clock

	Progress func(done, total int)
}

// Scaffold writes the manifest of a live server. It journals nothing. Its errors are an *InputError, before anything was called; a
// *client.Fault or *client.PageError when the server or its catalog is not to be
// had; an error of the file; or the context's cause. On an error nothing was
// written.
func Scaffold(ctx context.Context, o *ScaffoldOptions) (*scaffold.Result, error) {
	var arguments *synth.File
	if o.Arguments != nil {
		var err error
		if arguments, err = synth.ParseFile(o.Arguments); err != nil {
			return nil, &InputError{Err: err}
		}
	}
	writes := !o.DryRun && o.Output != ""
	if writes {
		if err := writable(o.Output, o.Force); err != nil {
			return nil, err
		}
	}
	result, err := scaffold.Run(ctx, &scaffold.Options{
		Target: o.Target, Version: o.Version,
		DryRun: o.DryRun, ConfirmReadOnly: o.ConfirmReadOnly, Arguments: arguments, Tools: o.Tools,
		Protocol: o.Protocol, StartupTimeout: o.StartupTimeout, Clock: o.Clock,
		Progress: o.Progress,
	})
	if err != nil {
		if e, ok := errors.AsType[*scaffold.NameError](err); ok {
			return nil, &InputError{Err: e, Next: "--dry-run lists the tools and what init makes of them"}
		}
		if e, ok := errors.AsType[*synth.FileError](err); ok {
			return nil, &InputError{Err: e, Next: "--dry-run lists the tools and what init makes of them"}
		}
		return nil, err
	}
	if !writes {
		return result, nil
	}
	data, err := result.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	if err := writeManifest(o.Output, data, o.Force); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return result, nil
}

// writable refuses, before the server starts, a file that could not be written,
// and what is no file: a rename would replace a device such as /dev/null with
// one, for the whole machine. A link is replaced itself, not what it leads to.
func writable(name string, force bool) error {
	info, err := os.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return &InputError{Err: fmt.Errorf("%s is a folder", name)}
	case err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return &InputError{Err: fmt.Errorf("%s is no file", name), Next: "name another file"}
	case err == nil && !force:
		return &InputError{Err: fmt.Errorf("%s is there already", name), Next: "--force replaces it"}
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return nil // what else is wrong shows when it is written
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return &InputError{Err: fmt.Errorf("the folder of %s is not there", name)}
	}
	return nil
}

// writeManifest writes a whole file or none. Without force it never replaces one
// that came to be meanwhile.
func writeManifest(name string, data []byte, force bool) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(name), ".mcpeval-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name()) // the error that is returned says more
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if !force {
		switch err := os.Link(temp.Name(), name); {
		case err == nil:
			return os.Remove(temp.Name())
		case errors.Is(err, fs.ErrExist):
			return err
		}
		// This file system has no links: what came to be meanwhile is not seen.
	}
	return os.Rename(temp.Name(), name)
}
