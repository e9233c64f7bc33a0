package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// note is one of the notes that search_notes and get_note read.
type note struct{ id, title, text string }

func notes() []note {
	return []note{
		{"note-1", "Packing list", "Coat, umbrella, two books."},
		{"note-2", "Questions for the guide", "Which museum is closed on Monday?"},
		{"note-3", "Train times", "09:12 and 13:12, platform 4."},
	}
}

func findNote(id any) *note {
	for _, n := range notes() {
		if n.id == id {
			return &n
		}
	}
	return nil
}

func noteID() *schema {
	return &schema{Type: "string", Description: "The ID of the note.", MinLength: 1, Examples: []any{"note-1"}}
}

func noteTools() []tool {
	one, ten := 1, 10
	return []tool{{
		name:        "search_notes",
		title:       "Search notes",
		description: "Find notes whose title or text contains a word, whatever its case. Returns IDs and titles; read a note with get_note.",
		input: takes([]string{"query"}, fields{
			"query": {Type: "string", Description: "The word to look for.", MinLength: 1},
			"limit": {Type: "integer", Description: "The most notes to return; 10 when absent.", Minimum: &one, Maximum: &ten},
		}),
		output: takes([]string{"notes"}, fields{
			"notes": {Type: "array", Description: "The notes found, oldest first.", Items: takes([]string{"id", "title"}, fields{
				"id":    {Type: "string", Description: "The ID that get_note takes."},
				"title": {Type: "string", Description: "The title of the note."},
			})},
		}),
		run: plain(searchNotes),
	}, {
		name:        "get_note",
		title:       "Read a note",
		description: "Read one note by the ID that search_notes returned for it, such as note-1.",
		input:       takes([]string{"id"}, fields{"id": noteID()}),
		output: takes([]string{"id", "title", "text"}, fields{
			"id":    {Type: "string", Description: "The ID asked for."},
			"title": {Type: "string", Description: "The title of the note."},
			"text":  {Type: "string", Description: "The whole text of the note."},
		}),
		run: plain(getNote),
	}, {
		name:        "save_note",
		title:       "Save a note",
		description: "Write a note into a notebook, over whatever stood there. The notebook is gone when the server ends.",
		writes:      true,
		input: takes([]string{"notebook", "text"}, fields{
			"notebook": {Type: "string", Description: "The notebook to write into; try-outs write into scratch.", Enum: []string{"scratch", "diary"}},
			"text":     {Type: "string", Description: "The text that replaces the notebook's note.", MinLength: 1},
		}),
		output: takes([]string{"notebook", "characters"}, fields{
			"notebook":   {Type: "string", Description: "The notebook written into."},
			"characters": {Type: "integer", Description: "How many characters were written."},
		}),
		run: saveNote,
	}}
}

func searchNotes(args object) outcome {
	limit := int64(10)
	if number, ok := args["limit"].(json.Number); ok {
		if n, err := number.Float64(); err == nil {
			limit = int64(n)
		}
	}
	query, _ := args["query"].(string)
	found := []object{}
	for _, n := range notes() {
		if int64(len(found)) < limit && strings.Contains(strings.ToLower(n.title+"\n"+n.text), strings.ToLower(query)) {
			found = append(found, object{"id": n.id, "title": n.title})
		}
	}
	return ok(object{"notes": found})
}

func getNote(args object) outcome {
	n := findNote(args["id"])
	if n == nil {
		return failure(fmt.Sprintf("there is no note %q; search_notes finds the IDs", args["id"]))
	}
	return ok(object{"id": n.id, "title": n.title, "text": n.text})
}

func saveNote(x *exchange, c *toolCall) outcome {
	notebook, _ := c.args["notebook"].(string)
	text, _ := c.args["text"].(string)
	x.session.save(notebook, text)
	return ok(object{"notebook": notebook, "characters": utf8.RuneCountInString(text)})
}
