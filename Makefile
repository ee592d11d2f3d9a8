# Every target is one line of help: `make help` prints them.
GO ?= go
export GOFLAGS ?=

.DEFAULT_GOAL := all

all: build test lint ## build, test and lint (the default)

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## compile every module
	$(GO) build work

test: postgres ## run all tests on a real PostgreSQL (installed from the system's packages when it is missing, and PgBouncer too)
	$(GO) vet work
	$(GO) test work

race: postgres ## run the concurrent packages under the race detector, tests that compare times apart
	$(GO) test -race -short ./runtime/... ./examples/...

demo: ## generate the quickstart, start it and play first request, retry, change, duplicates
	$(GO) generate ./examples/quickstart
	$(GO) run ./examples/quickstart/demo

demo-payments: ## kill the payments example between the provider's charge and the completion, and show one charge
	$(GO) run ./examples/payments/demo

generate: ## regenerate everything that is generated
	$(GO) generate ./examples/...

check: ## fail when a generated file is not current
	.ci/check

lint: ## gofmt, and golangci-lint where it is installed
	@out=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	@.ci/golangci

bench: ## print the figures of this release: ratios against a floor measured in the same run
	$(MAKE) -k bench-fingerprint bench-postgres bench-generate bench-servers

bench-fingerprint: ## fingerprint against its limit
	$(GO) run ./runtime/proof/fingerprint/bench

bench-postgres: postgres ## the protocols against the bare transaction: times, throughput, storms, a million records, CPU
	$(GO) run ./runtime/proof/postgres/bench

bench-servers: ## what idemgen adds to a whole request, for each kind of server
	$(GO) run ./examples/servers/cost

bench-generate: ## time and memory of generate on a large document
	$(GO) test -run '^$$' -bench BenchmarkGenerate -benchtime 1x ./generator

fire: postgres ## kill, freeze and disconnect servers, clients and the database for ten minutes in all, and count effects and answers
	$(GO) test ./runtime/proof/fire -v -count 1 -timeout 1h -args -fire 5m

fuzz: ## a minute of each fuzz target
	.ci/fuzz

postgres:
	@.ci/postgres

tidy: ## go mod tidy, module by module, with the unpublished ones replaced meanwhile
	.ci/tidy

.PHONY: all help build test race demo demo-payments generate check lint bench bench-fingerprint bench-postgres bench-generate bench-servers fire fuzz postgres tidy
