package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/cli"
)

func main() {
	dist := flag.String("dist", "dist", "the folder of the release, with the binaries in bin/OS_ARCH")
	source := flag.String("source", ".", "the checkout")
	version := flag.String("version", "", "the version")
	epoch := flag.Int64("epoch", 0, "the time of every file, in seconds since 1970")
	flag.Parse()
	if *version == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*dist, *source, *version, time.Unix(*epoch, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(3)
	}
}

var errNoBinaries = errors.New("there are no binaries to pack")

func run(dist, source, version string, when time.Time) error {
	binaries, err := filepath.Glob(filepath.Join(dist, "bin", "*", "mcpeval*"))
	if err != nil {
		return err
	}
	if len(binaries) == 0 {
		return errNoBinaries
	}
	slices.Sort(binaries)
	common, err := commonFiles(source)
	if err != nil {
		return err
	}
	made := make(map[string][]byte)
	for _, path := range binaries {
		binary, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		platform := filepath.Base(filepath.Dir(path))
		top := "mcpeval_" + version + "_" + platform
		files := append(slices.Clone(common), file{filepath.Base(path), 0o755, binary})
		pack, suffix := tarball, ".tar.gz"
		if strings.HasPrefix(platform, "windows") {
			pack, suffix = zipped, ".zip"
		}
		if made[top+suffix], err = pack(top, files, when); err != nil {
			return fmt.Errorf("pack %s: %w", top, err)
		}
	}
	if made["mcpeval_"+version+".cdx.json"], err = bill(binaries, version); err != nil {
		return err
	}
	return publish(dist, made)
}

// commonFiles are what every archive holds beside the binary.
func commonFiles(source string) ([]file, error) {
	var files []file
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, text})
	}
	for name, text := range cli.ManPages() {
		files = append(files, file{"man/man1/" + name, 0o644, text})
	}
	for name, text := range cli.CompletionFiles() {
		files = append(files, file{"completions/" + name, 0o644, []byte(text)})
	}
	return files, nil
}

// publish writes the files and their checksums.
func publish(dist string, made map[string][]byte) error {
	var sums strings.Builder
	for _, name := range sortedNames(made) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(made[name]), name)
	}
	made["SHA256SUMS"] = []byte(sums.String())
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(dist, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
