// Package journaltest draws journal events for the property tests of the
// packages that write, read and describe them. Only tests import it.
package journaltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// Must makes a value by one of sanitize's grammars. It panics for a text outside
// it: that is a mistake in a test.
func Must[T any](grammar func([]byte) (T, bool), s string) T {
	v, ok := grammar([]byte(s))
	if !ok {
		panic("test value outside the grammar: " + s)
	}
	return v
}

func genUUID(version byte) *rapid.Generator[uuid.UUID] {
	return rapid.Custom(func(t *rapid.T) uuid.UUID {
		var id uuid.UUID
		copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))
		id[6] = id[6]&0x0f | version<<4
		id[8] = id[8]&0x3f | 0x80
		return id
	})
}

func genHex[T any](grammar func([]byte) (T, bool), prefix string, n int) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		return Must(grammar, prefix+rapid.StringMatching(fmt.Sprintf("[0-9a-f]{%d}", n)).Draw(t, "hex"))
	})
}

var (
	genLabel = rapid.Map(rapid.StringMatching(`[A-Za-z0-9_.:-]{1,128}`), func(s string) sanitize.Label { return Must(sanitize.ParseLabel, s) })
	genCount = rapid.Int64Range(0, 1<<62)
	genOpt   = rapid.Int64Range(-1, 1<<40)
	genMeth  = rapid.Map(rapid.SampledFrom(sanitize.Methods()), func(s string) sanitize.Method { return Must(sanitize.ParseMethod, s) })
	genTool  = rapid.Map(rapid.StringMatching(`([A-Za-z0-9_.:/-]{1,128})?`), func(s string) sanitize.Tool {
		if s == "" {
			return sanitize.Tool{}
		}
		return Must(sanitize.ParseTool, s)
	})
	genShape = rapid.Map(genShapeText, func(s string) sanitize.Shape {
		if s == "" {
			return sanitize.Shape{}
		}
		return Must(sanitize.ParseShape, s)
	})
	genOrigin = rapid.SampledFrom([]journal.Origin{journal.FromClient, journal.FromServer})
)

func genTraffic(t *rapid.T) journal.Traffic {
	return journal.Traffic{Frames: genCount.Draw(t, "frames"), Bytes: genCount.Draw(t, "bytes")}
}

func genCaps(t *rapid.T) (c sanitize.Capabilities) {
	for _, n := range sanitize.CapabilityNames() {
		if rapid.Bool().Draw(t, n) && !c.AddName([]byte(n)) {
			panic("capability names are not sorted")
		}
	}
	return c
}

func genError(t *rapid.T) *journal.CallError {
	if rapid.Bool().Draw(t, "no error") {
		return nil
	}
	e := &journal.CallError{Retryable: rapid.SampledFrom([]journal.Tri{journal.Absent, journal.False, journal.True}).Draw(t, "retryable")}
	if s := rapid.OneOf(rapid.SampledFrom([]string{"", "-32601", `"tool-error"`, "true", `"http-502"`, `"num+"`, `"str4096+"`}), genNumber).Draw(t, "code"); s != "" {
		e.Code = Must(sanitize.ParseCode, s)
	}
	if s := rapid.SampledFrom(append([]string{"", "transport", "tool", "protocol"}, sanitize.BucketNames()...)).Draw(t, "layer"); s != "" {
		e.Layer = Must(sanitize.ParseLayer, s)
	}
	if s := rapid.SampledFrom(append([]string{""}, sanitize.BucketNames()...)).Draw(t, "kind"); s != "" {
		e.Kind = Must(sanitize.ParseBucket, s)
	}
	if rapid.Bool().Draw(t, "template") {
		e.TemplateID = genHex(sanitize.ParseTemplateID, "", 16).Draw(t, "template id")
	}
	return e
}

func optUUID(t *rapid.T, name string) uuid.UUID {
	if rapid.Bool().Draw(t, "no "+name) {
		return uuid.Nil
	}
	return genUUID(7).Draw(t, name)
}

// Body draws a body of every type but capture, which only seq 1 may have.
var Body = rapid.Custom(func(t *rapid.T) journal.Body {
	switch rapid.IntRange(0, 9).Draw(t, "type") {
	case 0:
		return &journal.Handshake{
			Protocol: Must(sanitize.ParseRevision, rapid.SampledFrom([]string{"2025-11-25", "unlisted"}).Draw(t, "protocol")), Lifecycle: rapid.SampledFrom([]journal.Lifecycle{journal.Stateful, journal.Stateless}).Draw(t, "lifecycle"),
			ClientCaps: genCaps(t), ClientCapsOthers: genCount.Draw(t, "others"), ServerCaps: genCaps(t), ServerCapsOthers: genCount.Draw(t, "others"),
		}
	case 1:
		return &journal.Notification{Origin: genOrigin.Draw(t, "origin"), Method: genMeth.Draw(t, "method")}
	case 2:
		return &journal.Unparsed{Direction: rapid.SampledFrom([]journal.Direction{journal.Outbound, journal.Inbound}).Draw(t, "direction")}
	case 3:
		a := &journal.Annotation{
			Target: optUUID(t, "target"), Label: journal.AnnotationKind(rapid.IntRange(1, 5).Draw(t, "label")),
			Note: Must(sanitize.ParseNote, rapid.StringMatching(`[a-zé<>&"\\ \x{2028}]{1,200}`).Draw(t, "note")),
		}
		if a.Target == uuid.Nil {
			a.LegacySess, a.LegacySeq = genHex(sanitize.ParseSession, "session:", 64).Draw(t, "session"), genCount.Draw(t, "seq")
		}
		return a
	case 4:
		v := &journal.Verification{Finding: genHex(sanitize.ParseFindingID, "finding-", 16).Draw(t, "finding"), Case: genLabel.Draw(t, "case"), Passed: rapid.Bool().Draw(t, "passed"), Definition: genHex(sanitize.ParseDigest, "", 32).Draw(t, "definition")}
		if !v.Passed {
			v.Reason = genLabel.Draw(t, "reason")
		}
		return v
	case 5:
		return &journal.Readiness{Standard: Must(sanitize.ParseStandard, "mcpeval-standard/3"), Total: genOpt.Draw(t, "total"), Protocol: genOpt.Draw(t, "a"), Catalog: genOpt.Draw(t, "b"), Context: genOpt.Draw(t, "c"), Reliability: genOpt.Draw(t, "d"), ErrorHonesty: genOpt.Draw(t, "e"), Coverage: genOpt.Draw(t, "f")}
	case 6:
		return &journal.Pending{Origin: genOrigin.Draw(t, "origin"), Method: genMeth.Draw(t, "method"), Tool: genTool.Draw(t, "tool"), Args: genShape.Draw(t, "args"), RequestBytes: genCount.Draw(t, "bytes")}
	case 7:
		return &journal.Gap{Outbound: genTraffic(t), Inbound: genTraffic(t)}
	case 8:
		return &journal.End{Events: genCount.Draw(t, "events"), Outbound: genTraffic(t), Inbound: genTraffic(t), StrayBefore: genCount.Draw(t, "a"), StraySession: genCount.Draw(t, "b"), Orphans: genCount.Draw(t, "c"), Duplicates: genCount.Draw(t, "d"), Late: genCount.Draw(t, "e"), Progress: genCount.Draw(t, "f"), Direction: genCount.Draw(t, "g"), ExitCode: genOpt.Draw(t, "exit"), Signal: genCount.Draw(t, "signal"), Killed: rapid.Bool().Draw(t, "killed")}
	}
	return &journal.Call{
		Origin: genOrigin.Draw(t, "origin"), Method: genMeth.Draw(t, "method"), Tool: genTool.Draw(t, "tool"), Args: genShape.Draw(t, "args"),
		LatencyUS: genOpt.Draw(t, "latency"), RequestBytes: genCount.Draw(t, "request"), ResponseBytes: genOpt.Draw(t, "response"),
		Outcome: journal.Outcome(rapid.IntRange(1, 6).Draw(t, "outcome")), Error: genError(t), Cancelled: rapid.Bool().Draw(t, "cancelled"), Task: rapid.Bool().Draw(t, "task"), Truncated: rapid.Bool().Draw(t, "truncated"),
		LegOf: optUUID(t, "leg"), Pending: optUUID(t, "pending"), AmbiguousKeys: genCount.Draw(t, "ambiguous"), ShimSelfUS: genCount.Draw(t, "self"),
	}
})

// Event draws events of every type, each with its fields anywhere in their ranges.
var Event = rapid.Custom(func(t *rapid.T) journal.Event {
	ev := journal.Event{
		Capture: genUUID(4).Draw(t, "capture"), ID: genUUID(7).Draw(t, "id"), Seq: rapid.Int64Range(1, 1<<62).Draw(t, "seq"),
		TS:      time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "ms")).UTC(),
		Session: genHex(sanitize.ParseSession, "session:", 64).Draw(t, "session"), Server: genLabel.Draw(t, "server"),
		Kind: rapid.SampledFrom([]journal.Kind{journal.Real, journal.Synthetic}).Draw(t, "kind"),
	}
	if ev.Seq == 1 {
		ev.Body = &journal.CaptureStart{Recorder: journal.RecorderKind(rapid.IntRange(1, 6).Draw(t, "recorder")), Version: genLabel.Draw(t, "version"), OS: genLabel.Draw(t, "os"), Arch: genLabel.Draw(t, "arch"), SaltID: genHex(sanitize.ParseSaltID, "", 8).Draw(t, "salt")}
		return ev
	}
	copy(ev.Prev[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "prev"))
	ev.Body = Body.Draw(t, "body")
	return ev
})

// genNumber draws numbers in the canonical form that is kept.
var genNumber = rapid.Custom(func(t *rapid.T) string {
	s := rapid.StringMatching(`-?(0|[1-9][0-9]{0,11})(\.[0-9]{0,6}[1-9])?`).Filter(func(s string) bool {
		_, ok := sanitize.ParseCode([]byte(s))
		return ok
	}).Draw(t, "number")
	return s
})

// genShapeText draws the text of a shape, or "".
var genShapeText = rapid.Custom(func(t *rapid.T) string {
	if rapid.IntRange(0, 3).Draw(t, "none") == 0 {
		return ""
	}
	return drawShape(t, 0)
})

func drawShape(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth > 4 {
		kind = min(kind, 3)
	}
	switch kind {
	case 0:
		return `"num:` + genNumber.Draw(t, "n") + `"`
	case 1:
		return `"enum:` + rapid.StringMatching(`[A-Za-z0-9_+./:-]{1,64}`).Draw(t, "member") + `"`
	case 2, 3:
		return `"` + rapid.SampledFrom([]string{"null", "bool:true", "bool:false", "num+", "uuid", "url", "deep", "str8", "str32", "str128", "str512", "str4096", "str4096+"}).Draw(t, "leaf") + `"`
	case 4:
		n := rapid.IntRange(0, 999_999_999).Draw(t, "length")
		if n == 0 {
			return `{"array":0,"items":"empty"}`
		}
		return fmt.Sprintf(`{"array":%d,"items":%s}`, n, drawShape(t, depth+1))
	}
	var members []string
	buckets := map[string]int{}
	names := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		key := rapid.OneOf(rapid.SampledFrom([]string{"key8", "key32", "key128", "key512", "key4096", "key4096+"}), rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_.-]{0,63}`)).Draw(t, "key")
		if names[key] && buckets[key] == 0 {
			continue
		}
		names[key] = true
		if strings.HasPrefix(key, "key") && strings.Trim(key[3:], "0123456789+") == "" {
			if buckets[key]++; buckets[key] > 1 {
				key = fmt.Sprintf("%s#%d", key, buckets[key])
			}
		}
		members = append(members, `"`+key+`":`+drawShape(t, depth+1))
	}
	return "{" + strings.Join(members, ",") + "}"
}
