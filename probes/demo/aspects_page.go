package demo

import (
	"strconv"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// pageAspects spoil the pages of tools/list. Those after which discovery is
// incomplete keep every case but those of pagination from being judged.
func pageAspects() []Aspect {
	incomplete := func(label reason.Label) []Effect {
		return append(effects(label, "pagination", "pagination-few"), effects(reason.TransportError, "schema-guessability")...)
	}
	return []Aspect{{
		Name: "page-entry-unnamed", Text: "the second entry of tools/list has no name",
		Effects: effects(reason.PaginationInvalidEntry, "pagination"),
		hooks: hooks{tools: func(list []*listing) []*listing {
			list[1].Name = ""
			return list
		}},
	}, {
		Name: "page-no-array", Text: "tools/list answers an object instead of an array",
		Effects: incomplete(reason.PaginationInvalidEntry),
		hooks: hooks{paging: func(_ *exchange, list []*listing, _ string) (page, *failed) {
			return page{tools: object{"first": list[0]}}, nil
		}},
	}, {
		Name: "page-duplicate", Text: "the last tool of the first page stands on the second, too",
		Effects: effects(reason.PaginationDuplicateTool, "pagination"),
		hooks: hooks{paging: func(_ *exchange, list []*listing, cursor string) (page, *failed) {
			half := len(list) / 2
			switch cursor {
			case firstPage:
				return page{list[:half], "second"}, nil
			case "second":
				return page{list[half-1:], nil}, nil
			}
			return page{}, unknownCursor()
		}},
	}, {
		Name: "page-two-fails", Text: "the second page of tools/list is an internal error",
		Effects: incomplete(reason.PaginationInvalidEntry),
		hooks: hooks{paging: func(_ *exchange, list []*listing, cursor string) (page, *failed) {
			if cursor == firstPage {
				return page{list[:len(list)/2], "second"}, nil
			}
			return page{}, &failed{Code: codeInternal, Message: "Internal error"}
		}},
	}, {
		Name: "cursor-no-string", Text: "nextCursor is a number",
		Effects: incomplete(reason.PaginationInvalidEntry),
		hooks:   hooks{paging: endless(func(string) any { return 2 })},
	}, {
		Name: "cursor-repeated", Text: "every page of tools/list has the same cursor",
		Effects: incomplete(reason.PaginationStalledCursor),
		hooks:   hooks{paging: endless(func(string) any { return "again" })},
	}, {
		Name: "cursor-alternating", Text: "two cursors of tools/list lead to each other",
		Effects: incomplete(reason.PaginationStalledCursor),
		hooks: hooks{paging: endless(func(cursor string) any {
			if cursor == "a" {
				return "b"
			}
			return "a"
		})},
	}, {
		Name: "cursor-endless", Text: "every page of tools/list has a new cursor, and there is no last one",
		Effects: incomplete(reason.PaginationLimitExceeded),
		hooks: hooks{paging: endless(func(cursor string) any {
			n, _ := strconv.Atoi(cursor)
			return strconv.Itoa(n + 1)
		})},
	}, {
		Name: "twenty-pages", Text: "tools/list has twenty pages, which is as many as discovery reads",
		Effects: effects(reason.PaginationLimitExceeded, "pagination-few"),
		hooks:   hooks{paging: pages(20)},
	}, {
		Name: "twenty-one-pages", Text: "tools/list has twenty-one pages, one more than discovery reads",
		Effects: incomplete(reason.PaginationLimitExceeded),
		hooks:   hooks{paging: pages(21)},
	}}
}

// endless makes pages of which the first has all tools and the others none.
func endless(next func(cursor string) any) func(*exchange, []*listing, string) (page, *failed) {
	return func(_ *exchange, list []*listing, cursor string) (page, *failed) {
		if cursor != firstPage {
			list = []*listing{}
		}
		return page{list, next(cursor)}, nil
	}
}

// pages makes n pages of about the same length, of which some may be empty.
func pages(n int) func(*exchange, []*listing, string) (page, *failed) {
	return func(_ *exchange, list []*listing, cursor string) (page, *failed) {
		i := 0
		if cursor != firstPage {
			var err error
			if i, err = strconv.Atoi(cursor); err != nil || i <= 0 || i >= n {
				return page{}, unknownCursor()
			}
		}
		p := page{tools: list[i*len(list)/n : (i+1)*len(list)/n]}
		if i+1 < n {
			p.next = strconv.Itoa(i + 1)
		}
		return p, nil
	}
}

// surfaceAspects spoil the listings of resources, templates and prompts.
func surfaceAspects() []Aspect {
	stalled := func(key string) func(x *exchange) reply {
		return func(x *exchange) reply {
			return x.cacheable(object{key: []object{}, "nextCursor": "again"})
		}
	}
	return []Aspect{{
		Name: "resources-no-array", Text: "resources/list answers an object instead of an array",
		Effects: effects(reason.SurfaceInvalidEnvelope, "surface-listing"),
		hooks: hooks{method: onMethod(func(x *exchange) reply {
			return x.cacheable(object{"resources": object{}})
		}, "resources/list")},
	}, {
		Name: "templates-undefined", Text: "resources/templates/list is an unknown method although resources are declared",
		Effects: effects(reason.SurfaceInvalidEnvelope, "surface-listing"),
		hooks: hooks{method: onMethod(func(*exchange) reply {
			return refusal(codeUnknownMethod, "Method not found")
		}, "resources/templates/list")},
	}, {
		Name: "prompts-fail", Text: "prompts/list is an internal error although prompts are declared",
		Effects: effects(reason.SurfaceInvalidEnvelope, "surface-listing"),
		hooks:   hooks{method: onMethod(func(*exchange) reply { return refusal(codeInternal, "Internal error") }, "prompts/list")},
	}, {
		Name: "prompt-unnamed", Text: "an entry of prompts/list has no name",
		Effects: effects(reason.SurfaceInvalidEnvelope, "surface-listing"),
		hooks: hooks{method: onMethod(func(x *exchange) reply {
			return x.cacheable(object{"prompts": []object{{"description": "A prompt without a name."}}})
		}, "prompts/list")},
	}, {
		Name: "resources-stalled", Text: "every page of resources/list has the same cursor",
		Effects: effects(reason.SurfaceStalledCursor, "surface-listing"),
		hooks:   hooks{method: onMethod(stalled("resources"), "resources/list")},
	}, {
		Name: "prompts-stalled", Text: "every page of prompts/list has the same cursor",
		Effects: effects(reason.SurfaceStalledCursor, "surface-listing"),
		hooks:   hooks{method: onMethod(stalled("prompts"), "prompts/list")},
	}}
}
