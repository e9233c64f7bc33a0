package demo

import (
	"context"
	"encoding/json"
)

// How many days plan_trip takes.
const (
	usualDays = 3
	mostDays  = 14
)

func askTools() []tool {
	return []tool{{
		name:        "summarize_note",
		title:       "Summarize a note",
		description: "Summarize one note in a sentence with the client's model, or by its title when the client has none to offer.",
		input:       takes([]string{"id"}, fields{"id": noteID()}),
		output: takes([]string{"summary", "sampled"}, fields{
			"summary": {Type: "string", Description: "The summary of the note."},
			"sampled": {Type: "boolean", Description: "Whether the client's model wrote it."},
		}),
		slow: summarizeNote,
	}, {
		name:        "plan_trip",
		title:       "Plan a trip",
		description: "Plan a trip to a city. Asks the user how long it takes when the client can ask, else it takes three days.",
		input:       takes([]string{"city"}, fields{"city": citySchema()}),
		output: takes([]string{"city", "days", "answer"}, fields{
			"city":   {Type: "string", Description: "The city to go to."},
			"days":   {Type: "integer", Description: "How many days the trip takes."},
			"answer": {Type: "string", Description: "What the user did.", Enum: []string{"accept", "decline", "cancel", "not-asked"}},
		}),
		slow: planTrip,
	}}
}

func summarizeNote(ctx context.Context, x *exchange, c *toolCall) outcome {
	n := findNote(c.args["id"])
	if n == nil {
		return getNote(c.args)
	}
	answer, o := x.ask(ctx, c, &asking{
		method: "sampling/createMessage", capability: "sampling", usable: func(m members) bool { return m["content"] != nil },
		params: object{
			"messages":     []object{{"role": "user", "content": object{"type": "text", "text": "Summarize in one sentence: " + n.text}}},
			"systemPrompt": "You summarize notes.",
			"maxTokens":    100,
		},
	})
	if o != nil {
		return *o
	}
	summary := text(child(answer, "content"), "text")
	if summary == "" {
		return ok(object{"summary": n.title, "sampled": false})
	}
	return ok(object{"summary": summary, "sampled": true})
}

func planTrip(ctx context.Context, x *exchange, c *toolCall) outcome {
	answer, o := x.ask(ctx, c, &asking{
		method: "elicitation/create", capability: "elicitation", usable: answersForm,
		params: object{
			"message": "How many days shall the trip take?",
			"requestedSchema": object{
				"type": "object",
				"properties": object{
					"days":   object{"type": "integer", "title": "Days", "description": "How many days the trip takes.", "minimum": 1, "maximum": mostDays},
					"season": object{"type": "string", "title": "Season", "enum": []string{"summer", "winter"}},
				},
				"required": []string{"days"},
			},
		},
	})
	if o != nil {
		return *o
	}
	action, days := text(answer, "action"), usualDays
	switch action {
	case "":
		action = "not-asked"
	case "accept":
		var n int
		if json.Unmarshal(child(answer, "content")["days"], &n) == nil && n >= 1 && n <= mostDays {
			days = n
		}
	}
	return ok(object{"city": c.args["city"], "days": days, "answer": action})
}

func answersForm(answer members) bool {
	switch text(answer, "action") {
	case "accept", "decline", "cancel":
		return true
	}
	return false
}
