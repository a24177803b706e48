# Each target works on a fresh clone: what is missing is installed first, and nothing is touched when all is there.

SHELL := /bin/bash
SUITE := memory
TRACE := ../shared/traces/cloudphysics.oracle

.PHONY: help run test build bench docs lint format clean packages torture

help:
	@echo 'make run      serve a real workload through both tiers and show what happens'
	@echo 'make test     run all tests'
	@echo 'make torture  crash, kill and damage stores for some minutes'
	@echo 'make build    build everything, optimised'
	@echo 'make bench    measure, from a client package; SUITE=store measures the persistent tier'
	@echo 'make docs     build the documentation into .build/docs'
	@echo 'make lint     check the formatting'
	@echo 'make format   correct the formatting'
	@echo 'make clean    remove what was built'

packages:
	@scripts/packages.sh

# The trace is not part of the project; without it a synthetic workload is served.
run: packages
	swift run -c release larder demo $(wildcard $(TRACE))

test: packages
	swift test

# What make test does a little of, at full size: LARDER_TORTURE=1 does the same for any other choice of tests.
torture: packages
	LARDER_TORTURE=1 swift test --filter '^LarderStoreTests|MemoryUseTests'

build: packages
	swift build -c release

bench:
	@scripts/packages.sh bench
	@if [ -d Benchmarks ]; then swift run -c release --package-path Benchmarks larder-bench $(SUITE); \
	else echo 'make bench: there is no Benchmarks package in this version' >&2; exit 1; fi

docs: packages
	scripts/docs.sh

lint:
	swift format lint --strict --parallel -r Package.swift Sources Tests $(wildcard Benchmarks Examples)

format:
	swift format format --in-place --parallel -r Package.swift Sources Tests $(wildcard Benchmarks Examples)

clean:
	rm -rf .build .build-tsan .build-asan Benchmarks/.build Examples/*/.build
