package sanitize_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestScreen(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{"", false}, {"path", false}, {"a", false},
		// Ordinary names that begin, or hold what begins, like a credential.
		{"hf_doc_search", false}, {"hf_search_models_by_name", false}, {"npm_search", false}, {"npm_package_download_counts", false},
		{"pypi-search", false}, {"task-list", false}, {"mask-region", false}, {"risk-assessment", false}, {"disk-usage", false},
		{"ASIA", false}, {"ASIA_PACIFIC", false}, {"ASIAPACIFICREGION", false}, {"keyJson", false}, {"moneyJar", false},
		{"BasicAuth", false}, {"BearerToken", false}, {"bearer_token", false}, {"ask-question", false},
		// Ordinary long names.
		{"create_pull_request_review_comment_with_attachments", false}, {"createPullRequestReviewComment", false},
		{"getHTTPSUrlV2ForS3Bucket", false}, {"API-update-a-block-children", false}, {"internationalizationsettings", false},
		{"text-embedding-3-large", false}, {"claude-sonnet-4-20250514", false}, {"gpt-4o-mini-2024-07-18", false}, {"us-east-1", false},
		{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false}, {"sha256sum", false}, {"base64encode", false},
		{"quarterly_merger_7", false}, {"x-amz-server-side-encryption-customer-key-md5", false},
		// Credentials, at any start of a word.
		{"sk-abcdefgh", true}, {"sk-proj-aB3dE5", true}, {"sk_live_abcd", true}, {"ghp_abcd", true}, {"gho_0123", true}, {"github_pat_11AA", true},
		{"xoxb-1234", true}, {"xoxp-1234", true}, {"AKIAIOSFODNN7EXAMPLE", true}, {"ASIAIOSFODNN7EXAMPLE", true}, {"eyJhbGciOiJIUzI1NiJ9", true},
		{"AIzaSyD-1234", true}, {"glpat-abcd", true}, {"npm_aB3dE5gH7jK9mN1p", true}, {"pypi-AgEIcHlwaS5vcmcCJD", true}, {"hf_aBcDeFgHiJkLmNoPqR", true},
		{"ya29.a0Af", true}, {"-----BEGIN RSA PRIVATE KEY-----", true}, {"Bearer abcdefgh12", true}, {"whsec_abcd", true},
		{"my.ghp_abcd", true}, {"x/sk-abcdefgh", true}, {"token:AKIAIOSFODNN7EXAMPLE", true}, {"a_ghp_abcd", true},
		// Random runs and identifiers.
		{"9f86d081884c7d65", true}, {"k_9f86d081884c7d659a2feaa0c55ad015", true}, {"wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", true},
		{"550e8400-e29b-41d4-a716-446655440000", true}, {"id_550e8400-e29b-41d4-a716-446655440000", true},
		{"1234567890", true}, {"acct_4111111111111111", true}, {"123456789", false},
	}
	for _, tt := range tests {
		if got := sanitize.Screen([]byte(tt.in)); got != tt.want {
			t.Errorf("Screen(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

// TestScreenFindsRandom holds the documented rates of detection.
func TestScreenFindsRandom(t *testing.T) {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	tests := []struct {
		name, alphabet string
		length         int
		least          int // of 1000
	}{
		{"base62 of 16", letters + strings.ToUpper(letters) + digits, 16, 960},
		{"base62 of 32", letters + strings.ToUpper(letters) + digits, 32, 990},
		{"base36 of 16", letters + digits, 16, 960},
		{"hexadecimal of 16", digits + "abcdef", 16, 990},
		{"base32 of 16", strings.ToUpper(letters) + "234567", 16, 940},
		{"letters of 20", letters, 20, 820},
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range tests {
		found := 0
		for range 1000 {
			b := make([]byte, tt.length)
			for i := range b {
				b[i] = tt.alphabet[r.IntN(len(tt.alphabet))]
			}
			if sanitize.Screen(b) {
				found++
			}
		}
		if found < tt.least {
			t.Errorf("%s: found %d of 1000, want %d", tt.name, found, tt.least)
		}
	}
}

// TestScreenPassesRecordedNames looks through recordings of public servers: a
// folder of JSON lines, each with a frame in its member "line".
func TestScreenPassesRecordedNames(t *testing.T) {
	dir := os.Getenv("MCPEVAL_TEST_TRANSCRIPTS")
	if dir == "" {
		t.Skip("MCPEVAL_TEST_TRANSCRIPTS names no folder of recordings")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	names := make(map[string]bool)
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for r := bufio.NewReader(f); ; {
			line, err := r.ReadBytes('\n')
			if v, err := rawjson.Parse(line); err == nil {
				text, _ := v.Get("line")
				frame, _ := text.Text()
				if v, err := rawjson.Parse([]byte(frame)); err == nil {
					result, _ := v.Get("result")
					tools, _ := result.Get("tools")
					collectNames(tools, names)
				}
			}
			if err != nil {
				break
			}
		}
		_ = f.Close()
	}
	for name := range names {
		if sanitize.Screen([]byte(name)) {
			t.Errorf("Screen flags %q", name)
		}
	}
	t.Logf("%d names", len(names))
}

func collectNames(v rawjson.Value, names map[string]bool) {
	for key, member := range v.Members() {
		names[key.Text()] = true
		if text, ok := member.Text(); ok && key.Is("name") {
			names[text] = true
		}
		if key.Is("enum") {
			for e := range member.Elements() {
				if text, ok := e.Text(); ok {
					names[text] = true
				}
			}
		}
		collectNames(member, names)
	}
	for e := range v.Elements() {
		collectNames(e, names)
	}
}

func TestSuspicious(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 4)
	tests := []struct {
		name, in string
		want     sanitize.Reason
	}{
		{"an event", `{"schema":"mcpeval.event/v1","identity":{"capture_id":"550e8400-e29b-41d4-a716-446655440000","event_id":"019ad6f0-1111-7123-8123-123456789012"},"prev":"` + hex[:32] + `","seq":12345678901234567890,"ts":"2026-11-30T12:00:00.123Z","session":"session:` + hex + `","server":"demo","method":"resources/templates/list","tool":"api/users/list","error":{"code":-32602,"template":"{message}","template_id":"` + hex[:16] + `"},"finding":"finding-` + hex[:16] + `","definition":"` + hex[:32] + `","latency_us":98765432101}`, ""},
		{"pseudo-version", `{"version":"v0.1.1-0.20261130120000-0123456789ab"}`, ""},
		{"case named for a finding", `{"case":"finding-` + hex[:16] + `-degradation"}`, ""},
		{"digest under another key", `{"note":"` + hex[:32] + `"}`, sanitize.ReasonRandom},
		{"raw session", `{"session":"` + hex + `"}`, sanitize.ReasonRandom},
		{"e-mail", `{"note":"ask ann.b@example.co.uk about it"}`, sanitize.ReasonEmail},
		{"e-mail, escaped", `{"note":"ann\u0040example.com"}`, sanitize.ReasonEmail},
		{"no e-mail: scope", `{"note":"@modelcontextprotocol/server-everything@1.0"}`, ""},
		{"no e-mail: version", `{"note":"server@2026.7.4"}`, ""},
		{"home", `{"note":"/home/ann/x"}`, sanitize.ReasonHomePath},
		{"macOS", `{"note":"see /Users/ann"}`, sanitize.ReasonHomePath},
		{"Windows", `{"note":"C:\\Users\\ann"}`, sanitize.ReasonHomePath},
		{"Windows twice escaped", `{"note":"c:\\\\users\\\\ann"}`, sanitize.ReasonHomePath},
		{"Windows with slashes", `{"note":"C:/Users/ann"}`, sanitize.ReasonHomePath},
		{"MSYS", `{"note":"/c/Users/ann"}`, sanitize.ReasonHomePath},
		{"old Windows", `{"note":"C:\\Documents and Settings\\ann"}`, sanitize.ReasonHomePath},
		{"URL of a file", `{"note":"file:///home/ann/x"}`, sanitize.ReasonHomePath},
		{"no home: an API", `{"note":"GET api/Users/list and /api/home/x"}`, ""},
		{"no home: nobody's", `{"note":"/home/"}`, ""},
		{"token", `{"note":"use ghp_abcdefgh"}`, sanitize.ReasonCredential},
		{"bearer", `{"note":"Authorization: Bearer abcdefgh"}`, sanitize.ReasonCredential},
		{"key block", `{"note":"-----BEGIN PRIVATE KEY-----"}`, sanitize.ReasonCredential},
		{"token as key", `{"sk-abcdefgh123":1}`, sanitize.ReasonCredential},
		{"token, escaped", `{"note":"\u0067hp_abcdefgh"}`, sanitize.ReasonCredential},
		{"long number in text", `{"note":"card 4111111111111111"}`, sanitize.ReasonRandom},
		{"no JSON", `ann@example.com`, sanitize.ReasonEmail},
		{"torn", `{"note":"ann@example.com`, sanitize.ReasonEmail},
		{"torn in an escape", `{"note":"ann\`, ""},
		{"empty", ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := sanitize.Suspicious([]byte(tt.in))
			if got != tt.want || found != (tt.want != "") {
				t.Errorf("Suspicious(%s) = %q, %v; want %q", tt.in, got, found, tt.want)
			}
		})
	}
}
