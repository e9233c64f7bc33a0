package sanitize

// need says what must follow a prefix to make it a credential.
type need uint8

const (
	anything need = iota // a character of tokens
	mixed                // a digit among them, or both cases: the prefix is a word of names as well
	upper                // capitals and digits only, a digit among them
)

// credentialPrefixes are how well-known services mark their secrets. body is the
// fewest characters of [A-Za-z0-9_-] that must follow, chosen below the shortest
// real token and above the ordinary names that begin alike (hf_doc_search,
// npm_search, ASIA_PACIFIC).
var credentialPrefixes = [...]struct {
	prefix string
	body   int
	need   need
}{
	{"-----BEGIN", 0, anything},
	{"A3T", 16, upper},
	{"ABIA", 12, upper},
	{"ACCA", 12, upper},
	{"AIza", 8, anything},
	{"AKIA", 8, anything},
	{"AROA", 12, upper},
	{"ASIA", 12, upper},
	{"Basic ", 16, mixed},
	{"Bearer ", 8, anything},
	{"EAACEdEose0cBA", 0, anything},
	{"SG.", 16, mixed},
	{"basic ", 16, mixed},
	{"bearer ", 16, mixed},
	{"dckr_pat_", 4, anything},
	{"dop_v1_", 4, anything},
	{"eyJ", 8, anything},
	{"gho_", 4, anything},
	{"ghp_", 4, anything},
	{"ghr_", 4, anything},
	{"ghs_", 4, anything},
	{"ghu_", 4, anything},
	{"github_pat_", 4, anything},
	{"glpat-", 4, anything},
	{"gsk_", 16, mixed},
	{"hf_", 16, mixed},
	{"lin_api_", 16, mixed},
	{"npm_", 16, mixed},
	{"ntn_", 16, mixed},
	{"pk_live_", 4, anything},
	{"pk_test_", 4, anything},
	{"pypi-", 16, mixed},
	{"rk_live_", 4, anything},
	{"rk_test_", 4, anything},
	{"shpat_", 4, anything},
	{"shpss_", 4, anything},
	{"sk-", 8, anything},
	{"sk_live_", 4, anything},
	{"sk_test_", 4, anything},
	{"tvly-", 8, mixed},
	{"whsec_", 4, anything},
	{"xapp-", 4, anything},
	{"xoxa-", 4, anything},
	{"xoxb-", 4, anything},
	{"xoxe-", 4, anything},
	{"xoxp-", 4, anything},
	{"xoxr-", 4, anything},
	{"xoxs-", 4, anything},
	{"ya29.", 4, anything},
}

// hasCredential reports whether a credential begins at the start of b, which is
// the start of a word.
func hasCredential(b []byte) bool {
	for i := range credentialPrefixes {
		p := &credentialPrefixes[i]
		if b[0] == p.prefix[0] && len(b) >= len(p.prefix) && string(b[:len(p.prefix)]) == p.prefix &&
			isCredentialBody(b[len(p.prefix):], p.body, p.need) {
			return true
		}
	}
	return false
}

func isCredentialBody(b []byte, least int, need need) bool {
	const enough = 64 // decides; keeps the time linear
	n, digit, high, low := 0, false, false, false
	for ; n < len(b) && n < enough; n++ {
		switch c := b[n]; {
		case isDigit(c):
			digit = true
		case c >= 'A' && c <= 'Z':
			high = true
		case c >= 'a' && c <= 'z' && need != upper:
			low = true
		case (c == '_' || c == '-') && need != upper:
		default:
			return n >= least && need.met(digit, high, low)
		}
	}
	return n >= least && need.met(digit, high, low)
}

func (n need) met(digit, high, low bool) bool {
	switch n {
	case mixed:
		return digit || high && low
	case upper:
		return digit
	}
	return true
}
