package scaffold

import (
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/client"
)

// Why says why a tool has no cases. Its text is fixed.
type Why string

// The reasons.
const (
	OutsideTool     Why = "not in --tool"
	AnnotatedDelete Why = "annotated destructiveHint: true, so never called"
	AnnotatedWrite  Why = "annotated readOnlyHint: false, so never called"
	NotAttested     Why = "not annotated readOnlyHint: true; --confirm-read-only attests that it is read-only"
	CannotBuild     Why = "required parameters that no schema rule can build; give them in an --arguments file"
	PastTheLast     Why = "past the twentieth candidate; --tool names the ones to call"
	CallFailed      Why = "the call failed"
)

// Left is why a tool has no cases.
type Left struct {
	Why Why

	// Of a CallFailed: what came, its error code if it had one, and the source of
	// the arguments that were tried.
	Outcome Outcome
	Code    sanitize.Code
	Tried   Source
}

func (l *Left) String() string {
	if l.Why != CallFailed {
		return string(l.Why)
	}
	text := string(l.Why) + ": " + string(l.Outcome)
	if !l.Code.IsZero() {
		text += ", code " + l.Code.String()
	}
	text += "; arguments tried: " + string(l.Tried)
	if l.Tried != FromFile {
		text += "; give working ones in an --arguments file"
	}
	return text
}

// Outcome is what came of a call that did not succeed. Its text is fixed, and so
// are those of client.FaultKind, which it may be too.
type Outcome string

// The outcomes.
const (
	ToolError     Outcome = "the tool answered with an error"
	ProtocolError Outcome = "the server answered with a JSON-RPC error"
	AsksInput     Outcome = "the tool asked for input"
	NotAResult    Outcome = "the answer is no result of a tool"
)

func whyOf(d Decision) Why {
	switch d {
	case NotInTool:
		return OutsideTool
	case Destructive:
		return AnnotatedDelete
	case Writer:
		return AnnotatedWrite
	case NeedsConfirmation:
		return NotAttested
	case NeedsArguments:
		return CannotBuild
	}
	return PastTheLast
}

// judge is why a call did not succeed, nil when it did.
func judge(r *client.Response) *Left {
	l := &Left{Why: CallFailed}
	resultType, given := r.Result.Get("resultType")
	kind, _ := resultType.Text()
	switch {
	case r.Error != nil:
		l.Outcome = ProtocolError
		l.Code = codeOf([]byte(strconv.FormatInt(r.Error.Code, 10)))
	case r.Result.Kind() != rawjson.Object:
		l.Outcome = NotAResult
	case r.IsToolError():
		l.Outcome = ToolError
		content, _ := r.Result.Get("structuredContent")
		code, ok := content.Get("code")
		if !ok {
			inner, _ := content.Get("error")
			code, ok = inner.Get("code")
		}
		if ok {
			l.Code = sanitize.CodeOf(code)
		}
	case r.InputRequired():
		l.Outcome = AsksInput
	case given && kind != "complete":
		l.Outcome = NotAResult
	default:
		return nil
	}
	return l
}

func codeOf(raw []byte) sanitize.Code {
	v, err := rawjson.Parse(raw)
	if err != nil {
		return sanitize.Code{}
	}
	return sanitize.CodeOf(v)
}
