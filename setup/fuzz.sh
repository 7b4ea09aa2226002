#!/usr/bin/env bash
# Fuzzes both sides of the guest protocol, and what the gateway reads of policies and sandboxes: RUNS executions of each target (default: 10 million), or as many as SECONDS_EACH allow (default:
# 4 hours, enough on a machine that does nothing else). TARGETS names some of them: "frames daemon". What is found is written to target/fuzz; a new input worth keeping belongs,
# minimized, into the corpus that the normal tests run.
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/setup/*}
runs=${RUNS:-10000000}
seconds=${SECONDS_EACH:-14400}
targets=${TARGETS:-frames users units daemon names words calls answers}
found=$root/target/fuzz

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "error: $1"
    [ -z "${2:-}" ] || say "hint: $2"
    exit "${3:-1}"
}

. "$root/setup/packages.sh"
packages yes clang=clang '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a=libclang-rt-dev'

# Runs a target: its name, its words, and a program that understands libFuzzer's options.
fuzz() {
    local name=$1 what=$2 log=$found/$1.log begin=$SECONDS
    [[ " $targets " == *" $name "* ]] || return 0
    shift 2
    mkdir -p "$found/$name"
    say "Fuzzing $what: $runs executions, $seconds s at most ..."
    "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2; fail "The fuzzer of $what found something, or could not run." "See $log, and the input in $found."; }
    say "$what: $(awk '/^stat::number_of_executed_units:/ {sum += $2} END {print sum + 0}' "$log") executions in $((SECONDS - begin)) s"
}

# Each core has a part of the executions, and all find new inputs in one directory. 4096 bytes are hundreds of frames; longer inputs take twice the time and reach nothing else.
native() {
    local name=$1 workers status=0 worker
    workers=$(nproc)
    for worker in $(seq "$workers"); do
        ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=16 \
            "$root/guest/target/fuzz/$name" -runs="$(((runs + workers - 1) / workers))" -max_total_time="$seconds" -max_len=4096 -verbosity=0 -print_final_stats=1 \
            -artifact_prefix="$found/$name-" "$found/$name" "$root/guest/test/corpus/$name" 2>&1 &
    done
    for worker in $(seq "$workers"); do
        wait -n || { status=$?; kill $(jobs -pr) 2> /dev/null || true; }
    done
    return "$status"
}

# A JDK that Maven itself runs on is not looked for anywhere but in the path.
java_side() {
    local module=$1 profile=$2 target=$3 name=$4 corpus=$5
    PATH=${JAVA_HOME:+$JAVA_HOME/bin:}$PATH mvn -q -B -f "$root/pom.xml" "-Pquick,$profile" -pl "$module" -am -DskipTests package \
        "-Dfuzz.runs=$runs" "-Dfuzz.seconds=$seconds" "-Dfuzz.found=$found" "-Dfuzz.target=dev.sandglass.$target" "-Dfuzz.name=$name" "-Dfuzz.corpus=$corpus"
}

make --silent -C "$root/guest" CC=clang fuzzers
fuzz frames "frames that the agent reads" native frames
fuzz users "users that the agent looks for" native users
fuzz units "unit files that the agent reads" native units
fuzz daemon "frames that the daemon reads" java_side engine fuzz engine.guest.FrameFuzz daemon frames
fuzz names "names, rules and paths" java_side engine fuzz engine.network.NameFuzz names names
fuzz words "the first words of connections" java_side network fuzz-network network.sniff.WordsFuzz words words
fuzz calls "calls of tools" java_side network fuzz-network network.intercept.CallFuzz calls calls
fuzz answers "answers whose tokens are counted" java_side network fuzz-network network.token.ReckoningFuzz answers answers
say "Nothing was found."
