package recorder

import "github.com/mcpeval/mcpeval/journal"

// role is what a Correlator must know about a method.
type role uint8

const (
	other role = iota
	initialize
	discover
	toolsList
	toolsCall
	tasksResult // its result is the task's own, a tool's included
	listen      // a stream: open until one side ends it
	cancelledNote
	progressNote
)

// sides is a set of origins.
type sides uint8

const (
	byClient sides = 1 << iota
	byServer
	byEither = byClient | byServer
)

func (s sides) has(o journal.Origin) bool { return s>>(o-1)&1 == 1 }

// methodTraits gives a method's role and who may send it in any revision.
// Methods outside the specification are extensions, and either side's.
func methodTraits(method string) (role, sides) {
	switch method {
	case "initialize":
		return initialize, byClient
	case "server/discover":
		return discover, byClient
	case "subscriptions/listen":
		return listen, byClient
	case "tools/list":
		return toolsList, byClient
	case "tools/call":
		return toolsCall, byClient
	case "tasks/result":
		return tasksResult, byEither
	case "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe",
		"prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
		"notifications/initialized", "notifications/roots/list_changed":
		return other, byClient
	case "sampling/createMessage", "roots/list", "elicitation/create",
		"notifications/message", "notifications/resources/updated",
		"notifications/resources/list_changed", "notifications/tools/list_changed",
		"notifications/prompts/list_changed", "notifications/elicitation/complete",
		"notifications/subscriptions/acknowledged", "notifications/tasks":
		return other, byServer
	case "notifications/cancelled":
		return cancelledNote, byEither
	case "notifications/progress":
		return progressNote, byEither
	}
	return other, byEither
}

// misdirected reports whether a message travels in a direction its revision
// does not allow. From 2026-07-28 on only clients send requests and only
// servers send responses and progress.
func (c *Correlator) misdirected(who journal.Origin, r role, allowed sides, isNotification bool) bool {
	if !allowed.has(who) {
		return true
	}
	if c.hands.lifecycle() != journal.Stateless {
		return false
	}
	if isNotification {
		return r == progressNote && who == journal.FromClient
	}
	return who == journal.FromServer
}
