package demo

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// tool is one entry of tools/list with what it does. run gets arguments that
// its schema accepts; it returns the structured result, or a text that says
// why there is none.
type tool struct {
	name, title, description string
	input, output            *schema
	run                      func(args map[string]any) (result any, failure string)
}

// place is a city with the weather that never changes there.
type place struct {
	city, conditions string
	celsius          float64
}

// note is one of the notes that search_notes and get_note read.
type note struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
}

func places() []place {
	return []place{
		{"berlin", "rain", 11.5},
		{"lisbon", "sun", 22},
		{"oslo", "snow", -3},
		{"tokyo", "cloud", 17.25},
	}
}

func notes() []note {
	return []note{
		{"note-1", "Packing list", "Coat, umbrella, two books."},
		{"note-2", "Questions for the guide", "Which museum is closed on Monday?"},
		{"note-3", "Train times", "09:12 and 13:12, platform 4."},
	}
}

func cityNames() []string {
	var names []string
	for _, p := range places() {
		names = append(names, p.city)
	}
	return names
}

// tools are all tools, in catalog order.
func tools() []tool {
	units := []string{"celsius", "fahrenheit"}
	one, ten := 1, 10
	return []tool{{
		name:        "list_cities",
		title:       "List cities",
		description: "List the cities that get_weather knows, in alphabetical order. Takes no arguments.",
		input:       object(nil, map[string]*schema{}),
		output: object([]string{"cities"}, map[string]*schema{
			"cities": {Type: "array", Description: "The names get_weather accepts.", Items: &schema{Type: "string"}},
		}),
		run: listCities,
	}, {
		name:        "get_weather",
		title:       "Get the weather",
		description: "Tell the present temperature and conditions in one of the cities that list_cities names.",
		input: object([]string{"city"}, map[string]*schema{
			"city": {Type: "string", Description: "A city from list_cities.", Enum: cityNames()},
			"unit": {Type: "string", Description: "The unit of the temperature; celsius when absent.", Enum: units},
		}),
		output: object([]string{"city", "temperature", "unit", "conditions"}, map[string]*schema{
			"city":        {Type: "string", Description: "The city asked for."},
			"temperature": {Type: "number", Description: "The temperature in the unit asked for."},
			"unit":        {Type: "string", Description: "The unit of the temperature.", Enum: units},
			"conditions":  {Type: "string", Description: "The sky in one word."},
		}),
		run: getWeather,
	}, {
		name:        "convert_temperature",
		title:       "Convert a temperature",
		description: "Convert a temperature between celsius and fahrenheit, rounded to two decimals.",
		input: object([]string{"value", "to"}, map[string]*schema{
			"value": {Type: "number", Description: "The temperature in the other unit."},
			"to":    {Type: "string", Description: "The unit to convert to.", Enum: units},
		}),
		output: object([]string{"value", "unit"}, map[string]*schema{
			"value": {Type: "number", Description: "The converted temperature."},
			"unit":  {Type: "string", Description: "The unit converted to.", Enum: units},
		}),
		run: convertTemperature,
	}, {
		name:        "search_notes",
		title:       "Search notes",
		description: "Find notes whose title or text contains a word, whatever its case. Returns IDs and titles; read a note with get_note.",
		input: object([]string{"query"}, map[string]*schema{
			"query": {Type: "string", Description: "The word to look for.", MinLength: 1},
			"limit": {Type: "integer", Description: "The most notes to return; 10 when absent.", Minimum: &one, Maximum: &ten},
		}),
		output: object([]string{"notes"}, map[string]*schema{
			"notes": {Type: "array", Description: "The notes found, oldest first.", Items: object([]string{"id", "title"}, map[string]*schema{
				"id":    {Type: "string", Description: "The ID that get_note takes."},
				"title": {Type: "string", Description: "The title of the note."},
			})},
		}),
		run: searchNotes,
	}, {
		name:        "get_note",
		title:       "Read a note",
		description: "Read one note by the ID that search_notes returned for it, such as note-1.",
		input: object([]string{"id"}, map[string]*schema{
			"id": {Type: "string", Description: "The ID of the note.", MinLength: 1},
		}),
		output: object([]string{"id", "title", "text"}, map[string]*schema{
			"id":    {Type: "string", Description: "The ID asked for."},
			"title": {Type: "string", Description: "The title of the note."},
			"text":  {Type: "string", Description: "The whole text of the note."},
		}),
		run: getNote,
	}}
}

func listCities(map[string]any) (any, string) {
	return struct {
		Cities []string `json:"cities"`
	}{cityNames()}, ""
}

func getWeather(args map[string]any) (any, string) {
	unit, _ := args["unit"].(string)
	if unit == "" {
		unit = "celsius"
	}
	for _, p := range places() {
		if p.city != args["city"] {
			continue
		}
		temperature := p.celsius
		if unit == "fahrenheit" {
			temperature = fahrenheit(temperature)
		}
		return struct {
			City        string  `json:"city"`
			Temperature float64 `json:"temperature"`
			Unit        string  `json:"unit"`
			Conditions  string  `json:"conditions"`
		}{p.city, temperature, unit, p.conditions}, ""
	}
	return nil, "no such city; list_cities names them all"
}

func convertTemperature(args map[string]any) (any, string) {
	number, _ := args["value"].(json.Number)
	value, err := number.Float64()
	if err != nil {
		return nil, "value is out of range"
	}
	unit, _ := args["to"].(string)
	converted := (value - 32) / 1.8
	if unit == "fahrenheit" {
		converted = fahrenheit(value)
	}
	rounded := math.Round(converted*100) / 100
	if math.IsInf(rounded, 0) {
		return nil, "value is out of range"
	}
	return struct {
		Value float64 `json:"value"`
		Unit  string  `json:"unit"`
	}{rounded, unit}, ""
}

func fahrenheit(celsius float64) float64 { return celsius*1.8 + 32 }

func searchNotes(args map[string]any) (any, string) {
	limit := int64(10)
	if number, ok := args["limit"].(json.Number); ok {
		if n, err := number.Float64(); err == nil {
			limit = int64(n)
		}
	}
	query, _ := args["query"].(string)
	found := []note{}
	for _, n := range notes() {
		if int64(len(found)) < limit && strings.Contains(strings.ToLower(n.Title+"\n"+n.Text), strings.ToLower(query)) {
			found = append(found, note{ID: n.ID, Title: n.Title})
		}
	}
	return struct {
		Notes []note `json:"notes"`
	}{found}, ""
}

func getNote(args map[string]any) (any, string) {
	for _, n := range notes() {
		if n.ID == args["id"] {
			return n, ""
		}
	}
	return nil, fmt.Sprintf("there is no note %q; search_notes finds the IDs", args["id"])
}
