package sanitize

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Reason says what a detector saw, never the text it saw.
type Reason string

// The reasons.
const (
	ReasonCredential Reason = "looks like a credential"
	ReasonEmail      Reason = "looks like an e-mail address"
	ReasonHomePath   Reason = "looks like a path in a home directory"
	ReasonRandom     Reason = "holds a long random run"
)

// Suspicious looks through one stored line for what the grammar leaves open or an
// earlier format let through, and gives the first reason found. The identities
// and digests of the format itself are no findings. The line need not be JSON:
// outside strings, everything but random runs is looked for as well.
func Suspicious(line []byte) (reason Reason, found bool) {
	var before, scratch []byte // before is the previous string, which may be the key of the next
	for len(line) > 0 {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			quote = len(line)
		}
		if reason, found := detect(line[:quote]); found {
			return reason, true
		}
		if line = line[quote:]; len(line) == 0 {
			break
		}
		end := stringEnd(line)
		text := line[1:end]
		if bytes.IndexByte(text, '\\') >= 0 {
			scratch = rawjson.Trusted(line[:min(end+1, len(line))]).AppendText(scratch[:0])
			text = scratch
		}
		if reason, found := detect(text); found {
			return reason, true
		}
		if !isOwnValue(before, text) && hasRandom(text) {
			return ReasonRandom, true
		}
		before = line[1:end]
		line = line[min(end+1, len(line)):]
	}
	return "", false
}

// stringEnd is the index of the quote that ends the string at the start of b, or
// len(b).
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b)
}

// isOwnValue recognizes the values of the format that are random or digests: by
// their form, and by their key where the form says too little.
func isOwnValue(key, text []byte) bool {
	switch string(key) {
	case "prev", "definition":
		return all(text, 32, 32, clsHex)
	case "template_id":
		return all(text, 16, 16, clsHex)
	case "version":
		return all(text, 1, 128, clsLabel) // a pseudo-version holds a time and a commit
	}
	return false
}

// hasRandom looks for random runs that are not the format's own UUIDs, session
// tokens and finding IDs.
func hasRandom(text []byte) bool {
	for i := 0; i < len(text); {
		if !isAlnum(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && isAlnum(text[end]) {
			end++
		}
		switch run := text[i:end]; {
		case len(text)-i >= 36 && isUUID(text[i:i+36]) && (len(text)-i == 36 || !isAlnum(text[i+36])):
			end = i + 36
		case bytes.HasSuffix(text[:i], []byte(sessionPrefix)) && all(run, 64, 64, clsHex):
		case bytes.HasSuffix(text[:i], []byte(findingPrefix)) && all(run, 16, 16, clsHex):
		case isRandom(run):
			return true
		}
		i = end
	}
	return false
}

const findingPrefix = "finding-"

// detect looks for everything but random runs.
func detect(text []byte) (Reason, bool) {
	for i := range text {
		switch c := text[i]; {
		case c == '@':
			if isEmailAt(text, i) {
				return ReasonEmail, true
			}
		case c == '/' || c == '\\':
			if isHomeAt(text, i) {
				return ReasonHomePath, true
			}
		}
		if (i == 0 || !isAlnum(text[i-1])) && hasCredential(text[i:]) {
			return ReasonCredential, true
		}
	}
	return "", false
}

// isEmailAt reports whether the '@' at i joins a name and a domain with a dot.
func isEmailAt(text []byte, i int) bool {
	if i == 0 || !isAlnum(text[i-1]) && text[i-1] != '_' && text[i-1] < utf8.RuneSelf {
		return false
	}
	const longest = 255 // of a domain name; keeps the time linear
	domain := text[i+1 : min(len(text), i+1+longest)]
	dot := -1
	for n, c := range domain {
		switch {
		case c == '.' && n > 0 && domain[n-1] != '.':
			dot = n
		case dot >= 0 && n >= dot+2 && isLetter(c) && isLetter(domain[n-1]):
			return true
		case !isAlnum(c) && c != '-':
			return false
		}
	}
	return false
}

// isHomeAt reports whether a path into a user's folder begins at the separator at
// i: /home/ann, /Users/ann, /root/x, or C:\Users\ann and its kin, in any case and
// with any number of separators. A path that only goes through a folder of such
// a name (api/users/list) is none.
func isHomeAt(text []byte, i int) bool {
	windows := text[i] == '\\' || i > 0 && text[i-1] == ':' ||
		i > 1 && isLetter(text[i-1]) && isSeparator(text[i-2]) // /c/Users
	if !windows && i > 0 && isAlnum(text[i-1]) {
		return false
	}
	for _, root := range [...]string{"home", "Users", "root", "Documents and Settings"} {
		rest := trimSeparators(text[i:])
		if len(rest) <= len(root) || !isSeparator(rest[len(root)]) {
			continue
		}
		if name := string(rest[:len(root)]); name != root && !(windows && strings.EqualFold(name, root)) {
			continue
		}
		rest = trimSeparators(rest[len(root):])
		if len(rest) > 0 && (isAlnum(rest[0]) || rest[0] == '_' || rest[0] == '.' || rest[0] >= utf8.RuneSelf) {
			return true
		}
	}
	return false
}

// trimSeparators cuts a few separators: JSON that was escaped twice has four.
func trimSeparators(b []byte) []byte {
	for n := 0; n < 8 && len(b) > 0 && isSeparator(b[0]); n++ {
		b = b[1:]
	}
	return b
}

func isSeparator(c byte) bool { return c == '/' || c == '\\' }
