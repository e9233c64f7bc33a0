package main

import (
	"github.com/invopop/jsonschema"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// The grammars of docs/format.md as regular expressions that JavaScript and RE2
// read alike.
const (
	uuidHead   = "^[0-9a-f]{8}-[0-9a-f]{4}-"
	uuidTail   = "[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
	toolName   = "^[A-Za-z0-9_.:/-]{1,128}$"
	identifier = "[A-Za-z_][A-Za-z0-9_.-]{0,63}"
	session    = "^session:[0-9a-f]{64}$"

	leapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
	date     = "(?:" + leapYear + "-02-29|[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))"
	instant  = "^" + date + "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z$"

	// At most six digits from the first to the last that is not zero.
	shortNumber = "(?:0|-?(?:[1-9](?:[0-9]{0,4}[1-9])?0*|0\\.0*[1-9](?:[0-9]{0,4}[1-9])?" +
		"|[1-9]\\.[0-9]{0,4}[1-9]|[1-9][0-9]\\.[0-9]{0,3}[1-9]|[1-9][0-9]{2}\\.[0-9]{0,2}[1-9]|[1-9][0-9]{3}\\.[0-9]?[1-9]|[1-9][0-9]{4}\\.[1-9]))"
	lengths = "(?:8|32|128|512|4096|4096\\+)"
)

func uuidOf(version string) *jsonschema.Schema { return text(uuidHead + version + uuidTail) }

func hex(digits string) *jsonschema.Schema { return text("^[0-9a-f]{" + digits + "}$") }

// names are the names of an enumeration of package journal, whose values begin at
// 1.
func names[T interface {
	~uint8
	String() string
}](last T) *jsonschema.Schema {
	var list []string
	for v := T(1); v <= last; v++ {
		list = append(list, v.String())
	}
	return enum(list...)
}

func capabilities() *jsonschema.Schema {
	s := list(enum(sanitize.CapabilityNames()...))
	s.UniqueItems = true
	return s
}

// traffic are the four counts of frames and bytes.
func traffic() []member {
	return []member{
		must("outbound_frames", atLeast(0)), must("outbound_bytes", atLeast(0)),
		must("inbound_frames", atLeast(0)), must("inbound_bytes", atLeast(0)),
	}
}

// eventBodies are the members that follow the head, by type.
func eventBodies() map[journal.Type][]member {
	label := func() *jsonschema.Schema { return text(labelPattern) }
	origin := must("origin", names(journal.FromServer))
	method := must("method", enum(sanitize.Methods()...))
	tool := may("tool", text(toolName))
	return map[journal.Type][]member{
		journal.TypeCapture: {
			must("recorder", names(journal.RecorderAnnotate)), must("version", label()), must("os", label()), must("arch", label()), must("salt_id", hex("8")),
		},
		journal.TypeHandshake: {
			must("protocol", text("^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|unlisted)$")), must("lifecycle", names(journal.Stateless)),
			must("client_capabilities", capabilities()), must("client_other", atLeast(0)),
			must("server_capabilities", capabilities()), must("server_other", atLeast(0)),
		},
		journal.TypeCall: {
			origin, method, tool, may("args", ref("shape")),
			may("latency_us", atLeast(0)), may("latency_ms", atLeast(0)), must("request_bytes", atLeast(0)), may("response_bytes", atLeast(0)),
			must("outcome", names(journal.OutcomeUnknown)), may("error", ref("error")),
			may("cancelled", yes()), may("task", yes()), may("truncated", yes()),
			may("leg_of", uuidOf("7")), may("pending", uuidOf("7")),
			may("ambiguous_keys", atLeast(1)), must("shim_self_us", atLeast(0)),
		},
		journal.TypeNotification: {origin, method},
		journal.TypeUnparsed:     {must("direction", names(journal.Inbound))},
		journal.TypeAnnotation: {
			may("target", uuidOf("7")), may("target_session", text(session)), may("target_seq", atLeast(0)),
			must("label", names(journal.Workaround)),
			must("note", &jsonschema.Schema{Type: "string", MinLength: new(uint64(1)), MaxLength: new(uint64(240)), Pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*$"}),
		},
		journal.TypeVerification: {
			must("finding", text("^finding-[0-9a-f]{16}$")), must("case", label()), must("passed", boolean()),
			may("reason", label()), must("definition", hex("32")),
		},
		journal.TypeReadiness: {
			must("standard", text(toolName)), may("total", atLeast(0)), may("protocol", atLeast(0)), may("catalog", atLeast(0)),
			may("context", atLeast(0)), may("reliability", atLeast(0)), may("error_honesty", atLeast(0)), may("coverage", atLeast(0)),
		},
		journal.TypePending: {origin, method, tool, may("args", ref("shape")), must("request_bytes", atLeast(0))},
		journal.TypeGap:     traffic(),
		journal.TypeEnd: append(append([]member{must("events", atLeast(0))}, traffic()...),
			must("stray_before", atLeast(0)), must("stray_session", atLeast(0)), must("orphans", atLeast(0)), must("duplicates", atLeast(0)),
			must("late", atLeast(0)), must("progress", atLeast(0)), must("direction", atLeast(0)),
			may("exit_code", atLeast(0)), may("signal", atLeast(1)), may("killed", yes()),
		),
	}
}

func eventSchema() (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{
		Title:       "mcpeval journal event",
		Description: "One line of a capture log.",
		Comments: "Not expressed here, since JSON Schema does not see text: the canonical form (order of members, no spaces, no escapes but \\\" and \\\\, shortest integers). " +
			"Nor: latency_ms is latency_us / 1000, capabilities are sorted, a line has at most 64 KiB, a shape at most 32 levels, 500 nodes and 32 KiB, and the second key of one bucket in an object is the one with #2.",
		Definitions: jsonschema.Definitions{"shape": shapeSchema(), "error": errorSchema()},
	}
	bodies := eventBodies()
	for ty := journal.TypeCapture; ty <= journal.TypeEnd; ty++ {
		head := []member{
			must("schema", constant(journal.Schema)),
			must("identity", object(must("capture_id", uuidOf("4")), must("event_id", uuidOf("7")))),
			must("prev", hex("32")), must("seq", atLeast(2)),
			must("ts", text(instant)), must("session", text(session)), must("server", text(labelPattern)),
			must("kind", names(journal.Synthetic)), must("type", constant(ty.String())),
		}
		if ty == journal.TypeCapture {
			head[2].schema, head[3].schema = constant("00000000000000000000000000000000"), constant(1)
		}
		one := object(append(head, bodies[ty]...)...)
		switch ty {
		case journal.TypeCall:
			one.DependentRequired = map[string][]string{"latency_us": {"latency_ms"}, "latency_ms": {"latency_us"}}
		case journal.TypeAnnotation:
			one.OneOf = []*jsonschema.Schema{{Required: []string{"target"}}, {Required: []string{"target_session", "target_seq"}}}
			one.DependentRequired = map[string][]string{"target_session": {"target_seq"}, "target_seq": {"target_session"}}
		}
		s.Definitions[ty.String()] = one
		s.OneOf = append(s.OneOf, ref(ty.String()))
	}
	return s, nil
}

func errorSchema() *jsonschema.Schema {
	s := object(
		may("code", anyOf(
			boolean(),
			&jsonschema.Schema{Type: "number", Minimum: number(-99_999_900_000), Maximum: number(999_999_000_000)},
			text("^(?:"+identifier+"|num\\+|str4096\\+)$"),
		)),
		may("layer", enum(append([]string{sanitize.LayerTransport.String(), sanitize.LayerTool.String(), sanitize.LayerProtocol.String()}, sanitize.BucketNames()...)...)),
		may("retryable", boolean()),
		may("kind", enum(sanitize.BucketNames()...)),
		may("template", constant("{message}")),
		may("template_id", hex("16")),
	)
	s.DependentRequired = map[string][]string{"template": {"template_id"}, "template_id": {"template"}}
	return s
}

// shapeSchema is the shape of a call's arguments. An object and an array cannot be
// taken for each other: only an array has a number in it.
func shapeSchema() *jsonschema.Schema {
	leaf := text("^(?:null|bool:true|bool:false|num\\+|enum:[A-Za-z0-9_+./:-]{1,64}|uuid|url|str" + lengths + "|deep)$")
	numeric := text("^num:" + shortNumber + "$")
	numeric.MaxLength = new(uint64(len("num:") + 12))
	array := func(items, count *jsonschema.Schema) *jsonschema.Schema {
		return object(must("array", count), must("items", items))
	}
	count := &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: number(999_999_999)}
	return anyOf(
		leaf, numeric,
		array(constant("empty"), constant(0)),
		array(ref("shape"), count),
		&jsonschema.Schema{
			Type:                 "object",
			PropertyNames:        text("^(?:" + identifier + "|key" + lengths + "(?:#(?:[2-9]|[1-9][0-9]+))?)$"),
			AdditionalProperties: ref("shape"),
			MaxProperties:        new(uint64(499)),
		},
	)
}
