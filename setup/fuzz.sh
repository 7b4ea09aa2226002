#!/usr/bin/env bash
# Fuzzes both sides of the guest protocol: RUNS executions of each target (default: 10 million). What is found is written to target/fuzz;
# a new input worth keeping belongs, minimized, into the corpus that the normal tests run.
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/setup/*}
runs=${RUNS:-10000000}
found=$root/target/fuzz

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "error: $1"
    [ -z "${2:-}" ] || say "hint: $2"
    exit "${3:-1}"
}

. "$root/setup/packages.sh"
packages yes clang=clang '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a=libclang-rt-dev'

# Runs a libFuzzer target on its corpus.
native() {
    local name=$1
    mkdir -p "$found/$name"
    say "Fuzzing $name of the agent: $runs executions ..."
    "$root/guest/target/fuzz/$name" -runs="$runs" -max_len=16384 -verbosity=0 -print_final_stats=1 -artifact_prefix="$found/$name-" \
        "$found/$name" "$root/guest/test/corpus/$name"
}

make -C "$root/guest" CC=clang fuzzers
native frames
native users
mkdir -p "$found/daemon"
say "Fuzzing the frames of the daemon: $runs executions ..."
mvn -q -B -f "$root/pom.xml" -Pquick,fuzz -pl engine -am -DskipTests package "-Dfuzz.runs=$runs" "-Dfuzz.found=$found"
say "Nothing was found."
