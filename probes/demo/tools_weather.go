package demo

import (
	"encoding/json"
	"math"
)

// place is a city with the weather that never changes there.
type place struct {
	city, conditions string
	celsius          float64
}

func places() []place {
	return []place{
		{"berlin", "rain", 11.5},
		{"lisbon", "sun", 22},
		{"oslo", "snow", -3},
		{"tokyo", "cloud", 17.25},
	}
}

func cityNames() []string {
	var names []string
	for _, p := range places() {
		names = append(names, p.city)
	}
	return names
}

func findPlace(city any) *place {
	for _, p := range places() {
		if p.city == city {
			return &p
		}
	}
	return nil
}

func units() []string { return []string{"celsius", "fahrenheit"} }

func citySchema() *schema {
	return &schema{Type: "string", Description: "A city from list_cities.", Enum: cityNames()}
}

func weatherTools() []tool {
	return []tool{{
		name:        "list_cities",
		title:       "List cities",
		description: "List the cities that get_weather knows, in alphabetical order. Takes no arguments.",
		input:       takes(nil, nil),
		output: takes([]string{"cities"}, fields{
			"cities": {Type: "array", Description: "The names get_weather accepts.", Items: &schema{Type: "string"}},
		}),
		run: plain(func(object) outcome { return ok(object{"cities": cityNames()}) }),
	}, {
		name:        "get_weather",
		title:       "Get the weather",
		description: "Tell the present temperature and conditions in one of the cities that list_cities names.",
		input: takes([]string{"city"}, fields{
			"city": citySchema(),
			"unit": {Type: "string", Description: "The unit of the temperature; celsius when absent.", Enum: units()},
		}),
		output: takes([]string{"city", "temperature", "unit", "conditions"}, fields{
			"city":        {Type: "string", Description: "The city asked for."},
			"temperature": {Type: "number", Description: "The temperature in the unit asked for."},
			"unit":        {Type: "string", Description: "The unit of the temperature.", Enum: units()},
			"conditions":  {Type: "string", Description: "The sky in one word."},
		}),
		run: plain(getWeather),
	}, {
		name:        "convert_temperature",
		title:       "Convert a temperature",
		description: "Convert a temperature between celsius and fahrenheit, rounded to two decimals.",
		input: takes([]string{"value", "to"}, fields{
			"value": {Type: "number", Description: "The temperature in the other unit."},
			"to":    {Type: "string", Description: "The unit to convert to.", Enum: units()},
		}),
		output: takes([]string{"value", "unit"}, fields{
			"value": {Type: "number", Description: "The converted temperature."},
			"unit":  {Type: "string", Description: "The unit converted to.", Enum: units()},
		}),
		run: plain(convertTemperature),
	}}
}

func getWeather(args object) outcome {
	p := findPlace(args["city"])
	if p == nil {
		return failure("no such city; list_cities names them all")
	}
	unit, temperature := "celsius", p.celsius
	if args["unit"] == "fahrenheit" {
		unit, temperature = "fahrenheit", fahrenheit(p.celsius)
	}
	return ok(object{"city": p.city, "temperature": temperature, "unit": unit, "conditions": p.conditions})
}

func convertTemperature(args object) outcome {
	number, _ := args["value"].(json.Number)
	value, err := number.Float64()
	if err != nil {
		return failure("value is out of range")
	}
	unit, _ := args["to"].(string)
	converted := (value - 32) / 1.8
	if unit == "fahrenheit" {
		converted = fahrenheit(value)
	}
	rounded := math.Round(converted*100) / 100
	if math.IsInf(rounded, 0) || math.IsNaN(rounded) {
		return failure("value is out of range")
	}
	return ok(object{"value": rounded, "unit": unit})
}

func fahrenheit(celsius float64) float64 { return celsius*1.8 + 32 }
