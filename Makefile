# The second front door; `./sandglass help` is the first.
.DEFAULT_GOAL := help
.PHONY: help build test bench clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

build: ## compile everything into target/dist, without the tests
	mvn -q -B -DskipTests package

test: ## run everything that must pass
	./sandglass test

bench: ## compare with the raw container runtimes on this machine
	./sandglass bench

clean: ## remove what the build made
	mvn -q -B clean
	rm -rf target
