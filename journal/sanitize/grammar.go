package sanitize

// Parse functions implement the decode grammar of event version 1. It is purely
// syntactic and frozen: a better screen never makes an old line unreadable.

// ParseLabel accepts 1-128 of [A-Za-z0-9_.:-].
func ParseLabel(b []byte) (Label, bool) {
	if !all(b, 1, 128, clsLabel) {
		return Label{}, false
	}
	return Label{string(b)}, true
}

// ParseStandard accepts a label that may also hold '/'.
func ParseStandard(b []byte) (Label, bool) {
	if !all(b, 1, 128, clsLabel|clsSlash) {
		return Label{}, false
	}
	return Label{string(b)}, true
}

// ParseSession accepts "session:" and 64 lower-case hex digits.
func ParseSession(b []byte) (Session, bool) {
	if len(b) != 72 || string(b[:8]) != "session:" || !all(b[8:], 64, 64, clsHex) {
		return Session{}, false
	}
	return Session{string(b)}, true
}

// ParseMethod accepts a method of the specification or "unlisted".
func ParseMethod(b []byte) (Method, bool) {
	if m, ok := methods[string(b)]; ok {
		return m, true
	}
	return Method{}, false
}

// ParseTool accepts 1-128 of [A-Za-z0-9_.:/-].
func ParseTool(b []byte) (Tool, bool) {
	if !all(b, 1, 128, clsLabel|clsSlash) {
		return Tool{}, false
	}
	return Tool{string(b)}, true
}

// ParseTemplateID accepts 16 lower-case hex digits.
func ParseTemplateID(b []byte) (TemplateID, bool) {
	if !all(b, 16, 16, clsHex) {
		return TemplateID{}, false
	}
	return TemplateID{string(b)}, true
}

// ParseSaltID accepts 8 lower-case hex digits.
func ParseSaltID(b []byte) (SaltID, bool) {
	if !all(b, 8, 8, clsHex) {
		return SaltID{}, false
	}
	return SaltID{string(b)}, true
}

// ParseDigest accepts 32 lower-case hex digits.
func ParseDigest(b []byte) (Digest, bool) {
	if !all(b, 32, 32, clsHex) {
		return Digest{}, false
	}
	return Digest{string(b)}, true
}

// ParseFindingID accepts "finding-" and 16 lower-case hex digits.
func ParseFindingID(b []byte) (FindingID, bool) {
	if len(b) != 24 || string(b[:8]) != "finding-" || !all(b[8:], 16, 16, clsHex) {
		return FindingID{}, false
	}
	return FindingID{string(b)}, true
}

// ParseRevision accepts a date or "unlisted".
func ParseRevision(b []byte) (Revision, bool) {
	if string(b) == unlisted || isDate(b) {
		return Revision{string(b)}, true
	}
	return Revision{}, false
}

func isDate(b []byte) bool {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return false
	}
	for i, c := range b {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

const unlisted = "unlisted"

// Classes of bytes.
const (
	clsLabel uint8 = 1 << iota // [A-Za-z0-9_.:-]
	clsSlash                   // /
	clsHex                     // [0-9a-f]
	clsName                    // [A-Za-z0-9_.-]
	clsPlus                    // +
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= '0' && b <= '9':
			t[c] = clsLabel | clsHex | clsName
		case b >= 'a' && b <= 'f':
			t[c] = clsLabel | clsHex | clsName
		case b >= 'g' && b <= 'z', b >= 'A' && b <= 'Z', b == '_', b == '.', b == '-':
			t[c] = clsLabel | clsName
		case b == ':':
			t[c] = clsLabel
		case b == '/':
			t[c] = clsSlash
		case b == '+':
			t[c] = clsPlus
		}
	}
	return t
}()

func all(b []byte, lo, hi int, cls uint8) bool {
	if len(b) < lo || len(b) > hi {
		return false
	}
	for _, c := range b {
		if class[c]&cls == 0 {
			return false
		}
	}
	return true
}
