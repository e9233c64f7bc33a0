package demo

import (
	"maps"
	"slices"
	"strings"
)

const stations = "demo://stations/"

func stationURI(city string) string { return stations + city }

// named is an entry of a listing, with a title where the revision has them.
func named(revision, name, title string, more object) object {
	entry := object{"name": name}
	if revision >= revision2025b {
		entry["title"] = title
	}
	maps.Copy(entry, more)
	return entry
}

func resources(revision string) []object {
	var list []object
	for _, n := range notes() {
		list = append(list, named(revision, n.id, n.title, object{
			"uri": "demo://notes/" + n.id, "description": "One of the notes that search_notes finds.", "mimeType": "text/plain",
		}))
	}
	for _, p := range places() {
		list = append(list, named(revision, "station-"+p.city, "Station in "+p.city, object{
			"uri": stationURI(p.city), "description": "What the station shows; refresh_station updates it.", "mimeType": "text/plain",
		}))
	}
	return list
}

func templates(revision string) []object {
	return []object{named(revision, "station", "Station in a city", object{
		"uriTemplate": stations + "{city}", "description": "What the station in a city shows.", "mimeType": "text/plain",
	})}
}

// contents is the text of a resource.
func contents(uri string) (string, bool) {
	if id, ok := strings.CutPrefix(uri, "demo://notes/"); ok {
		if n := findNote(id); n != nil {
			return n.text, true
		}
	}
	if city, ok := strings.CutPrefix(uri, stations); ok {
		if p := findPlace(city); p != nil {
			return p.conditions + " in " + p.city, true
		}
	}
	return "", false
}

func (x *exchange) readResource() reply {
	uri := text(x.request.params, "uri")
	if uri == "" {
		return refusal(codeInvalidParams, "resources/read needs the uri of a resource")
	}
	body, ok := contents(uri)
	if !ok {
		return x.noResource(uri)
	}
	return x.cacheable(object{"contents": []object{{"uri": uri, "mimeType": "text/plain", "text": body}}})
}

func (x *exchange) noResource(uri string) reply {
	code := codeNoResource
	if x.modern() {
		code = codeInvalidParams
	}
	return reply{failure: &failed{Code: code, Message: "Resource not found", Data: object{"uri": uri}}}
}

// subscribe answers resources/subscribe and resources/unsubscribe.
func (x *exchange) subscribe() reply {
	uri := text(x.request.params, "uri")
	if _, ok := contents(uri); !ok {
		return x.noResource(uri)
	}
	x.session.subscribe(uri, x.request.method == "resources/subscribe")
	return reply{result: object{}}
}

// update tells of an update of a resource: the clients that subscribed to it, and
// those of 2026-07-28 that listen.
func (s *Server) update(uri string) {
	s.mu.Lock()
	subscribers := slices.Collect(maps.Keys(s.sessions))
	listeners := slices.Collect(maps.Keys(s.listeners))
	s.mu.Unlock()
	for _, n := range subscribers {
		n.mu.Lock()
		wanted := n.subscribed[uri]
		n.mu.Unlock()
		if wanted {
			n.deliver(line(notification("notifications/resources/updated", object{"uri": uri})))
		}
	}
	for _, l := range listeners {
		l.update(uri)
	}
}
