package demo

import "fmt"

// The errors of get_forecast. The first two calls in an outage fail and the
// third one succeeds; a closed station never answers.
const (
	codeOutage = 503
	codeClosed = 410
)

func outage() *failed {
	return &failed{Code: codeOutage, Message: "the station did not answer in time; try again", Data: object{"retryable": true}}
}

func closed() *failed {
	return &failed{Code: codeClosed, Message: "the station is closed for good; ask another one", Data: object{"retryable": false}}
}

func stationTools() []tool {
	sensor := fields{"sensor": {Type: "string", Description: "The sensor; outdoor must be calibrated before each reading.", Enum: []string{"indoor", "outdoor"}}}
	return []tool{{
		name:        "get_forecast",
		title:       "Get the forecast",
		description: "Tell tomorrow's temperature in a city. The station can be told to play an outage that passes, or to be closed.",
		input: takes([]string{"city"}, fields{
			"city":    citySchema(),
			"station": {Type: "string", Description: "How the station behaves; open when absent.", Enum: []string{"open", "outage", "closed"}, Default: "open"},
		}),
		output: takes([]string{"city", "temperature"}, fields{
			"city":        {Type: "string", Description: "The city asked for."},
			"temperature": {Type: "number", Description: "Tomorrow's temperature in celsius."},
		}),
		run: getForecast,
	}, {
		name:        "read_sensor",
		title:       "Read a sensor",
		description: "Read a sensor of the station in this session. The outdoor sensor needs calibrate_sensor before each reading.",
		input:       takes([]string{"sensor"}, sensor),
		output: takes([]string{"sensor", "value"}, fields{
			"sensor": {Type: "string", Description: "The sensor that was read."},
			"value":  {Type: "number", Description: "The temperature it shows in celsius."},
		}),
		run: readSensor,
	}, {
		name:        "calibrate_sensor",
		title:       "Calibrate a sensor",
		description: "Calibrate a sensor for the next reading of this session. Nothing outside the session changes.",
		input:       takes([]string{"sensor"}, sensor),
		output: takes([]string{"sensor", "calibrated"}, fields{
			"sensor":     {Type: "string", Description: "The sensor that was calibrated."},
			"calibrated": {Type: "boolean", Description: "Always true."},
		}),
		run: calibrateSensor,
	}, {
		name:        "refresh_station",
		title:       "Refresh a station",
		description: "Read all sensors of a city's station again. Who subscribed to its resource is told of the update.",
		input:       takes([]string{"city"}, fields{"city": citySchema()}),
		output: takes([]string{"resource"}, fields{
			"resource": {Type: "string", Description: "The URI of the resource that was read again."},
		}),
		run: refreshStation,
	}}
}

func getForecast(x *exchange, c *toolCall) outcome {
	switch c.args["station"] {
	case "outage":
		if !x.session.outage(c.key) {
			return refused(outage())
		}
	case "closed":
		return refused(closed())
	}
	p := findPlace(c.args["city"])
	if p == nil {
		return failure("no such city; list_cities names them all")
	}
	return ok(object{"city": p.city, "temperature": p.celsius + 1})
}

func readSensor(x *exchange, c *toolCall) outcome {
	sensor, _ := c.args["sensor"].(string)
	if sensor == "outdoor" && !x.session.read(sensor) {
		return failure(fmt.Sprintf("the %s sensor is not calibrated; call calibrate_sensor first", sensor))
	}
	return ok(sensorValue(sensor))
}

func sensorValue(sensor string) object {
	value := 20.5
	if sensor == "outdoor" {
		value = 7
	}
	return object{"sensor": sensor, "value": value}
}

func calibrateSensor(x *exchange, c *toolCall) outcome {
	sensor, _ := c.args["sensor"].(string)
	x.session.calibrate(sensor)
	return ok(object{"sensor": sensor, "calibrated": true})
}

func refreshStation(x *exchange, c *toolCall) outcome {
	city, _ := c.args["city"].(string)
	uri := stationURI(city)
	uris := []string{uri}
	if hook := x.server.aspect.updated; hook != nil {
		uris = hook(uri)
	}
	for _, u := range uris {
		x.server.update(u)
	}
	return ok(object{"resource": uri})
}
