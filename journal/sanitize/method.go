package sanitize

// methods holds every request and notification of every protocol revision,
// tasks/* of both of their forms included. The keys are the decode grammar of
// version 1: entries are added, never removed.
var methods = func() map[string]Method {
	m := make(map[string]Method)
	for _, s := range []string{
		// Requests of a client.
		"initialize", "ping", "server/discover", "subscriptions/listen",
		"tools/list", "tools/call",
		"resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe",
		"prompts/list", "prompts/get",
		"completion/complete", "logging/setLevel",

		// Requests of a server.
		"sampling/createMessage", "roots/list", "elicitation/create",

		// Requests of either side.
		"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update",

		// Notifications.
		"notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/message", "notifications/resources/updated",
		"notifications/resources/list_changed", "notifications/tools/list_changed",
		"notifications/prompts/list_changed", "notifications/roots/list_changed",
		"notifications/elicitation/complete",
		"notifications/subscriptions/acknowledged",
		"notifications/tasks", "notifications/tasks/status",

		unlisted,
	} {
		m[s] = Method{s}
	}
	return m
}()

// MethodOf is the method with this decoded name, or "unlisted".
func MethodOf(decoded []byte) Method {
	if m, ok := methods[string(decoded)]; ok {
		return m
	}
	return Method{unlisted}
}
