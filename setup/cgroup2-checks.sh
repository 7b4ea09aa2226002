#!/bin/bash
# The first process of the machine that setup/cgroup2.sh starts: mounts control groups of version 2, starts the daemon and tries it over
# the command line. One line for each check; then the machine is switched off.
set -u

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export SANDGLASS_JAVA_HOME=/mnt/jdk SANDGLASS_DATA_DIR=/mnt/data SANDGLASS_RUN_DIR=/run/sandglass SANDGLASS_POOL=copy
# So that what is there after a destroy is a leftover, and no sandbox made ahead.
export SANDGLASS_KEEP_SPARES=false
# Its kernel may have no packet filter, and nothing here is about networks.
export SANDGLASS_NETWORK=none
groups=/sys/fs/cgroup/sandglass
out=/tmp/out count=0 failed=0

# check WORDS COMMAND...: whether it succeeds.
check() {
    local words=$1 begin=$SECONDS
    shift
    count=$((count + 1))
    if "$@" > $out 2>&1 < /dev/null; then
        printf 'ok   %s (%s s)\n' "$words" $((SECONDS - begin))
    else
        printf 'FAIL %s (%s s)\n' "$words" $((SECONDS - begin))
        tail -n 12 $out | sed 's/^/  > /'
        failed=$((failed + 1))
    fi
}

sg() { timeout 900 /mnt/sandglass/sandglass "$@"; }

# holds SANDBOX FILE TEXT: what the kernel says of the sandbox's group.
holds() {
    echo "$2: $(cat "$groups/$1/$2"), expected: $3"
    [ "$(cat "$groups/$1/$2")" = "$3" ]
}

holds_line() { cat "$groups/$1/$2" && grep -qx "$3" "$groups/$1/$2"; }

# says PATTERN COMMAND...: whether the command prints that, however it ends.
says() {
    local pattern=$1
    shift
    "$@" | tee /tmp/said
    grep -qE -- "$pattern" /tmp/said
}

# eventually COMMAND...: whether it succeeds at last. What was killed counts until it is gone.
eventually() {
    local tries
    for ((tries = 0; tries < 60; tries++)); do
        "$@" && return
        sleep 2
    done
    return 1
}

none_left() { ! find $groups -mindepth 1 -type d | grep .; }
gone() { [ ! -e "$groups/$1" ]; }

mounts() {
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys
    mountpoint -q /dev || mount -t devtmpfs devtmpfs /dev
    mkdir -p /dev/pts /dev/shm
    mount -t devpts devpts /dev/pts
    mount -t tmpfs tmpfs /dev/shm
    mount -t tmpfs -o mode=755 tmpfs /run
    mount -t tmpfs tmpfs /tmp
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
} 2> /dev/null

# As `sandglass up` does it, which would ask for compilers and give up after a minute. In a shell of its own: the launcher has settings.
start() (
    . /mnt/sandglass/sandglass help > /dev/null
    . /mnt/sandglass/setup/daemon.sh
    find_jdk
    lock
    pin_namespace
    copy_program
    detached &
    for ((tries = 0; tries < 600; tries++)); do
        ! daemon_pid || exit 0
        kill -0 $! || break
        sleep 1
    done
    last_lines
    exit 1
)

eat() { printf 'x = bytearray(%s << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint("eaten", flush=True)\n' "$1"; }
fork='
import os, sys, time
made = 0
try:
    while made < 90:
        if os.fork() == 0: time.sleep(600)
        made += 1
except OSError: pass
print("many" if made > 60 else "few"); sys.stdout.flush()
os.killpg(0, 9)'

# Limits, how they hold, and how they change. A container's are the kernel's; gVisor's kernel gets room of its own on top.
limits() {
    local runtime=$1 box=$2 memory=$3 tasks=$4 more_memory=$5 more_tasks=$6
    check "$runtime: memory.max" holds "$box" memory.max "$memory"
    check "$runtime: pids.max" holds "$box" pids.max "$tasks"
    check "$runtime: cpu.max" holds "$box" cpu.max '100000 100000'
    if [ "$runtime" = container ]; then
        check "$runtime: a program inside sees its own limit" says "^$memory\$" sg exec "$box" -- cat /sys/fs/cgroup/memory.max
    fi
    check "$runtime: more memory than allowed ends with oom" says '"reason":"oom"' sg exec -o json "$box" -- python3 -c "$(eat 400)"
    check "$runtime: the sandbox is still there" says '^here$' sg exec "$box" -- echo here
    check "$runtime: a fork bomb is stopped" eventually says '^few$' sg exec "$box" -- python3 -c "$fork"
    check "$runtime: update" eventually sg update "$box" --memory 768 --cpus 1.5 --processes 128
    check "$runtime: memory.max after it" holds "$box" memory.max "$more_memory"
    check "$runtime: pids.max after it" holds "$box" pids.max "$more_tasks"
    check "$runtime: cpu.max after it" holds "$box" cpu.max '150000 100000'
    check "$runtime: more memory helps" says '^eaten$' sg exec "$box" -- python3 -c "$(eat 400)"
    check "$runtime: more processes too" eventually says '^many$' sg exec "$box" -- python3 -c "$fork"
    check "$runtime: and back" eventually sg update "$box" --memory 256 --cpus 1 --processes 32
    check "$runtime: less memory holds" says '"reason":"oom"' sg exec -o json "$box" -- python3 -c "$(eat 400)"
    check "$runtime: fewer processes hold" eventually says '^few$' sg exec "$box" -- python3 -c "$fork"
    check "$runtime: a quarter of a processor holds" throttled "$box"
    check "$runtime: stats" says '"memory_bytes":[1-9].*' sg stats "$box" -o json
}

throttled() {
    local before begin used wall
    sg update "$1" --cpus 0.25 || return
    before=$(processor_time "$1") begin=$SECONDS
    sg exec "$1" -- python3 -c $'import time\nend = time.monotonic() + 15\nwhile time.monotonic() < end: pass' || return
    used=$(($(processor_time "$1") - before)) wall=$(((SECONDS - begin) * 1000000))
    echo "used $used of $wall microseconds"
    [ $used -gt 1000000 ] && [ $((used * 10)) -lt $((wall * 3)) ] && sg update "$1" --cpus 1
}

processor_time() { sed -n 's/^usage_usec //p' "$groups/$1/cpu.stat"; }

life() {
    local runtime=$1 box=$2 pause=(sg pause "$box")
    if [ "$runtime" = container ]; then
        check "$runtime: a snapshot of the disk, and the freezer at work meanwhile" frozen_for "$box"
        pause+=(--disk-only) # there is no CRIU here
    else
        check "$runtime: a snapshot of the disk" captured "$box"
    fi
    check "$runtime: it goes on after it" says '^here$' sg exec "$box" -- echo here
    check "$runtime: a sandbox from it" sg create --from "of-$box" --name "$runtime-copy" -q
    check "$runtime: pause" "${pause[@]}"
    check "$runtime: no group while it is paused" gone "$box"
    check "$runtime: resume" sg resume "$box"
    check "$runtime: its limits are back" holds "$box" cpu.max '100000 100000'
    check "$runtime: destroy, in the middle of a fork bomb" destroyed "$box"
    check "$runtime: destroy the other" sg rm -f "$runtime-copy"
}

captured() { sg snapshot create "$1" --disk-only --name "of-$1" -q; }

# The pool copies what was written while nothing runs: that takes long enough to be seen.
frozen_for() {
    local watch lines
    sg exec "$1" -- dd if=/dev/zero of=/root/large bs=1M count=64 || return
    (until mapfile -t lines < "$groups/$1/cgroup.events" && [[ ${lines[*]} == *'frozen 1'* ]]; do :; done; touch /tmp/frozen) &
    watch=$!
    captured "$1" || return
    kill "$watch" 2> /dev/null
    [ -e /tmp/frozen ] && holds_line "$1" cgroup.events 'frozen 0'
}

destroyed() {
    sg exec -d "$1" -- bash -c 'bomb() { bomb & bomb; }; bomb 2> /dev/null' && sg rm -f "$1" && gone "$1"
}

try() {
    local runtime=$1 box
    shift
    check "$runtime: create" sg create -q --runtime "$runtime" --memory 256 --cpus 1 --processes 32
    box=$(grep -o '^sbx-[0-9a-z]*' $out) || return
    limits "$runtime" "$box" "$@"
    life "$runtime" "$box"
}

# Version 1 refuses a limit under what is in use; version 2 would kill, so the daemon must refuse it.
in_use() {
    local box status
    box=$(sg create -q --runtime container --memory 768) || return
    sg exec -d "$box" -- python3 -c "$(eat 400)"$'\nimport time; time.sleep(6000)' || return
    eventually uses "$box" 400000000 || return
    sg update "$box" --memory 128
    status=$?
    [ $status = 4 ] && holds_line "$box" memory.events 'oom_kill 0' && holds "$box" memory.max 805306368 && sg rm -f "$box"
}

uses() { [ "$(cat "$groups/$1/memory.current")" -gt "$2" ]; }

mounts
printf 'cgroup2: %s, %s\n' "$(uname -r)" "$(cat /sys/fs/cgroup/cgroup.controllers)"
ip link set lo up
[ ! -f /mnt/runsc ] || cp /mnt/runsc /usr/bin/runsc
check 'the daemon starts' start
if [ $failed = 0 ]; then
    check 'doctor sees version 2' says '"cgroups".*"v2"' sg doctor -o json
    try container 268435456 32 805306368 128
    check 'container: less memory than is in use is refused' in_use
    [ ! -x /usr/bin/runsc ] || try gvisor 369098752 384 973078528 768
    check 'no group is left' none_left
fi
printf 'cgroup2: %s checks, %s failed\n' $count $failed
sync
echo o > /proc/sysrq-trigger
sleep 60
