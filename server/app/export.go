package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/query"
)

// ExportOptions are one export of issues.
type ExportOptions struct {
	Home   *home.Home
	Dir    string // outside of the home; made when it is missing
	Server string // only findings of this label; "" is all
	// Force replaces files that were edited since they were exported. What no
	// export wrote is never replaced.
	Force bool
}

// Exported says which files there are now, in the order of the findings.
type Exported struct {
	Files []ExportedFile `json:"files"`
}

// ExportedFile is the issue of one finding.
type ExportedFile struct {
	Finding string `json:"finding"`
	File    string `json:"file"`   // below the folder
	Status  string `json:"status"` // created, updated, unchanged
}

// The states of an exported file.
const (
	ExportCreated   = "created"
	ExportUpdated   = "updated"
	ExportUnchanged = "unchanged"
)

// issueFile is one file that an export is about to write.
type issueFile struct {
	path string
	data []byte
}

// ExportIssues writes one Markdown file for each finding that is not closed,
// named by its ID. Files whose findings have closed stay as they are. It looks at
// all files before it writes one: an *InputError refuses the whole export.
func ExportIssues(ctx context.Context, o *ExportOptions) (*Exported, error) {
	dir, err := o.folder()
	if err != nil {
		return nil, err
	}
	list, err := Findings(ctx, o.Home, query.FindingFilter{Server: o.Server})
	if err != nil {
		return nil, err
	}
	done := &Exported{Files: []ExportedFile{}}
	var files []issueFile
	for i := range list {
		f := &list[i]
		if f.State == query.StateClosed {
			continue
		}
		name := f.ID + ".md"
		file := issueFile{filepath.Join(dir, name), sealIssue(f)}
		status, err := file.status(o.Force)
		if err != nil {
			return nil, err
		}
		done.Files = append(done.Files, ExportedFile{f.ID, name, status})
		files = append(files, file)
	}
	for i, file := range files {
		status := done.Files[i].Status
		if status == ExportUnchanged {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("make folder: %w", err)
		}
		if err := writeManifest(file.path, file.data, status == ExportUpdated); err != nil {
			return nil, fmt.Errorf("write issue: %w", err)
		}
	}
	return done, nil
}

// folder is the absolute path of what an export writes into. It is not in the
// home, where such files could be taken for the journal's.
func (o *ExportOptions) folder() (string, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", fmt.Errorf("find folder: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir // it is not there yet, or shows its fault when it is made
	}
	inside, err := filepath.EvalSymlinks(o.Home.Dir)
	if err != nil {
		inside = o.Home.Dir
	}
	if within(dir, o.Home.Dir) || within(real, inside) {
		return "", &InputError{Err: errors.New("the folder lies in the home"), Next: "name a folder outside of it"}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", &InputError{Err: fmt.Errorf("%s is no folder", o.Dir), Next: "name a folder"}
	}
	return dir, nil
}

// The first line of an exported file names the digest of what follows, so that
// an edit is noticed.
const issueSeal = "<!-- mcpeval export-issues %s %x -->\n"

func sealIssue(f *query.Finding) []byte {
	text := FindingMarkdown(f)
	return append(fmt.Appendf(nil, issueSeal, f.ID, sha256.Sum256(text)), text...)
}

// status says what writing the file would do; an *InputError that it must not be
// written.
func (f *issueFile) status(force bool) (string, error) {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ExportCreated, nil
	case err != nil:
		return "", fmt.Errorf("read issue: %w", err)
	case !info.Mode().IsRegular():
		return "", &InputError{Err: fmt.Errorf("%s is no file of an export", f.path), Next: "move it away, or name another folder"}
	}
	old, err := os.ReadFile(f.path)
	if err != nil {
		return "", fmt.Errorf("read issue: %w", err)
	}
	if bytes.Equal(old, f.data) {
		return ExportUnchanged, nil
	}
	first, text, ok := bytes.Cut(old, []byte("\n"))
	id := filepath.Base(f.path[:len(f.path)-len(".md")])
	prefix := fmt.Appendf(nil, "<!-- mcpeval export-issues %s ", id)
	switch {
	case !ok || !bytes.HasPrefix(first, prefix):
		return "", &InputError{Err: fmt.Errorf("%s was written by no export", f.path), Next: "move it away, or name another folder"}
	case !force && !bytes.Equal(append(first, '\n'), fmt.Appendf(nil, issueSeal, id, sha256.Sum256(text))):
		return "", &InputError{Err: fmt.Errorf("%s was edited since it was exported", f.path), Next: "--force replaces it"}
	}
	return ExportUpdated, nil
}
