# Every target works on a fresh clone with Go and the Go module proxy.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -o pipefail -c
BIN := bin/halfsecond
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

.PHONY: help build run test check agree bench fuzz real ollama clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

build: ## build bin/halfsecond, one static file
	@CGO_ENABLED=0 go build -ldflags '-X main.version=$(VERSION)' -o $(BIN) ./cmd/halfsecond

# A budget that fails (exit code 1) or cannot be measured (3) is a result, not an
# error of make.
define show
	@$(BIN) run $(1) || { code=$$?; [ $$code -eq 1 ] || [ $$code -eq 3 ]; }
	@echo

endef

run: build ## judge the built-in scenarios and compare two models: simulated, then over real sockets
	$(call show,voice)
	$(call show,ide)
	$(call show,bench)
	$(call show,voice --target mock --n 40)
	$(call show,ide --target mock --n 200)

# The race detector needs a C compiler.
RACE := $(if $(shell command -v cc gcc clang 2>/dev/null),-race)

# What tests would have met and was not there; see pipeline/realpart.
export HALFSECOND_ABSENT_PARTS := $(CURDIR)/bin/absent-parts

test: ## every test, as CI runs them; installs what they meet
	@.ci/parts
	@mkdir -p bin && rm -f $(HALFSECOND_ABSENT_PARTS)
	@[ -n "$(RACE)" ] || echo "no C compiler: the tests run without the race detector"
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go test $(RACE) -timeout 30m -shuffle=on ./...
	@[ ! -s $(HALFSECOND_ABSENT_PARTS) ] || { echo "NOT TESTED, for want of a part:"; sort -u $(HALFSECOND_ABSENT_PARTS); }

check: ## the quick gate: tests run only where something changed
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	@go vet ./...
	@go tool staticcheck ./...
	@go test $(RACE) ./... | { grep -v 'no test files' || true; }

agree: build ## that the mock over real sockets is within 15 ms of the simulator; wants a quiet machine
	$(BIN) run agree --agree-within 15ms
	$(BIN) run agree-voice --agree-within 15ms

bench: ## benchmarks of the heart, with the collector set as the program sets it
	GOGC=400 go test -run '^$$' -bench . ./pipeline/... ./mockllm/... ./simulators/... ./budgets/...

FUZZTIME ?= 5s

fuzz: ## every parser with random inputs, FUZZTIME each (5s); what breaks one is kept as a seed
	@mkdir -p bin; find . -name '*_test.go' -not -path '*/node_modules/*' | xargs grep -oE '^func Fuzz[A-Za-z0-9_]*' | sort -u | while IFS=: read -r file name; do \
	  echo "$${file%/*} $${name#func }"; \
	  go test "$${file%/*}" -run '^$$' -fuzz "^$${name#func }\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x >bin/fuzz.log 2>&1 || { cat bin/fuzz.log; exit 1; }; \
	done

real: ## build Ollama, a real engine to measure, with weights of its own (some minutes, once); docs/real.md
	@.ci/ollama install

ADDRESS ?= 127.0.0.1:11434

ollama: ## serve it at ADDRESS (127.0.0.1:11434) until it is ended
	@.ci/ollama serve $(ADDRESS)

clean: ## remove what make built
	rm -rf bin
