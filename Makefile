# The second front door; `./sandglass help` is the first.
.DEFAULT_GOAL := help
.PHONY: help build test soak fuzz cgroup2 bench clean

help: ## show this list
	@sed -n 's/^\([a-z0-9]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

build: ## compile everything into target/dist, without the tests
	mvn -q -B -DskipTests package

test: ## run everything that must pass
	./sandglass test

SOAK = ExhaustionTest,CyclesTest,KillStormTest,FailpointTest,DetachedTest,PauseTest,PauseFailpointTest,MomentTest,InterleavingTest,ChainTest,DiffTest,FullDiskStepsTest,LifecycleTest,SnapshotFailpointTest,ExportTest

soak: ## the long forms of the tests: 1000 cycles, 200 kills, 10 GB of output, 1000 commands at once, 2000 histories (hours); SOAK names some of them
	./sandglass test -Dsandglass.soak=true -Dsurefire.rerunFailingTestsCount=0 -pl guest,server -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=$(SOAK)

bench: ## compare with the raw container runtimes on this machine
	./sandglass bench

fuzz: ## feed both sides of the guest protocol, and what the gateway reads, with RUNS inputs (default: 10 million); TARGETS names some
	setup/fuzz.sh

cgroup2: ## try limits, updates, pauses and ends on an emulated machine with control groups of version 2 only (a quarter of an hour)
	setup/cgroup2.sh

clean: ## remove what the build made
	mvn -q -B clean
	rm -rf target
