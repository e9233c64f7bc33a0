package demo

import (
	"encoding/json"
	"slices"
	"strings"
)

func seasons() []string { return []string{"spring", "summer", "autumn", "winter"} }

func prompts(revision string) []object {
	city := named(revision, "city", "City", object{"description": "A city from list_cities.", "required": true})
	season := named(revision, "season", "Season", object{"description": "When the trip is; any when absent.", "required": false})
	return []object{
		named(revision, "weather_report", "Weather report", object{
			"description": "Ask for a report on the weather in a city.", "arguments": []object{city},
		}),
		named(revision, "trip_letter", "Trip letter", object{
			"description": "Ask for a letter about a trip to a city.", "arguments": []object{city, season},
		}),
	}
}

func (x *exchange) getPrompt() reply {
	arguments := child(x.request.params, "arguments")
	city := text(arguments, "city")
	var wanted string
	switch text(x.request.params, "name") {
	case "weather_report":
		wanted = "Report on the weather in " + city + ". Use get_weather."
	case "trip_letter":
		wanted = "Write a letter about a trip to " + city + "."
		if season := text(arguments, "season"); season != "" {
			wanted = "Write a letter about a trip to " + city + " in " + season + "."
		}
	default:
		return refusal(codeInvalidParams, "Unknown prompt; prompts/list names them all")
	}
	if findPlace(city) == nil {
		return refusal(codeInvalidParams, "the argument city must be one of list_cities")
	}
	return x.done(object{
		"description": wanted,
		"messages":    []object{{"role": "user", "content": object{"type": "text", "text": wanted}}},
	})
}

// completed is completion/complete, as an aspect sees it.
type completed struct {
	values any // []string, unless an aspect puts something else there
	total  int
}

// complete answers completion/complete: the known values that begin with what
// was typed.
func (x *exchange) complete() reply {
	known := completes(child(x.request.params, "ref"), text(child(x.request.params, "argument"), "name"))
	if known == nil {
		return refusal(codeInvalidParams, "there is no such reference or argument to complete")
	}
	var typed string
	if json.Unmarshal(child(x.request.params, "argument")["value"], &typed) != nil {
		return refusal(codeInvalidParams, "the argument needs a value, which may be empty")
	}
	values := slices.DeleteFunc(known, func(v string) bool { return !strings.HasPrefix(v, typed) })
	c := completed{values: values, total: len(values)}
	if hook := x.server.aspect.completed; hook != nil {
		hook(&c)
	}
	return x.done(object{"completion": object{"values": c.values, "total": c.total, "hasMore": false}})
}

// completes are all values of an argument, nil when there is none of that name.
func completes(ref members, argument string) []string {
	switch name := text(ref, "name"); text(ref, "type") {
	case "ref/resource":
		if text(ref, "uri") == stations+"{city}" && argument == "city" {
			return cityNames()
		}
	case "ref/prompt":
		switch {
		case (name == "weather_report" || name == "trip_letter") && argument == "city":
			return cityNames()
		case name == "trip_letter" && argument == "season":
			return seasons()
		}
	}
	return nil
}
