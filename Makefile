# Every target runs on its own; `make` lists them.

GO ?= go
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 10s
ROUNDS ?= 200
EVENTS ?= 1000000
FOLDERS = $(wildcard cli journal probes projections recorder schemas server)

.PHONY: help build fmt lint vet test race fuzz soak bench e2e cross generate release ci

help: ## list the targets
	@grep -E '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | awk -F'\t' '{printf "%-10s %s\n", $$1, $$2}'

build: ## build bin/mcpeval, static and stripped
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/mcpeval ./cli/mcpeval

fmt: ## format the Go files
	gofmt -w $(FOLDERS)

vet: ## go vet, for this system and for those that are only compiled
	$(GO) vet ./...
	GOOS=plan9 GOARCH=amd64 $(GO) vet ./journal/... ./recorder/...

lint: vet ## vet, staticcheck and gofmt
	$(STATICCHECK) ./...
	@files=$$(gofmt -l $(FOLDERS)); test -z "$$files" || { echo "not formatted: $$files"; exit 1; }

test: ## all tests
	MCPEVAL_VERIFY=all $(GO) test ./...

race: ## all tests under the race detector
	GORACE=atexit_sleep_ms=0 $(GO) test -race ./...

fuzz: ## every fuzz target for FUZZTIME each
	@.ci/each-fuzz $(FUZZTIME)

soak: ## the crash and disturbance tests, ROUNDS rounds each
	MCPEVAL_SOAK=$(ROUNDS) $(GO) test -count=1 -timeout 60m -run 'Kill|Crash|Soak|Disturb|Shuffle' ./...

bench: ## the shim, index and serve rows with their yardsticks (EVENTS each), then every benchmark
	MCPEVAL_BENCH=$(EVENTS) $(GO) test -count=1 -timeout 60m -v -run 'TestShimTable|TestIndexTable|TestServeTable' ./cli ./projections
	$(GO) test -run '^$$' -bench . -benchmem ./...

e2e: ## real servers and clients from npm; skipped where npm does not answer
	MCPEVAL_E2E=1 $(GO) test -count=1 -timeout 20m -v -run 'TestEndToEnd' ./cli

cross: ## compile for every supported system
	@.ci/cross

release: ## archives, checksums and a bill of materials for six systems, in dist
	@.ci/release dist

generate: ## rewrite the generated files; they must leave no diff
	$(GO) generate ./...

ci: ## what CI runs
	.ci/run
