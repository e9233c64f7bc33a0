package demo

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"
)

func otherTools() []tool {
	one, minute := 1, 60_000
	return []tool{{
		name:        "count_characters",
		title:       "Count characters",
		description: "Count the characters and the bytes of a text, which may be as long as the transport allows.",
		input: takes([]string{"text"}, fields{
			"text": {Type: "string", Description: "The text to count."},
		}),
		output: takes([]string{"characters", "bytes"}, fields{
			"characters": {Type: "integer", Description: "How many characters the text has."},
			"bytes":      {Type: "integer", Description: "How many bytes it takes in UTF-8."},
		}),
		run: plain(func(args object) outcome {
			text, _ := args["text"].(string)
			return ok(object{"characters": utf8.RuneCountInString(text), "bytes": len(text)})
		}),
	}, {
		name:        "wait_for_tide",
		title:       "Wait for the tide",
		description: "Wait for a number of milliseconds and tell that the tide is in. The call can be cancelled and reports its progress.",
		input: takes([]string{"milliseconds"}, fields{
			"milliseconds": {Type: "integer", Description: "How long to wait; 2000 is long enough to cancel by hand.", Minimum: &one, Maximum: &minute, Default: 10},
		}),
		output: takes([]string{"tide"}, fields{
			"tide": {Type: "string", Description: "Always high.", Enum: []string{"high"}},
		}),
		slow: waitForTide,
	}}
}

// waitForTide reports its progress at half time to those who ask for it.
func waitForTide(ctx context.Context, x *exchange, c *toolCall) outcome {
	number, _ := c.args["milliseconds"].(json.Number)
	ms, err := number.Float64()
	if err != nil {
		return failure("milliseconds is out of range")
	}
	half := time.Duration(ms) * time.Millisecond / 2
	if !x.server.wait(ctx, half) {
		return outcome{cancel: true}
	}
	if token := child(x.request.params, "_meta")["progressToken"]; token != nil {
		x.send(line(notification("notifications/progress", object{"progressToken": token, "progress": 1, "total": 2})))
	}
	if !x.server.wait(ctx, half) {
		return outcome{cancel: true}
	}
	return ok(object{"tide": "high"})
}
