package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/journal"
)

// shareNote is the file of an envelope that says what is in it. It lists every
// other file with its digest.
const shareNote = "SHARE.md"

const (
	envelopeTitle = "# A share envelope of mcpeval, version 1\n"
	listingBegin  = "\n```sha256\n"
	listingEnd    = "```\n"
	maxShareNote  = 64 << 20 // bytes: about half a million files
)

// EnvelopeFile is a log of an envelope.
type EnvelopeFile struct {
	Path   string         `json:"path"` // relative to the envelope, with slashes
	Bytes  int64          `json:"bytes"`
	Digest journal.Digest `json:"-"` // SHA-256 of its bytes
}

// note renders SHARE.md.
func (s *Shared) note() []byte {
	var b bytes.Buffer
	b.WriteString(envelopeTitle)
	fmt.Fprintf(&b, "\nRecords of MCP calls: which tools were called, when, how each call ended. No argument, result or error text is in it.\n\n")
	fmt.Fprintf(&b, "## What is in it\n\n")
	fmt.Fprintf(&b, "- captures: %d, with events: %d\n", s.Captures, s.Events)
	fmt.Fprintf(&b, "- records of the earlier format: %d\n", s.Records)
	fmt.Fprintf(&b, "- sessions: %d; servers: %d\n", s.Sessions, s.Servers)
	if s.Lines > 0 {
		fmt.Fprintf(&b, "- from %s to %s\n", s.First.Format("2006-01-02"), s.Last.Format("2006-01-02"))
	}
	fmt.Fprintf(&b, "- notes that people wrote about calls: %s\n", s.leftOut(s.Notes, s.LeftOut.Notes))
	fmt.Fprintf(&b, "- what probes, scores and verifications recorded: %s\n", s.leftOut(s.History, s.LeftOut.History))
	b.WriteString(`
Never in it: the salt, the index, the ledger, the configuration, the quarantine.

## Before you pass it on

- Session names are stored as plain SHA-256: whoever can guess a session's name can confirm the guess.
- Labels of servers, names of tools and declared argument keys are readable, as are times, sizes and error codes.
- Error texts are salted digests: they compare within one salt, and findings of two machines are the same only with the same salt.
`)
	if s.Notes {
		b.WriteString("- The notes are prose. Nothing but a person can tell whether they may be shared: read them.\n")
	}
	b.WriteString(`- The chain in each log shows alteration and loss. It does not authenticate who wrote the log.

## What to do with it

` + "```sh\nmcpeval journal import THIS-FOLDER\nmcpeval index\n```" + `

The import checks every file against this list and takes all of them or none.

## Files
`)
	b.WriteString(listingBegin)
	for _, f := range s.Files {
		fmt.Fprintf(&b, "%s  %s\n", f.Digest, f.Path)
	}
	b.WriteString(listingEnd + "\n")
	fmt.Fprintf(&b, "%s%x%s", sealBegin, sha256.Sum256(b.Bytes()), sealEnd)
	return b.Bytes()
}

// The last line of SHARE.md has the digest of what stands above it.
const (
	sealBegin = "<!-- sha256 of the text above: "
	sealEnd   = " -->\n"
)

func (s *Shared) leftOut(included bool, n int64) string {
	if included {
		return "included"
	}
	return fmt.Sprintf("left out (%d)", n)
}

// isNote tells whether a text is a SHARE.md of ours.
func isNote(text []byte) bool { return bytes.HasPrefix(text, []byte(envelopeTitle)) }

// listing reads the files that SHARE.md lists. ok is false when there is no
// whole list.
func listing(note []byte) (files []EnvelopeFile, ok bool) {
	_, rest, found := bytes.Cut(note, []byte(listingBegin))
	if !found {
		return nil, false
	}
	for line := range bytes.Lines(rest) {
		if string(line) == listingEnd {
			return files, true
		}
		digest, path, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		f := EnvelopeFile{Path: path}
		n, err := hex.Decode(f.Digest[:], []byte(digest[:min(len(digest), 2*len(f.Digest))]))
		if !found || err != nil || n != len(f.Digest) || len(digest) != 2*n || !fs.ValidPath(path) || journal.KindOf(path) == journal.FileOther {
			return nil, false
		}
		files = append(files, f)
	}
	return nil, false
}

// sealed tells whether nobody has changed SHARE.md.
func sealed(note []byte) bool {
	at := bytes.LastIndex(note, []byte(sealBegin))
	return at > 0 && string(note[at:]) == fmt.Sprintf("%s%x%s", sealBegin, sha256.Sum256(note[:at]), sealEnd)
}

// readNote reads the SHARE.md of an envelope. fs.ErrNotExist says that there is
// none.
func readNote(dir string) ([]byte, error) {
	f, err := openRegular(filepath.Join(dir, shareNote))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxShareNote))
}

var errNoEnvelope = errors.New("it is no whole envelope that mcpeval share made")

// wholeEnvelope returns an error unless dir holds an envelope as it was made:
// every file that it lists, unchanged, and nothing else.
func wholeEnvelope(dir string) error {
	note, err := readNote(dir)
	if err != nil {
		return errNoEnvelope
	}
	files, ok := listing(note)
	if !ok || !isNote(note) || !sealed(note) {
		return errNoEnvelope
	}
	want := map[string]journal.Digest{}
	folders := map[string]bool{".": true}
	for _, f := range files {
		want[f.Path] = f.Digest
		for at := f.Path; at != "."; {
			at = filepath.ToSlash(filepath.Dir(filepath.FromSlash(at)))
			folders[at] = true
		}
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return errNoEnvelope
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return errNoEnvelope
		}
		rel = filepath.ToSlash(rel)
		digest, listed := want[rel]
		switch {
		case d.IsDir() && folders[rel], rel == shareNote:
			return nil
		case d.IsDir() || !listed:
			return errNoEnvelope
		}
		delete(want, rel)
		if got, err := digestFile(name); err != nil || got != digest {
			return errNoEnvelope
		}
		return nil
	})
	if err == nil && len(want) > 0 {
		err = errNoEnvelope
	}
	return err
}

func digestFile(name string) (d journal.Digest, err error) {
	f, err := openRegular(name)
	if err != nil {
		return d, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return d, err
	}
	return journal.Digest(h.Sum(nil)), nil
}

// missingFrom names the first listed file that is not in dir as it was.
func missingFrom(dir string, files []EnvelopeFile) (path string) {
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b EnvelopeFile) int { return strings.Compare(a.Path, b.Path) }) {
		if got, err := digestFile(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil || got != f.Digest {
			return f.Path
		}
	}
	return ""
}

// sameFile tells whether two paths lead to one file or folder, by whatever names.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// within tells whether path, or its nearest ancestor that exists, lies in folder.
func within(path, folder string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	for at := path; ; at = filepath.Dir(at) {
		if sameFile(at, folder) {
			return true
		}
		if filepath.Dir(at) == at {
			return false
		}
	}
}
