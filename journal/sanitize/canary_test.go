package sanitize_test

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// canaries are three kinds of secrets. Only a credential is recognized by its
// looks; the others must be kept out by where they stand.
type canaries struct{ credential, word, key string }

func drawCanaries(t *rapid.T) canaries {
	random := func(alphabet string, n int) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte(alphabet)), n, n).Draw(t, "random"))
	}
	const letters, digits = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "0123456789"
	credential := rapid.SampledFrom([]string{
		"sk-" + random(letters+digits, 24), "ghp_" + random(letters+digits, 36), "xoxb-" + random(digits, 12),
		"AKIA" + random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "eyJ" + random(letters, 20), "glpat-" + random(letters+digits, 20),
		hex.EncodeToString([]byte(random(letters+digits, 16))),
	}).Draw(t, "credential")
	return canaries{
		credential: credential,
		word:       "quarterly_merger_" + random(digits, 3),
		key:        "acquisitionTarget" + random("ABCDEFGH", 2),
	}
}

// argument draws a JSON value with canaries as values, keys, and parts of both.
func (c canaries) argument(t *rapid.T, depth int) string {
	texts := []string{c.credential, c.word, c.key, "x " + c.credential + " y", c.word + "!", "https://" + c.word + ".example/" + c.key, "read", "plain"}
	text := func() string {
		s := rapid.SampledFrom(texts).Draw(t, "text")
		if rapid.Bool().Draw(t, "escaped") {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
			return `"` + b.String() + `"`
		}
		return strconv.Quote(s)
	}
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 && kind > 3 {
		kind = 0
	}
	switch kind {
	case 4:
		return "[" + c.argument(t, depth-1) + "," + c.argument(t, depth-1) + "]"
	case 5:
		return c.object(t, depth-1, text)
	case 3:
		return rapid.SampledFrom([]string{"null", "true", "3", "1.5e3", "4111111111111111"}).Draw(t, "literal")
	}
	return text()
}

func (c canaries) object(t *rapid.T, depth int, text func() string) string {
	members := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		key := text()
		if rapid.IntRange(0, 2).Draw(t, "declared") == 0 {
			key = strconv.Quote(rapid.SampledFrom([]string{"path", "mode", "opts", "list", "env", "tree", "free", "array", "items"}).Draw(t, "key"))
		}
		return key + ":" + c.argument(t, depth)
	}), 0, 4).Draw(t, "members")
	return "{" + strings.Join(members, ",") + "}"
}

func (c canaries) in(s string) bool {
	return strings.Contains(s, c.credential) || strings.Contains(s, c.word) || strings.Contains(s, c.key)
}

func TestCanariesDoNotSurvive(t *testing.T) {
	schema := sanitize.CompileSchema(parse(t, richSchema))
	rapid.Check(t, func(t *rapid.T) {
		c := drawCanaries(t)
		text := c.argument(t, 4)
		v := parse(t, text)

		known := sanitize.ShapeOf(v, schema).String()
		if c.in(known) {
			t.Fatalf("a canary shows through a schema: %s", known)
		}
		unknown := sanitize.ShapeOf(v, nil).String()
		if strings.Contains(unknown, c.credential) {
			t.Fatalf("a credential shows without a schema: %s", unknown)
		}
		// Word-like names show only as keys of the topmost object.
		top := parse(t, unknown)
		for _, member := range top.Members() {
			if c.in(string(member.Raw())) {
				t.Fatalf("a canary shows below the top: %s", unknown)
			}
		}
		if top.Kind() != rawjson.Object && c.in(unknown) {
			t.Fatalf("a canary shows outside an object: %s", unknown)
		}
		for _, shape := range []string{known, unknown} {
			if _, ok := sanitize.ParseShape([]byte(shape)); !ok {
				t.Fatalf("outside the grammar: %s", shape)
			}
			if reason, found := sanitize.Suspicious([]byte(`{"args":` + shape + `}`)); found {
				t.Fatalf("%s: %s", reason, shape)
			}
			if again := sanitize.ShapeFromLegacy(parse(t, shape)).String(); again != shape {
				t.Fatalf("reading %s as stored gives %s", shape, again)
			}
		}
		if sanitize.ShapeOf(v, schema).String() != known || sanitize.ShapeOf(v, nil).String() != unknown {
			t.Fatal("the shape of one value differs")
		}

		s := sanitize.New(sanitize.Salt{9})
		for _, secret := range []string{c.credential, c.word, c.key} {
			raw, quoted := []byte(secret), parse(t, strconv.Quote(secret))
			set, _ := sanitize.CapabilitiesOf(parse(t, `{`+strconv.Quote(secret)+`:{}}`))
			tokens := []string{
				sanitize.MethodOf(raw).String(), sanitize.RevisionOf(raw).String(), sanitize.SessionOf(secret).String(),
				sanitize.LayerOf(quoted).String(), sanitize.BucketOf(quoted).String(), strings.Join(set.Names(), " "),
				sanitize.LayerFromLegacy(quoted).String(), sanitize.BucketFromLegacy(quoted).String(),
				sanitize.ShapeOf(quoted, nil).String(), sanitize.ShapeFromLegacy(quoted).String(),
				s.TemplateID(raw).String(), s.Digest("note", raw).String(), s.SaltID().String(),
				sanitize.CodeOf(parse(t, strconv.Quote("failed: "+secret))).String(),
				sanitize.ToolOf([]byte("tool "+secret), true).String(),
			}
			if c.in(strings.Join(tokens, "\n")) {
				t.Fatalf("a canary shows in a token: %q", tokens)
			}
			_, err := sanitize.NewLabel("label " + secret)
			_, noteErr := sanitize.NewNote(secret + "\n")
			if err == nil || noteErr == nil || c.in(err.Error()) || c.in(noteErr.Error()) {
				t.Fatal("an error quotes its input")
			}
		}
		// The positions that keep names keep no credential.
		for _, got := range []string{
			sanitize.ToolOf([]byte(c.credential), false).String(), sanitize.ToolOf([]byte(c.credential), true).String(),
			sanitize.CodeOf(parse(t, strconv.Quote(c.credential))).String(), sanitize.CodeFromLegacy(parse(t, strconv.Quote(c.credential))).String(),
			sanitize.ShapeFromLegacy(v).String(),
		} {
			if strings.Contains(got, c.credential) {
				t.Fatalf("a credential shows: %s", got)
			}
		}
		declared := sanitize.CompileSchema(parse(t, fmt.Sprintf(`{"properties":{%q:{},"p":{"enum":[%q]}}}`, c.credential, c.credential)))
		if got := sanitize.ShapeOf(parse(t, fmt.Sprintf(`{%q:1,"p":%q}`, c.credential, c.credential)), declared).String(); strings.Contains(got, c.credential) {
			t.Fatalf("a declared credential shows: %s", got)
		}
		if _, found := sanitize.Suspicious([]byte(`{"note":` + strconv.Quote("see "+c.credential) + `}`)); !found {
			t.Fatal("a stored credential is no finding")
		}
	})
}

// TestStoredShapesStay draws shapes of the grammar and reads them as stored.
func TestStoredShapesStay(t *testing.T) {
	leaf := rapid.SampledFrom([]string{"null", "bool:true", "num:1.5", "num+", "enum:a/b", "uuid", "url", "str8", "str4096+", "deep"})
	var draw func(t *rapid.T, depth int) string
	draw = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		switch {
		case depth == 0 || kind < 2:
			return strconv.Quote(leaf.Draw(t, "leaf"))
		case kind == 2:
			n := rapid.IntRange(0, 1200).Draw(t, "n")
			if n == 0 {
				return `{"array":0,"items":"empty"}`
			}
			return fmt.Sprintf(`{"array":%d,"items":%s}`, n, draw(t, depth-1))
		}
		keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_][a-z0-9_.-]{0,9}`), 0, 5, rapid.ID).Draw(t, "keys")
		var members []string
		for i, k := range keys {
			if strings.HasPrefix(k, "key") {
				continue
			}
			if i == 2 {
				members = append(members, `"key32":"null"`, `"key32#2":"null"`)
			}
			members = append(members, strconv.Quote(k)+":"+draw(t, depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	rapid.Check(t, func(t *rapid.T) {
		shape := draw(t, 5)
		if got, ok := sanitize.ParseShape([]byte(shape)); !ok || got.String() != shape {
			t.Fatalf("ParseShape refuses %s", shape)
		}
		if got := sanitize.ShapeFromLegacy(parse(t, shape)).String(); got != shape {
			t.Fatalf("%s became %s", shape, got)
		}
	})
}
